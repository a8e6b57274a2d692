package resources_test

import (
	"fmt"
	"testing"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/steptest"
)

// newConsistentBench makes a bench whose manager's client waits, when it reads, until the
// cache shows what it has written before (controller-runtime's read-your-writes).
func newConsistentBench(t *testing.T, step reconcile.Step[*v1.MyApp]) *bench {
	t.Helper()
	shared := cluster.Shared(t)
	b := &bench{T: t, step: step, namespace: shared.Namespace(t)}
	requests := &steptest.Requests{}
	mgr, err := ctrl.NewManager(requests.Attach(shared.Config()), ctrl.Options{
		Scheme: scheme(t), Logger: logr.Discard(), Metrics: metricsserver.Options{BindAddress: "0"},
		Client: client.Options{Cache: &client.CacheOptions{EnableReadYourWritesConsistency: ptr.To(true)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := reconcile.RegisterIndexes(mgr, "test", step); err != nil {
		t.Fatal(err)
	}
	steptest.StartManager(t, mgr)
	if !mgr.GetCache().WaitForCacheSync(t.Context()) {
		t.Fatal("the cache did not start")
	}
	user, err := client.New(shared.Config(), client.Options{Scheme: scheme(t)})
	if err != nil {
		t.Fatal(err)
	}
	b.Live = &steptest.Live{Environment: reconcile.EnvironmentOf(mgr, "test"), Requests: requests, Events: &steptest.Events{}, User: user}
	b.Environment.Recorder = b.Events
	b.hold()
	b.app = &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: b.namespace}, Spec: v1.MyAppSpec{Image: "img:1"}}
	b.create(b.app)
	return b
}

// A client that waits for its own writes waits for those of the same representation only:
// what a step applies is typed, as what it and others read.
func TestWithReadYourWrites(t *testing.T) {
	b := newConsistentBench(t, resources.Ensure(desiredConfigMap).When(wanted))
	child := b.configMap()
	for try := range 100 {
		b.app.Spec.Image = fmt.Sprint("img:", try+1)
		b.app.Generation++
		b.want("a new image", reconcile.Continue)
		if err := b.Environment.Client.Get(t.Context(), client.ObjectKeyFromObject(child), child); err != nil {
			t.Fatalf("try %d: the child that was applied: %v", try, err)
		}
		if diff := cmp.Diff(map[string]string{"image": b.app.Spec.Image}, child.Data); diff != "" {
			t.Fatalf("try %d: read after the write (-want +got):\n%s", try, diff)
		}
	}
	if got := len(b.Requests.All()); got != 100 {
		t.Errorf("%d requests for 100 changes", got)
	}
	b.quiet() // and at once
	b.Requests.Reset()

	b.get(child)
	child.Data["image"] = "theirs"
	b.update(child)
	b.caughtUp(child)
	b.want("after somebody's write", reconcile.Continue)
	b.wrote("it is repaired", "patch configmaps web")
	b.quiet()
	b.restart()
	b.quiet()

	b.app.Spec.Image = "none"
	if _, err := b.pass(); err != nil {
		t.Fatal(err)
	}
	b.wrote("it is not wanted any more", "delete configmaps web")
	b.want("it is gone, and the cache shows it", reconcile.Continue)
	b.quiet()
	b.gone(child)
}

// A set writes several children at the same time.
func TestSetWithReadYourWrites(t *testing.T) {
	b := newConsistentBench(t, resources.EnsureSet(desiredWorkers))
	b.workers("a,b,c,d,e,f")
	b.want("a set", reconcile.Continue)
	b.quiet()
	b.workers("a,f,g")
	if _, err := b.pass(); err != nil {
		t.Fatal(err)
	}
	b.have("the rest is pruned", "web-a", "web-f", "web-g")
	b.want("what was pruned is gone", reconcile.Continue)
	b.quiet()
}
