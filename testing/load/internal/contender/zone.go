package contender

import (
	"sync"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
)

// finalizerName guards the record of a MyApp in the zone.
const finalizerName = "apps.example.com/dns"

// zone stands for something outside of the cluster, as the DNS zone of
// examples/myapp does: a host for each MyApp, and what it points to.
type zone struct {
	mu      sync.Mutex
	records map[string]string
}

func newZone() *zone { return &zone{records: map[string]string{}} }

func (z *zone) register(app *v1.MyApp) {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.records[host(app)] = app.Name + "." + app.Namespace + ".svc"
}

func (z *zone) release(app *v1.MyApp) {
	z.mu.Lock()
	defer z.mu.Unlock()
	delete(z.records, host(app))
}

func host(app *v1.MyApp) string { return app.Name + "." + app.Namespace + ".example.com" }
