package resources_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
)

// The image of the MyApp says which workers there are: "a,b".
func desiredWorkers(app *v1.MyApp) ([]*corev1.ConfigMap, error) {
	if app.Spec.Image == "fails" {
		return nil, errors.New("no idea which")
	}
	var children []*corev1.ConfigMap
	for name := range strings.SplitSeq(app.Spec.Image, ",") {
		if name != "" {
			children = append(children, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: app.Name + "-" + name}, Data: map[string]string{"worker": name}})
		}
	}
	return children, nil
}

// readyAs says which workers are not ready by a field of theirs.
func readyAs(child *corev1.ConfigMap) resources.Readiness {
	if child.Data["broken"] == "for good" {
		return resources.Readiness{Failed: true, Reason: "BrokenForGood", Message: "is broken for good"}
	}
	return resources.Readiness{Ready: child.Data["broken"] == "", Reason: "Broken", Message: "is broken"}
}

func (b *bench) workers(list string) {
	b.app.Spec.Image = list
}

// names returns the names of the ConfigMaps that the MyApp owns.
func (b *bench) names() []string {
	b.Helper()
	list := &corev1.ConfigMapList{}
	if err := b.User.List(b.Context(), list, client.InNamespace(b.namespace)); err != nil {
		b.Fatal(err)
	}
	var names []string
	for i := range list.Items {
		if metav1.IsControlledBy(&list.Items[i], b.app) {
			names = append(names, list.Items[i].Name)
		}
	}
	return names
}

func (b *bench) have(reason string, want ...string) {
	b.Helper()
	if diff := cmp.Diff(want, b.names()); diff != "" {
		b.Errorf("%s: children (-want +got):\n%s", reason, diff)
	}
}

func (b *bench) allCaughtUp(names ...string) {
	b.Helper()
	for _, name := range names {
		b.caughtUp(b.worker(name))
	}
}

func (b *bench) worker(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "web-" + name, Namespace: b.namespace}}
}

func TestSetKeepsExactlyWhatIsWanted(t *testing.T) {
	step := resources.EnsureSet(desiredWorkers)
	b := newBench(t, step)
	b.workers("a,b,c")
	result, run, err := b.run()
	if err != nil || result != reconcile.Continue {
		t.Fatalf("first pass: %v, %v", result, err)
	}
	b.have("all are made", "web-a", "web-b", "web-c")
	var seen []string
	children, ok := step.Observed(run)
	for _, child := range children {
		seen = append(seen, child.Name)
	}
	if diff := cmp.Diff([]string{"web-a", "web-b", "web-c"}, seen); diff != "" || !ok {
		t.Errorf("observed (-want +got), %v:\n%s", ok, diff)
	}
	b.allCaughtUp("a", "b", "c")
	b.quiet()

	b.workers("c,a")
	if _, err := b.pass(); err != nil {
		t.Fatal(err)
	}
	b.wrote("one delete, with preconditions", "delete configmaps web-b")
	b.have("the one that is not wanted is gone", "web-a", "web-c")
	b.allCaughtUp("b")
	b.want("then", reconcile.Continue)
	b.quiet()

	b.workers("")
	if _, err := b.pass(); err != nil {
		t.Fatal(err)
	}
	b.have("none is wanted")
	b.allCaughtUp("a", "c")
	b.quiet()
}

func TestSetIsNotPrunedWhenBuildingItFails(t *testing.T) {
	b := newBench(t, resources.EnsureSet(desiredWorkers))
	b.workers("a,b")
	b.want("first pass", reconcile.Continue)
	b.allCaughtUp("a", "b")
	b.writes()
	b.workers("fails")
	if _, err := b.pass(); err == nil || !strings.Contains(err.Error(), "no idea which") {
		t.Errorf("err = %v, want the author's", err)
	}
	b.wrote("nothing")
	b.have("all are there", "web-a", "web-b")
	b.workers("a,b")
	b.quiet()
}

func TestSetPrunesWhatARestartedOperatorFinds(t *testing.T) {
	b := newBench(t, resources.EnsureSet(desiredWorkers))
	b.workers("a,b")
	b.want("first pass", reconcile.Continue)
	b.restart()
	b.workers("a")
	if _, err := b.pass(); err != nil {
		t.Fatal(err)
	}
	b.have("what was dropped while nobody looked is gone (C19)", "web-a")
	b.allCaughtUp("b")
	b.quiet()
}

func TestSetPrunesWhatTheCacheHasNotSeen(t *testing.T) {
	b := newBench(t, resources.EnsureSet(desiredWorkers))
	b.workers("a,b")
	b.want("first pass", reconcile.Continue)
	b.workers("a")
	if _, err := b.pass(); err != nil {
		t.Fatal(err)
	}
	b.have("only what is wanted is there", "web-a")
	b.allCaughtUp("a", "b")
	b.want("then", reconcile.Continue)
	b.quiet()
}

func TestSetKeepsTheOldUntilItsSuccessorIsReady(t *testing.T) {
	broken := true
	b := newBench(t, resources.EnsureSet(func(app *v1.MyApp) ([]*corev1.ConfigMap, error) {
		children, err := desiredWorkers(app)
		for _, child := range children {
			if child.Name == "web-v2" && broken {
				child.Data["broken"] = "yes"
			}
		}
		return children, err
	}).ReadyWhen(readyAs))
	b.workers("v1")
	b.want("first pass", reconcile.Continue)
	b.eventually("a second goes by, the precision of a creationTimestamp", func(testContext) bool {
		child := b.worker("v1")
		b.get(child)
		return b.Environment.Clock == nil && metav1.Now().Unix() > child.CreationTimestamp.Unix()
	})
	b.allCaughtUp("v1")
	b.workers("v2")
	b.want("the successor is not ready", reconcile.Wait("Broken", "0 of 1 ready; web-v2: is broken"))
	b.have("both are there (C53)", "web-v1", "web-v2")
	b.allCaughtUp("v1", "v2")
	b.quiet()

	b.restart() // as by a crash in between
	broken = false
	if _, err := b.pass(); err != nil {
		t.Fatal(err)
	}
	b.have("the old one is gone", "web-v2")
	b.allCaughtUp("v1", "v2")
	b.want("then", reconcile.Continue)
	b.quiet()
}

func TestSetGoesOnWithTheOthers(t *testing.T) {
	b := newBench(t, resources.EnsureSet(func(app *v1.MyApp) ([]*corev1.ConfigMap, error) {
		children, err := desiredWorkers(app)
		for _, child := range children {
			if child.Name == "web-bad" {
				child.Data["bad key"] = "x"
			}
		}
		return children, err
	}))
	b.workers("a,gone")
	b.want("first pass", reconcile.Continue)
	b.allCaughtUp("a", "gone")
	b.workers("bad,a,c")
	_, err := b.pass()
	if !reconcile.IsTerminal(err) || !strings.Contains(err.Error(), "web-bad") {
		t.Errorf("err = %v, want the server's about web-bad", err)
	}
	b.have("the others are made, and nothing is deleted in a pass that failed", "web-a", "web-c", "web-gone")
}

func TestSetSaysHowManyAreReady(t *testing.T) {
	b := newBench(t, resources.EnsureSet(func(app *v1.MyApp) ([]*corev1.ConfigMap, error) {
		children, err := desiredWorkers(app)
		for _, child := range children {
			if child.Name != "web-a" {
				child.Data["broken"] = "yes"
			}
		}
		return children, err
	}).ReadyWhen(readyAs).Limit(2))
	b.workers("a,b,c,d,e,f")
	b.want("the first three names", reconcile.Wait("Broken",
		"1 of 6 ready; web-b: is broken; web-c: is broken; web-d: is broken; and 2 more"))
	b.allCaughtUp("a", "b", "c", "d", "e", "f")
	b.quiet()
}

func TestSetIsStalledWhenAChildIs(t *testing.T) {
	b := newBench(t, resources.EnsureSet(func(app *v1.MyApp) ([]*corev1.ConfigMap, error) {
		children, err := desiredWorkers(app)
		for _, child := range children {
			child.Data["broken"] = map[string]string{"web-a": "yes", "web-b": "for good"}[child.Name]
		}
		return children, err
	}).ReadyWhen(readyAs))
	b.workers("a,b,c")
	b.want("the worst has the reason", reconcile.Wait("BrokenForGood",
		"1 of 3 ready; web-b: is broken for good; web-a: is broken").Stalled())
	b.allCaughtUp("a", "b", "c")
	b.quiet()
}

func TestSetTellsItsChildrenApart(t *testing.T) {
	for name, test := range map[string]struct {
		reason  string
		desired []*corev1.ConfigMap
		says    string
	}{
		"same name": {"a name stands for one child", []*corev1.ConfigMap{
			{ObjectMeta: metav1.ObjectMeta{Name: "x"}}, {ObjectMeta: metav1.ObjectMeta{Name: "x"}},
		}, `two children have the name "x"`},
		"nil": {"a nil child is a slip", []*corev1.ConfigMap{nil}, "child 0 is nil"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, resources.EnsureSet(func(*v1.MyApp) ([]*corev1.ConfigMap, error) { return test.desired, nil }))
			_, err := b.pass()
			if !reconcile.IsTerminal(err) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%s: err = %v, want a terminal one that says %s", test.reason, err, test.says)
			}
			b.wrote("nothing")
		})
	}
}

func TestAPanicInTheReadinessOfASetIsItsFailure(t *testing.T) {
	b := newBench(t, resources.EnsureSet(desiredWorkers).ReadyWhen(func(*corev1.ConfigMap) resources.Readiness { panic("oh") }))
	b.workers("a,b")
	if _, err := b.pass(); err == nil || !strings.Contains(err.Error(), "panic: oh") {
		t.Errorf("err = %v, want the panic", err)
	}
}
