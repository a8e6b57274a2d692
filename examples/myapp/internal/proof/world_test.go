package proof_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/examples/myapp/internal/dns"
	"github.com/trueup-dev/trueup/examples/myapp/internal/stage"
	"github.com/trueup-dev/trueup/testing/cluster"
)

// patience is how long a test waits for anything. A cache that cannot watch tries again
// after up to half a minute.
const patience = 2 * time.Minute

// world is a namespace, and the zone of its apps. The user goes to the API server
// directly, and sees all that happens.
type world struct {
	*testing.T
	ctx       context.Context
	cancel    context.CancelFunc
	user      client.WithWatch
	namespace string
	zone      *dns.Zone
	handed    int // how often another replica has taken over

	mu     sync.Mutex
	faults []string
	made   map[string]map[string]bool // the UIDs of children that were created, by kind
}

func newWorld(t *testing.T) *world {
	t.Helper()
	shared := cluster.Shared(t)
	user, err := client.NewWithWatch(shared.Config(), client.Options{Scheme: stage.Scheme})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	w := &world{
		T: t, ctx: ctx, cancel: cancel, user: user, namespace: shared.Namespace(t), zone: dns.NewZone(),
		made: map[string]map[string]bool{"Deployment": {}, "Service": {}},
	}
	w.follow(&v1.MyAppList{}, w.seenApp)
	w.follow(&appsv1.DeploymentList{}, w.seenChild("Deployment"))
	w.follow(&corev1.ServiceList{}, w.seenChild("Service"))
	return w
}

// must fails the test on an error.
func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// follow has a function called for all that happens to objects of a kind, also after
// the API server was started again.
func (w *world) follow(list client.ObjectList, seen func(watch.Event)) {
	w.Helper()
	events, err := w.user.Watch(w.ctx, list, client.InNamespace(w.namespace))
	w.must(err)
	var done sync.WaitGroup
	done.Go(func() {
		for w.ctx.Err() == nil {
			for event := range events.ResultChan() {
				seen(event)
			}
			events = w.again(list)
		}
	})
	w.Cleanup(func() { w.cancel(); done.Wait() })
}

// again watches again when the API server is back.
func (w *world) again(list client.ObjectList) watch.Interface {
	events := watch.NewEmptyWatch()
	_ = wait.PollUntilContextCancel(w.ctx, 50*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		made, err := w.user.Watch(ctx, list, client.InNamespace(w.namespace))
		if err == nil {
			events = made
		}
		return err == nil, nil
	})
	return events
}

// seenApp checks what has to hold whenever an app changes: a record is guarded, and an
// app that says it is Ready has the Deployment of its generation. Images are numbered
// as generations are, and only grow.
func (w *world) seenApp(event watch.Event) {
	app, ok := event.Object.(*v1.MyApp)
	if !ok || event.Type == watch.Deleted {
		return
	}
	host, live := dns.Host(w.namespace, app.Name), &v1.MyApp{}
	if _, before := w.zone.Lookup(host); before {
		err := w.user.Get(w.ctx, client.ObjectKeyFromObject(app), live)
		if _, after := w.zone.Lookup(host); err == nil && after && len(live.Finalizers) == 0 {
			w.fault("there is a record of %s, and no finalizer", host)
		}
	}
	if !isReady(app) {
		return
	}
	child := &appsv1.Deployment{}
	err := w.user.Get(w.ctx, client.ObjectKeyFromObject(app), child)
	if image := imageOf(app.Generation); err == nil && child.Spec.Template.Spec.Containers[0].Image < image {
		w.fault("an app of %s is said to be Ready, with a Deployment of %s", image, child.Spec.Template.Spec.Containers[0].Image)
	}
}

// seenChild notes the children that are made.
func (w *world) seenChild(kind string) func(watch.Event) {
	return func(event watch.Event) {
		child, ok := event.Object.(client.Object)
		if !ok || len(child.GetOwnerReferences()) == 0 {
			return
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.made[kind][string(child.GetUID())] = true
	}
}

func (w *world) fault(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if fault := fmt.Sprintf(format, args...); !slices.Contains(w.faults, fault) {
		w.faults = append(w.faults, fault)
	}
}

func isReady(app *v1.MyApp) bool {
	ready := meta.FindStatusCondition(app.Status.Conditions, "Ready")
	return ready != nil && ready.Status == metav1.ConditionTrue && ready.ObservedGeneration == app.Generation
}

func imageOf(generation int64) string { return fmt.Sprintf("img:%d", generation) }

// await waits until check returns nil.
func (w *world) await(what string, check func() error) {
	w.Helper()
	last := errors.New("not looked at")
	err := wait.PollUntilContextCancel(w.ctx, 20*time.Millisecond, true, func(context.Context) (bool, error) {
		last = check()
		return last == nil, nil
	})
	if err != nil {
		w.Fatalf("%s: %v", what, last)
	}
}
