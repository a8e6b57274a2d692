package steptest

import (
	"context"
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// NewManager makes a manager for a test: its cache sees the given namespaces, it
// serves no metrics and logs nothing. Start it with [StartManager].
func NewManager(t testing.TB, config *rest.Config, scheme *runtime.Scheme, namespaces ...string) ctrl.Manager {
	t.Helper()
	watched := map[string]cache.Config{}
	for _, namespace := range namespaces {
		watched[namespace] = cache.Config{}
	}
	mgr, err := ctrl.NewManager(config, manager.Options{
		Scheme:  scheme,
		Logger:  logr.Discard(),
		Metrics: metricsserver.Options{BindAddress: "0"},
		Cache:   cache.Options{DefaultNamespaces: watched},
	})
	if err != nil {
		t.Fatalf("make a manager: %v", err)
	}
	return mgr
}

// StartManager runs a manager until the end of the test, which fails if the
// manager does.
func StartManager(t testing.TB, mgr ctrl.Manager) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- mgr.Start(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("manager: %v", err)
		}
	})
}
