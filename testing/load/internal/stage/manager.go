package stage

import (
	"context"
	"fmt"
	"net/http"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// newManager returns a manager of one namespace. Its cache is that of an operator
// of the whole cluster, which the server shows only one namespace: a cache with
// DefaultNamespaces asks the mapper in each read, which took more allocations
// (some 90) than everything else in a read. It has the cluster's mapper, so that
// discovery is not part of what its requests are.
func (c *Cluster) newManager(config *rest.Config, namespace string, workers int) (ctrl.Manager, error) {
	mgr, err := ctrl.NewManager(config, manager.Options{
		Scheme:         c.scheme,
		MapperProvider: func(*rest.Config, *http.Client) (meta.RESTMapper, error) { return c.mapper, nil },
		Logger:         logr.Discard(),
		Metrics:        metricsserver.Options{BindAddress: "0"},
		Cache:          cache.Options{DefaultFieldSelector: fields.OneTermEqualSelector("metadata.namespace", namespace)},
		Controller:     controllerOptions(workers),
	})
	if err != nil {
		return nil, fmt.Errorf("make manager: %w", err)
	}
	return mgr, nil
}

// controllerOptions allows for one controller after the other of the same name.
func controllerOptions(workers int) config.Controller {
	return config.Controller{MaxConcurrentReconciles: workers, SkipNameValidation: new(true)}
}

// running is a manager that has been started.
type running struct {
	cancel context.CancelFunc
	done   chan struct{}
	err    error
}

// start starts a manager and returns when its caches are filled. It runs until
// it is stopped.
func start(ctx context.Context, mgr ctrl.Manager) (*running, error) {
	background, cancel := context.WithCancel(context.WithoutCancel(ctx))
	r := &running{cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(r.done)
		r.err = mgr.Start(background)
	}()
	synced := make(chan bool, 1)
	go func() { synced <- mgr.GetCache().WaitForCacheSync(background) }()
	select {
	case <-r.done:
		return nil, fmt.Errorf("run manager: %w", r.err)
	case <-ctx.Done():
		return nil, fmt.Errorf("fill caches: %w", r.stopFor(ctx.Err()))
	case ok := <-synced:
		if !ok {
			return nil, fmt.Errorf("fill caches: %w", r.stopFor(context.Canceled))
		}
		return r, nil
	}
}

// stop ends the manager and waits until it has ended.
func (r *running) stop() error {
	r.cancel()
	<-r.done
	if r.err != nil {
		return fmt.Errorf("run manager: %w", r.err)
	}
	return nil
}

// stopFor stops the manager and returns why, or what it says itself.
func (r *running) stopFor(cause error) error {
	if err := r.stop(); err != nil {
		return err
	}
	return cause
}
