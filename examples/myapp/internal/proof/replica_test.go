package proof_test

import (
	"context"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/trueup-dev/trueup/examples/myapp/internal/controller"
	"github.com/trueup-dev/trueup/examples/myapp/internal/stage"
	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/cluster/proxy"
	"github.com/trueup-dev/trueup/testing/steptest"
)

// replica is a process of the operator, with a way of its own to the API server.
type replica struct {
	*proxy.Proxy
	requests *steptest.Requests
	elected  <-chan struct{}
	ended    <-chan error
}

// start starts a replica. With a lease it does nothing until it has it, and ends when
// it loses it; without, it runs until the test ends.
func (w *world) start(lease bool) *replica {
	w.Helper()
	way, err := proxy.Start(cluster.Shared(w.T).Config())
	w.must(err)
	r := &replica{Proxy: way, requests: &steptest.Requests{}}
	mgr, err := w.manager(r.requests.Attach(way.Config()), lease)
	w.must(err)
	w.must(controller.NewPipeline(w.zone).SetupWithManager(mgr))
	ctx, cancel := context.WithCancel(context.WithoutCancel(w.ctx))
	ended, over := make(chan error, 1), make(chan struct{})
	r.elected, r.ended = mgr.Elected(), ended
	go func() {
		defer close(over)
		ended <- mgr.Start(ctx)
	}()
	w.Cleanup(func() {
		cancel()
		<-over
		if err := way.Close(); err != nil {
			w.Error(err)
		}
	})
	return r
}

func (w *world) manager(way *rest.Config, lease bool) (ctrl.Manager, error) {
	return ctrl.NewManager(way, manager.Options{
		Scheme: stage.Scheme, Logger: logr.Discard(),
		Metrics:    metricsserver.Options{BindAddress: "0"},
		Cache:      cache.Options{DefaultNamespaces: map[string]cache.Config{w.namespace: {}}},
		Controller: config.Controller{SkipNameValidation: new(true)}, // each test has one

		LeaderElection: lease, LeaderElectionID: "proxied", LeaderElectionNamespace: w.namespace,
		LeaseDuration: new(3 * time.Second), RenewDeadline: new(2 * time.Second), RetryPeriod: new(200 * time.Millisecond),
	})
}
