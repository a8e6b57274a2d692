package steptest

import (
	"context"
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/trueup-dev/trueup/reconcile"
)

// Live is what a step needs to be run by hand against a real API server, with a
// real cache in between. Make one with [StartLive].
type Live struct {
	// Environment is that of a manager, whose cache sees one namespace.
	Environment reconcile.Environment
	// Requests is what was sent through the environment.
	Requests *Requests
	// Events is what was told through the environment. The events are not sent,
	// so that they do not come in between.
	Events *Events
	// User is a client without a cache, whose requests are not recorded: for what
	// somebody else does.
	User client.Client
}

// StartLive starts a manager, without controllers, whose cache sees the given
// namespaces, with the indexes of the steps registered under the name that their
// runs are given. It ends with the test.
func StartLive[T client.Object](
	t testing.TB, config *rest.Config, scheme *runtime.Scheme, namespaces []string, name string, steps ...reconcile.Step[T],
) *Live {
	t.Helper()
	requests := &Requests{}
	watched := map[string]cache.Config{}
	for _, namespace := range namespaces {
		watched[namespace] = cache.Config{}
	}
	mgr, err := ctrl.NewManager(requests.Attach(config), manager.Options{
		Scheme:  scheme,
		Logger:  logr.Discard(),
		Metrics: metricsserver.Options{BindAddress: "0"},
		Cache:   cache.Options{DefaultNamespaces: watched},
	})
	if err != nil {
		t.Fatalf("make a manager: %v", err)
	}
	if err := reconcile.RegisterIndexes(mgr, name, steps...); err != nil {
		t.Fatalf("register indexes: %v", err)
	}
	user, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatalf("make a client: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- mgr.Start(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("manager: %v", err)
		}
	})
	if !mgr.GetCache().WaitForCacheSync(ctx) {
		t.Fatal("the cache did not start")
	}
	live := &Live{Environment: reconcile.EnvironmentOf(mgr, name), Requests: requests, Events: &Events{}, User: user}
	live.Environment.Recorder = live.Events
	return live
}
