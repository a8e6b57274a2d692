package finalizer_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
	"github.com/trueup-dev/trueup/status"
	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/steptest"
)

// A thousand take 70 seconds of CPU, most of them the API server's, for their 7,500
// writes: go test ./finalizer -run TestDeletionOfManyLeavesNothing -args -apps=1000
var reach = flag.Int("apps", 200, "how many MyApps are deleted at a time")

// unreliable fails half of the calls that release something, each with another
// text, and remembers for which tokens.
type unreliable struct {
	mu     sync.Mutex
	tries  map[string]int
	failed map[string]bool
}

func (u *unreliable) release(token string) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.tries[token]++
	hash := fnv.New32a()
	_, _ = fmt.Fprint(hash, token, u.tries[token])
	if hash.Sum32()&0x100 == 0 {
		return nil
	}
	u.failed[token] = true
	return fmt.Errorf("503: request %d of %s", u.tries[token], token)
}

// Many MyApps are deleted at once, each with a child that the step deletes and a
// thing in a system of which half the calls fail. In the end nothing is left
// anywhere, for the least number of writes: a child, a finalizer and, where
// something failed, the status that tells of it.
func TestDeletionOfManyLeavesNothing(t *testing.T) {
	shared := cluster.Shared(t)
	namespace := shared.Namespace(t)
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	config := rest.CopyConfig(shared.Config())
	config.QPS = -1
	user, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	faults := &unreliable{tries: map[string]int{}, failed: map[string]bool{}}
	system := newRegistry()
	system.onDelete = faults.release
	requests := &steptest.Requests{}
	mgr := steptest.NewManager(t, requests.Attach(config), scheme, namespace)
	pipeline := reconcile.NewPipeline("many",
		external(system),
		resources.Ensure(func(app *v1.MyApp) (*corev1.ConfigMap, error) {
			return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: app.Name}, Data: map[string]string{"image": app.Spec.Image}}, nil
		}).Finalizer("apps.example.com/config"),
		status.Summarize(func(app *v1.MyApp) *[]metav1.Condition { return &app.Status.Conditions }),
	)
	err = pipeline.SetupWithManager(mgr, func(b *builder.Builder) {
		b.WithOptions(controller.Options{MaxConcurrentReconciles: 8})
	})
	if err != nil {
		t.Fatal(err)
	}
	steptest.StartManager(t, mgr)

	for i := range *reach {
		app := &v1.MyApp{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("app-%d", i), Namespace: namespace},
			Spec:       v1.MyAppSpec{Image: "img:1"},
		}
		if err := user.Create(t.Context(), app); err != nil {
			t.Fatal(err)
		}
	}
	ours := client.HasLabels{resources.StepLabel} // others make ConfigMaps in each namespace
	// Looked for in the manager's cache: lists of a thousand from the server cost
	// more than what is measured.
	become := func(what string, met func(apps []v1.MyApp, children []corev1.ConfigMap) bool) {
		t.Helper()
		err := wait.PollUntilContextTimeout(t.Context(), 100*time.Millisecond, 5*time.Minute, true, func(ctx context.Context) (bool, error) {
			var apps v1.MyAppList
			var children corev1.ConfigMapList
			err := errors.Join(mgr.GetCache().List(ctx, &apps, client.InNamespace(namespace), client.UnsafeDisableDeepCopy),
				mgr.GetCache().List(ctx, &children, client.InNamespace(namespace), ours, client.UnsafeDisableDeepCopy))
			return err == nil && met(apps.Items, children.Items), err
		})
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	become("all are ready", func(apps []v1.MyApp, _ []corev1.ConfigMap) bool {
		ready := 0
		for i := range apps {
			for _, condition := range apps[i].Status.Conditions {
				if condition.Type == "Ready" && condition.Status == metav1.ConditionTrue {
					ready++
				}
			}
		}
		return ready == *reach
	})
	if system.made != *reach {
		t.Fatalf("%d were made", system.made)
	}
	requests.Reset()
	began := time.Now()
	if err := user.DeleteAllOf(t.Context(), &v1.MyApp{}, client.InNamespace(namespace)); err != nil {
		t.Fatal(err)
	}
	become("all are gone", func(apps []v1.MyApp, children []corev1.ConfigMap) bool { return len(apps)+len(children) == 0 })
	took := time.Since(began)
	var apps v1.MyAppList
	var children corev1.ConfigMapList
	err = errors.Join(user.List(t.Context(), &apps, client.InNamespace(namespace)),
		user.List(t.Context(), &children, client.InNamespace(namespace), ours))
	if err != nil {
		t.Fatal(err)
	}
	if len(apps.Items)+len(children.Items) > 0 {
		t.Errorf("%d MyApps and %d children are left on the server", len(apps.Items), len(children.Items))
	}

	if left := system.values(); len(left) != 0 || system.removed != *reach {
		t.Errorf("left: %v, %d removed", left, system.removed)
	}
	writes := len(requests.Writes())
	least := 2**reach + len(faults.failed)
	t.Logf("%d MyApps, %d of which failed at first, went in %s and %d writes, of which the least is %d (%.3f)",
		*reach, len(faults.failed), took.Round(time.Millisecond), writes, least, float64(writes)/float64(least))
	if len(faults.failed) < *reach/3 {
		t.Errorf("only %d have failed", len(faults.failed))
	}
	if float64(writes) > 1.1*float64(least) {
		t.Errorf("%d writes, more than 1.1 of the least, %d", writes, least)
	}
}
