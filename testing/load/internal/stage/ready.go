package stage

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	toolscache "k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
)

// readiness watches, through the operator's own cache, which MyApps are Ready.
type readiness struct {
	mu    sync.Mutex
	ready map[string]bool
	want  int
	met   chan struct{} // closed when want of them are Ready
	when  time.Time     // that was
}

// watchReadiness waits for that many MyApps of a manager that is not started.
func watchReadiness(ctx context.Context, mgr ctrl.Manager, want int) (*readiness, error) {
	informer, err := mgr.GetCache().GetInformer(ctx, &v1.MyApp{}, blocking(false))
	if err != nil {
		return nil, fmt.Errorf("watch MyApps: %w", err)
	}
	r := &readiness{ready: map[string]bool{}, want: want, met: make(chan struct{})}
	_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc:    r.see,
		UpdateFunc: func(_, object any) { r.see(object) },
	})
	if err != nil {
		return nil, fmt.Errorf("watch MyApps: %w", err)
	}
	return r, nil
}

func (r *readiness) see(object any) {
	app, ok := object.(*v1.MyApp)
	if !ok {
		return
	}
	condition := meta.FindStatusCondition(app.Status.Conditions, "Ready")
	ready := condition != nil && condition.Status == metav1.ConditionTrue && condition.ObservedGeneration == app.Generation
	r.mu.Lock()
	defer r.mu.Unlock()
	if !ready {
		delete(r.ready, app.Name)
		return
	}
	r.ready[app.Name] = true
	if len(r.ready) == r.want && r.when.IsZero() {
		r.when = time.Now()
		close(r.met)
	}
}

// count returns how many are Ready now.
func (r *readiness) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.ready)
}
