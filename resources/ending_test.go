package resources_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
	"github.com/trueup-dev/trueup/status"
	"github.com/trueup-dev/trueup/testing/steptest"
)

const guard = "apps.example.com/config"

// ending runs a pipeline, with conditions, over one MyApp on the real API server,
// where the test plays the garbage collector.
type ending struct {
	*bench
	pipeline *reconcile.Pipeline[*v1.MyApp]
}

func newEnding(t *testing.T, step reconcile.Step[*v1.MyApp]) *ending {
	t.Helper()
	e := &ending{bench: newBench(t, step)}
	e.version(step)
	return e
}

// version starts a version of the operator, which knows nothing of another.
func (e *ending) version(step reconcile.Step[*v1.MyApp]) {
	e.Helper()
	e.step = step
	e.rights.grant(step)
	e.pipeline = reconcile.NewPipeline("test", step,
		status.Summarize(func(app *v1.MyApp) *[]metav1.Condition { return &app.Status.Conditions }))
	e.restart()
	if err := e.pipeline.Setup(e.Environment); err != nil {
		e.Fatal(err)
	}
	e.writes()
}

// pass makes a pass when the cache has caught up.
func (e *ending) pass(what string, children ...client.Object) {
	e.Helper()
	for _, object := range append(children, e.app) {
		e.caughtUp(object)
	}
	if _, err := e.pipeline.Reconcile(e.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(e.app)}); err != nil {
		e.Fatalf("%s: %v", what, err)
	}
}

// quiet checks that further passes send nothing.
func (e *ending) quiet(what string, children ...client.Object) {
	e.Helper()
	e.pass(what, children...) // the cache may be new to it
	e.writes()
	e.Requests.Reset()
	for range 2 {
		e.pass(what, children...)
	}
	if diff := cmp.Diff([]steptest.Request(nil), e.Requests.All()); diff != "" {
		e.Errorf("%s: further passes sent (-want +got):\n%s", what, diff)
	}
}

func (e *ending) change(image string) {
	e.Helper()
	e.get(e.app)
	e.app.Spec.Image = image
	e.update(e.app)
}

func (e *ending) delete(object client.Object, options ...client.DeleteOption) {
	e.Helper()
	if err := e.User.Delete(e.Context(), object, options...); err != nil {
		e.Fatal(err)
	}
}

// says checks what the Ready condition says.
func (e *ending) says(what, message string) {
	e.Helper()
	e.get(e.app)
	ready := meta.FindStatusCondition(e.app.Status.Conditions, "Ready")
	if ready == nil || ready.Status != metav1.ConditionFalse || ready.Reason != "Deleting" || ready.Message != message {
		e.Errorf("%s: Ready is %+v, want %q", what, ready, message)
	}
}

// ties returns what ties a child to its owner and its operator.
func (e *ending) ties(child client.Object) []string {
	e.Helper()
	e.get(child)
	var ties []string
	for _, reference := range child.GetOwnerReferences() {
		ties = append(ties, "reference "+reference.Name)
	}
	for key := range child.GetLabels() {
		ties = append(ties, "label "+key)
	}
	for key := range child.GetAnnotations() {
		ties = append(ties, "annotation "+key)
	}
	for _, entry := range child.GetManagedFields() {
		ties = append(ties, "manager "+entry.Manager)
	}
	slices.Sort(ties)
	return ties
}

func guarded(policy resources.DeletionPolicy) *resources.Child[*v1.MyApp, *corev1.ConfigMap] {
	return resources.Ensure(desiredConfigMap).When(wanted).OnDelete(policy).Finalizer(guard)
}

func detached(policy resources.DeletionPolicy) *resources.Child[*v1.MyApp, *corev1.ConfigMap] {
	return resources.Ensure(func(app *v1.MyApp) (*corev1.ConfigMap, error) {
		child, err := desiredConfigMap(app)
		child.Namespace = app.Namespace
		return child, err
	}).When(wanted).OnDelete(policy).Detached(guard)
}

// kept is what is left on a child that is kept for its owner's return.
var kept = []string{"annotation trueup.dev/owner", "label trueup.dev/step", "manager test"}

func TestWhatBecomesOfAChild(t *testing.T) {
	for name, test := range map[string]struct {
		reason string
		step   *resources.Child[*v1.MyApp, *corev1.ConfigMap]
		verb   string   // of the write that ends it
		left   []string // what ties a child that is left behind to anything
		stays  bool
	}{
		"background": {reason: "it is gone before its owner is", step: guarded(resources.Background), verb: "delete"},
		"orphan":     {reason: "nothing tells that it was not always so", step: guarded(resources.Orphan), verb: "patch", stays: true},
		"keep":       {reason: "its owner may come back", step: guarded(resources.Keep), verb: "patch", stays: true, left: kept},

		"detached, background": {reason: "nobody else would", step: detached(resources.Background), verb: "delete"},
		"detached, orphan":     {reason: "as with a reference", step: detached(resources.Orphan), verb: "patch", stays: true},
		"detached, keep":       {reason: "as with a reference", step: detached(resources.Keep), verb: "patch", stays: true, left: kept},
	} {
		check := func(e *ending, uid string) {
			if !test.stays {
				e.gone(e.configMap())
				return
			}
			child := e.configMap()
			if diff := cmp.Diff(test.left, e.ties(child)); diff != "" {
				e.Errorf("%s: ties (-want +got):\n%s", test.reason, diff)
			}
			if string(child.UID) != uid || child.Data["image"] != "img:1" {
				e.Errorf("%s: it was changed: %v", test.reason, child.Data)
			}
		}
		t.Run(name+"/when the owner is deleted", func(t *testing.T) {
			e := newEnding(t, test.step)
			e.pass("first pass")
			e.quiet("first pass", e.configMap())
			child := e.configMap()
			e.get(child)
			e.get(e.app)
			e.delete(e.app)
			e.writes()
			e.pass("deletion", child)
			e.wrote(test.reason, test.verb+" configmaps web", "patch myapps web")
			e.gone(e.app)
			check(e, string(child.UID))
		})
		t.Run(name+"/when it is not wanted", func(t *testing.T) {
			e := newEnding(t, test.step)
			e.pass("first pass")
			child := e.configMap()
			e.get(child)
			e.change("none")
			e.writes()
			e.pass("not wanted", child)
			e.pass("when the cache has caught up", e.configMap())
			check(e, string(child.UID))
			e.quiet("not wanted", e.configMap())
			if e.get(e.app); len(e.app.Finalizers) != 0 {
				e.Errorf("finalizers = %v, and there is nothing to guard", e.app.Finalizers)
			}
		})
	}
}

// A child that is kept is taken up by the next owner of the name, or the same one
// when it wants it again; one that was orphaned is not, without Adopt.
func TestAKeptChildIsTakenUpAgain(t *testing.T) {
	for name, step := range map[string]*resources.Child[*v1.MyApp, *corev1.ConfigMap]{
		"reference": guarded(resources.Keep), "detached": detached(resources.Keep),
	} {
		t.Run(name, func(t *testing.T) {
			e := newEnding(t, step)
			e.pass("first pass")
			child := e.configMap()
			e.get(child)
			uid := child.UID
			e.change("none")
			e.pass("not wanted", child)
			e.change("img:2")
			e.pass("wanted again", child)
			if e.get(child); child.UID != uid || child.Data["image"] != "img:2" {
				t.Errorf("it was made again, or not brought into line: %v", child.Data)
			}
			e.quiet("wanted again", child)
			e.get(e.app)
			e.delete(e.app)
			e.pass("deletion", child)
			e.app = &v1.MyApp{
				ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: e.namespace},
				Spec:       v1.MyAppSpec{Image: "img:3"},
			}
			e.create(e.app)
			e.pass("the owner has come back", child)
			if e.get(child); child.UID != uid || child.Data["image"] != "img:3" {
				t.Errorf("it was not taken up: %v", child.Data)
			}
			e.quiet("the owner has come back", child)
		})
	}
	t.Run("not what another step kept", func(t *testing.T) {
		e := newEnding(t, guarded(resources.Keep))
		e.pass("first pass")
		child := e.configMap()
		e.get(child)
		e.get(e.app)
		e.delete(e.app)
		e.pass("deletion", child)
		e.app = &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: e.namespace}, Spec: v1.MyAppSpec{Image: "img:3"}}
		e.create(e.app)
		e.version(guarded(resources.Keep).Named("another"))
		e.pass("another step", child)
		if e.get(child); child.Data["image"] != "img:1" {
			t.Error("it was taken over by another step")
		}
	})
}

// The status tells what deletion waits for, down to what keeps a child.
func TestDeletionTellsWhatItWaitsFor(t *testing.T) {
	foreground := guarded(resources.Foreground)
	e := newEnding(t, foreground)
	e.pass("first pass")
	child := e.configMap()
	e.get(child)
	child.Finalizers = []string{"example.com/second", "example.com/first"}
	e.update(child)
	e.get(e.app)
	e.delete(e.app)
	e.writes()
	e.pass("deletion", child)
	e.wrote("one delete, one status", "delete configmaps web", "patch myapps/status web")
	name := "deletion waits for ConfigMap: " + e.namespace + "/web is being deleted after what it owns"
	e.says("two hold it", name+", held by the finalizers example.com/first and example.com/second")
	e.quiet("two hold it", child)
	e.get(child)
	child.Finalizers = slices.DeleteFunc(child.Finalizers, func(name string) bool { return name == "example.com/second" })
	e.update(child)
	e.pass("one holds it", child)
	e.says("one holds it", name+", held by the finalizer example.com/first")
	e.get(child)
	child.Finalizers = []string{metav1.FinalizerDeleteDependents}
	e.update(child)
	e.pass("only the garbage collector holds it", child)
	e.says("only the garbage collector holds it", name)
	e.get(child)
	child.Finalizers = nil
	e.update(child)
	e.writes()
	e.pass("it is gone", child)
	e.wrote("the finalizer goes", "patch myapps web")
	e.gone(e.app)
}

// A step that failed to find out does not take that for "gone" (C25): here the
// cache does not show the child, and a read past it does.
func TestDeletionBelievesOnlyTheServer(t *testing.T) {
	e := newEnding(t, guarded(resources.Background))
	e.pass("first pass")
	child := e.configMap()
	e.get(child)
	child.Finalizers = []string{"example.com/hold"}
	e.update(child)
	e.get(e.app)
	e.delete(e.app)
	e.Environment.Client = blindFor(e.Environment.Client, clientKey(child))
	e.version(e.step)
	e.pass("deletion")
	e.says("it is held", "deletion waits for ConfigMap: "+e.namespace+"/web is being deleted, held by the finalizer example.com/hold")
	e.get(child)
	child.Finalizers = nil
	e.update(child)
	e.pass("it is gone")
	e.gone(e.app)
}

// There is nothing to delete, whatever the reason, and nothing hangs (C27).
func TestDeletionWithNothingToDelete(t *testing.T) {
	for name, prepare := range map[string]func(*ending){
		"never wanted":           func(e *ending) { e.change("none") },
		"deleted by hand":        func(e *ending) { e.pass("first pass"); e.delete(e.configMap()) },
		"not wanted any more":    func(e *ending) { e.pass("first pass"); e.change("none") },
		"never reached":          func(*ending) {},
		"finalizer from nowhere": func(e *ending) { e.change("none"); e.app.Finalizers = []string{guard}; e.update(e.app) },
	} {
		t.Run(name, func(t *testing.T) {
			e := newEnding(t, guarded(resources.Foreground))
			prepare(e)
			e.get(e.app)
			e.app.Finalizers = append(e.app.Finalizers, "example.com/theirs")
			e.update(e.app)
			e.delete(e.app)
			e.pass("deletion", e.configMap())
			e.pass("deletion, once more", e.configMap())
			child := e.configMap()
			if err := e.User.Get(t.Context(), clientKey(child), child); err == nil {
				e.get(child)
				child.Finalizers = nil // the garbage collector's part
				e.update(child)
				e.pass("the child is gone", child)
			}
			e.get(e.app)
			if diff := cmp.Diff([]string{"example.com/theirs"}, e.app.Finalizers); diff != "" {
				t.Errorf("finalizers (-want +got):\n%s", diff)
			}
			e.quiet("ours is off")
		})
	}
}

func TestASetLeavesItsChildrenBehind(t *testing.T) {
	e := newEnding(t, resources.EnsureSet(func(app *v1.MyApp) ([]*corev1.ConfigMap, error) {
		one, _ := desiredConfigMap(app)
		two := one.DeepCopy()
		two.Name = "two"
		if !wanted(app) {
			return []*corev1.ConfigMap{two}, nil
		}
		return []*corev1.ConfigMap{one, two}, nil
	}).OnDelete(resources.Orphan).Finalizer(guard))
	two := e.configMap()
	two.Name = "two"
	e.pass("first pass")
	e.get(e.configMap())
	e.change("none")
	e.pass("one is not wanted", e.configMap(), two)
	if diff := cmp.Diff([]string(nil), e.ties(e.configMap())); diff != "" {
		t.Errorf("ties (-want +got):\n%s", diff)
	}
	if ties := e.ties(two); len(ties) == 0 {
		t.Error("the other was left behind too")
	}
	e.quiet("one is not wanted", e.configMap(), two)
	e.get(e.app)
	e.delete(e.app)
	e.pass("deletion", two)
	e.gone(e.app)
	if diff := cmp.Diff([]string(nil), e.ties(two)); diff != "" {
		t.Errorf("ties (-want +got):\n%s", diff)
	}
}
