package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
)

// cacheWait is how long a readiness check waits for the caches.
const cacheWait = time.Second

// addChecks adds what tells the kubelet how the operator is. Alive is a process
// that answers: nothing that a restart would not mend makes it dead, least of all
// that the API server cannot be reached. Ready is one whose caches are filled, or,
// if it serves webhooks, one whose webhooks can be called, see [setUpWebhooks]: the
// API server may have to call them before it can fill the caches, and calls those
// who are ready.
func addChecks(mgr ctrl.Manager, webhooks bool) error {
	if err := mgr.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return fmt.Errorf("add health check: %w", err)
	}
	if webhooks {
		return nil
	}
	synced := func(request *http.Request) error {
		ctx, cancel := context.WithTimeout(request.Context(), cacheWait)
		defer cancel()
		if !mgr.GetCache().WaitForCacheSync(ctx) {
			return errors.New("the caches are not filled")
		}
		return nil
	}
	if err := mgr.AddReadyzCheck("caches", synced); err != nil {
		return fmt.Errorf("add readiness check: %w", err)
	}
	return nil
}
