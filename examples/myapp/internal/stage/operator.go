package stage

import (
	"context"
	"fmt"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/trueup-dev/trueup/examples/myapp/internal/controller"
	"github.com/trueup-dev/trueup/examples/myapp/internal/dns"
	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/steptest"
)

// An Operator is the operator as it runs in this process. Its methods may be
// called concurrently.
type Operator struct {
	// Requests are all that it has sent to the API server.
	Requests *steptest.Requests
	// Zone is where it keeps DNS records.
	Zone *dns.Zone

	cancel context.CancelFunc
	done   chan struct{}
	err    error // once done is closed
}

// Start grants the operator's service account its role, starts the operator as
// that account, and returns when its caches are filled. It runs until
// [Operator.Stop]; the context bounds the start only. It logs to log, and what it
// sends is recorded in requests. Each customize is passed on to the pipeline's
// setup.
func Start(
	ctx context.Context, env *cluster.Cluster, log logr.Logger, requests *steptest.Requests,
	customize ...func(*builder.Builder),
) (*Operator, error) {
	admin, err := client.New(env.Config(), client.Options{Scheme: Scheme})
	if err != nil {
		return nil, fmt.Errorf("make the administrator's client: %w", err)
	}
	if err := grant(ctx, admin); err != nil {
		return nil, err
	}
	account, err := env.ServiceAccount(ctx, Namespace, ServiceAccount)
	if err != nil {
		return nil, err
	}
	o := &Operator{Requests: requests, Zone: dns.NewZone(), done: make(chan struct{})}
	mgr, err := ctrl.NewManager(requests.Attach(account), ctrl.Options{
		Scheme:     Scheme,
		Logger:     log,
		Metrics:    metricsserver.Options{BindAddress: "0"},
		Controller: config.Controller{SkipNameValidation: new(true)}, // a process may start it again
	})
	if err != nil {
		return nil, fmt.Errorf("make manager: %w", err)
	}
	if err := controller.NewPipeline(o.Zone).SetupWithManager(mgr, customize...); err != nil {
		return nil, err
	}
	return o, o.start(ctx, mgr)
}

// start runs the manager and waits for its caches.
func (o *Operator) start(ctx context.Context, mgr ctrl.Manager) error {
	running, cancel := context.WithCancel(context.Background())
	o.cancel = cancel
	go func() {
		defer close(o.done)
		if err := mgr.Start(running); err != nil {
			o.err = fmt.Errorf("run manager: %w", err)
		}
	}()
	syncing, enough := context.WithCancel(ctx)
	defer enough()
	go func() {
		select {
		case <-o.done:
			enough() // it will never have caches
		case <-syncing.Done():
		}
	}()
	if !mgr.GetCache().WaitForCacheSync(syncing) {
		if err := o.Stop(); err != nil {
			return err
		}
		return fmt.Errorf("wait for the operator's caches: %w", context.Cause(syncing))
	}
	return nil
}

// Done is closed when the operator has ended, for whatever reason.
func (o *Operator) Done() <-chan struct{} { return o.done }

// Stop ends the operator, waits for the end, and returns why it ended if it was
// not because of Stop.
func (o *Operator) Stop() error {
	o.cancel()
	<-o.done
	return o.err
}
