// Package controller makes of every MyApp a Deployment, a Service and a DNS record,
// and what else it asks for.
package controller

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apilabels "k8s.io/apimachinery/pkg/labels"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/examples/myapp/internal/dns"
	"github.com/trueup-dev/trueup/finalizer"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
	"github.com/trueup-dev/trueup/status"
)

// NewPipeline returns the controller of MyApps, which keeps their records in zone.
func NewPipeline(zone *dns.Zone) *reconcile.Pipeline[*v1.MyApp] {
	secret := resources.Reference(secretOf)
	deployment := resources.EnsureFrom(deploymentWith(secret))
	service := resources.Ensure(desiredService)

	return reconcile.NewPipeline("myapp",
		pause(),
		finalizer.Func("apps.example.com/dns", record{zone}.release).Acquire(record{zone}.acquire),
		reconcile.All( // one that fails does not freeze the others
			reconcile.Sequence(needed(secret), handOver(), deployment),
			service,
			parts(),
		),
		status.Func(func(app *v1.MyApp, run *reconcile.Run[*v1.MyApp]) {
			if d, ok := deployment.Peek(run); ok {
				app.Status.Replicas = d.Status.Replicas
				app.Status.ReadyReplicas = d.Status.ReadyReplicas
				app.Status.Selector = apilabels.FormatLabels(d.Spec.Selector.MatchLabels)
			}
		}),
		status.Summarize(func(app *v1.MyApp) *[]metav1.Condition { return &app.Status.Conditions }),
	)
}

// labels tell the pods of an app from all others.
func labels(app *v1.MyApp) map[string]string {
	return map[string]string{"app.kubernetes.io/name": "myapp", "app.kubernetes.io/instance": app.Name}
}
