package resources_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
)

const shareFinalizer = "apps.example.com/share"

// desiredShare is what an owner sets in a ConfigMap that all have in common.
func desiredShare(app *v1.MyApp) (*corev1.ConfigMap, error) {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "common"},
		Data:       map[string]string{app.Name: app.Spec.Image},
	}, nil
}

func sharesUnlessUnexposed() *resources.Child[*v1.MyApp, *corev1.ConfigMap] {
	return resources.Ensure(desiredShare).Share(shareFinalizer).When(func(app *v1.MyApp) bool { return app.Spec.Image != "none" })
}

func (b *bench) common() *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "common", Namespace: b.namespace}}
}

// other makes a second MyApp.
func (b *bench) other(name string) *v1.MyApp {
	b.Helper()
	app := &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: b.namespace}, Spec: v1.MyAppSpec{Image: "img:1"}}
	b.create(app)
	return app
}

// as has the bench work for another MyApp from now on.
func (b *bench) as(app *v1.MyApp) *bench {
	b.app = app
	return b
}

// finalize runs the step's undoing once and checks that it is done.
func (b *bench) finalize(app *v1.MyApp) {
	b.Helper()
	run, err := reconcile.NewRun(b.Environment, "test", app)
	if err != nil {
		b.Fatal(err)
	}
	if result, err := b.step.Finalize(b.Context(), run); err != nil || result != reconcile.Continue {
		b.Fatalf("finalize: %v, %v", result, err)
	}
}

// shares returns the data of the common ConfigMap.
func (b *bench) shares(reason string, want map[string]string) *corev1.ConfigMap {
	b.Helper()
	child := b.common()
	b.get(child)
	if diff := cmp.Diff(want, child.Data); diff != "" {
		b.Errorf("%s: data (-want +got):\n%s", reason, diff)
	}
	if len(child.OwnerReferences) > 0 {
		b.Errorf("%s: it has owners: %v", reason, child.OwnerReferences)
	}
	return child
}

func TestTwoOwnersShareOneObject(t *testing.T) {
	b := newBench(t, sharesUnlessUnexposed())
	first, second := b.app, b.other("api")
	b.as(first).want("the first", reconcile.Continue)
	b.wrote("it is made", "patch configmaps common")
	b.caughtUp(b.common())
	b.as(second).want("the second", reconcile.Continue)
	b.wrote("its part is added", "patch configmaps common")
	child := b.shares("both hold a part", map[string]string{"web": "img:1", "api": "img:1"})
	b.caughtUp(child)
	b.as(first).quiet(child)
	b.as(second).quiet(child)
	b.restart()
	b.as(first).quiet(child)
	b.as(second).quiet(child)

	first.Spec.Image = "img:2"
	b.as(first).want("a change of the first", reconcile.Continue)
	child = b.shares("the second's part stays", map[string]string{"web": "img:2", "api": "img:1"})
	b.as(second).quiet(child)
	b.as(first).quiet(child)

	delete(child.Data, "api")
	b.update(child)
	b.caughtUp(child)
	b.as(second).want("drift", reconcile.Continue)
	b.shares("is repaired", map[string]string{"web": "img:2", "api": "img:1"})

	b.caughtUp(child)
	first.Spec.Image = "none"
	b.writes()
	b.as(first).want("the first wants it no more", reconcile.Continue)
	b.wrote("its part is taken away", "patch configmaps common")
	child = b.shares("only the second's is left", map[string]string{"api": "img:1"})
	if marks := len(child.Labels) + len(child.Annotations); marks != 3 {
		t.Errorf("marks of the first are left: %v %v", child.Labels, child.Annotations)
	}
	b.as(first).quiet(child)
	b.as(second).quiet(child)

	b.finalize(second)
	b.gone(b.common())
	b.Requests.Reset()
	b.finalize(second)
	b.finalize(first)
	b.wrote("nothing is left to take away")
}

func TestTheLastTwoThatLeaveAtOnceLeaveNothing(t *testing.T) {
	b := newBench(t, sharesUnlessUnexposed())
	apps := []*v1.MyApp{b.app, b.other("a"), b.other("b"), b.other("c")}
	for _, app := range apps {
		b.as(app).want("first pass", reconcile.Continue)
	}
	done := make(chan error, len(apps))
	for _, app := range apps {
		run, err := reconcile.NewRun(b.Environment, "test", app)
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			_, err := b.step.Finalize(b.Context(), run)
			for apierrors.IsConflict(err) { // as the controller would try again
				_, err = b.step.Finalize(b.Context(), run)
			}
			done <- err
		}()
	}
	for range apps {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	b.gone(b.common())
}

func TestWhatAPersonSharesIsNeverDeleted(t *testing.T) {
	for name, data := range map[string]map[string]string{
		"with fields":    {"theirs": "stays"},
		"without fields": nil, // the person's field manager has no entry then
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, sharesUnlessUnexposed())
			theirs := b.common()
			theirs.Data = data
			b.create(theirs)
			b.caughtUp(theirs)
			b.want("first pass", reconcile.Continue)
			b.wrote("one write", "patch configmaps common")
			child := b.common()
			b.get(child)
			if child.Data["web"] != "img:1" || child.Data["theirs"] != data["theirs"] || child.UID != theirs.UID {
				t.Errorf("data = %v, want both parts on the same object", child.Data)
			}
			b.quiet(child)
			b.finalize(b.app)
			left := b.shares("only theirs is left", data)
			if left.UID != theirs.UID || len(left.Labels)+len(left.Annotations) > 0 {
				t.Errorf("left = %s %v %v, want it as it was", left.UID, left.Labels, left.Annotations)
			}
		})
	}
}

// What somebody adds to an object that steps made stays when the last of them
// leaves.
func TestWhatSomebodyAddedToASharedObjectIsKept(t *testing.T) {
	b := newBench(t, sharesUnlessUnexposed())
	b.want("first pass", reconcile.Continue)
	child := b.common()
	b.get(child)
	child.Data["theirs"] = "stays"
	b.update(child)
	b.finalize(b.app)
	b.shares("theirs stays", map[string]string{"theirs": "stays"})
}

// A step that holds a Deployment's life and one that adds a sidecar to it.
func TestTwoStepsHoldPartsOfOneObject(t *testing.T) {
	whole := resources.Ensure(desiredDeployment).ReadyWhen(alwaysReady)
	sidecar := resources.Ensure(func(app *v1.MyApp) (*appsv1.Deployment, error) {
		return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: app.Name}, Spec: appsv1.DeploymentSpec{
			Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "sidecar", Image: "proxy:1"}}}},
		}}, nil
	}).Named("sidecar").FieldManager("test-sidecar").Share(shareFinalizer).ReadyWhen(alwaysReady)
	b := newBench(t, reconcile.All(whole, sidecar))
	containers := func() []string {
		child := b.deployment()
		b.get(child)
		var names []string
		for _, container := range child.Spec.Template.Spec.Containers {
			names = append(names, container.Name)
		}
		slices.Sort(names)
		return names
	}
	b.want("first pass", reconcile.Continue)
	b.wrote("two writes", "patch deployments web", "patch deployments web")
	if diff := cmp.Diff([]string{"app", "sidecar"}, containers()); diff != "" {
		t.Errorf("containers (-want +got):\n%s", diff)
	}
	child := b.deployment()
	b.get(child)
	if !metav1.IsControlledBy(child, b.app) || child.Labels[resources.StepLabel] != "test.Deployment" || child.Labels[resources.SharedLabel] != "" {
		t.Errorf("owners %v, labels %v; want the first step's", child.OwnerReferences, child.Labels)
	}
	b.quiet(child)
	b.restart()
	b.quiet(child)

	b.app.DeletionTimestamp = &metav1.Time{}
	*b.app.DeletionTimestamp = metav1.Now()
	b.Requests.Reset()
	run, err := reconcile.NewRun(b.Environment, "test", b.app)
	if err != nil {
		t.Fatal(err)
	}
	if result, err := sidecar.Finalize(t.Context(), run); err != nil || result != reconcile.Continue {
		t.Errorf("finalize: %v, %v", result, err)
	}
	b.wrote("what goes with the owner is not stirred up before")
}

// The step that shares does not make what the other step of the pass makes, and
// what it has made is the other's to control.
func TestTheStepThatHoldsTheLifeMakesTheObject(t *testing.T) {
	life := resources.Ensure(desiredConfigMap)
	share := resources.Ensure(func(app *v1.MyApp) (*corev1.ConfigMap, error) {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: app.Name}, Data: map[string]string{"more": "x"}}, nil
	}).Named("share").FieldManager("more").Share(shareFinalizer)
	for name, order := range map[string][]reconcile.Step[*v1.MyApp]{
		"in order":     {life, share},
		"out of order": {share, life},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, reconcile.All(order...))
			b.want("first pass", reconcile.Continue)
			child := b.configMap()
			b.get(child)
			if diff := cmp.Diff(map[string]string{"image": "img:1", "more": "x"}, child.Data); diff != "" || !metav1.IsControlledBy(child, b.app) {
				t.Errorf("owners %v, data (-want +got):\n%s", child.OwnerReferences, diff)
			}
			b.caughtUp(child)
			b.want("second pass", reconcile.Continue)
			b.quiet(child)
		})
	}
}

func TestStepsThatWouldUndoEachOtherAreRefused(t *testing.T) {
	part := func(name string) *resources.Child[*v1.MyApp, *corev1.ConfigMap] {
		return resources.Ensure(desiredConfigMap).Named(name)
	}
	for name, test := range map[string]struct {
		reason string
		steps  []reconcile.Step[*v1.MyApp]
		says   string
	}{
		"two lives": {
			reason: "two field managers do not make two owners",
			steps:  []reconcile.Step[*v1.MyApp]{part("a").FieldManager("a"), part("b").FieldManager("b")},
			says:   "one of them has to Share it",
		},
		"one manager": {
			reason: "two shares under one field manager prune each other",
			steps:  []reconcile.Step[*v1.MyApp]{part("a").Share("example.com/a"), part("b").Share("example.com/b")},
			says:   "see FieldManager and Share",
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, reconcile.All(test.steps...))
			for range 2 {
				if _, err := b.pass(); !reconcile.IsTerminal(err) || !strings.Contains(err.Error(), test.says) {
					t.Errorf("%s: err = %v, want a terminal one", test.reason, err)
				}
			}
			b.wrote("the first has the object", "patch configmaps web")
		})
	}
}

// Every event of a shared object wakes all who hold a part of it.
func TestASharedObjectWakesAllItsOwners(t *testing.T) {
	for name, step := range map[string]*resources.Child[*v1.MyApp, *corev1.ConfigMap]{
		"by name": resources.Ensure(desiredShare).Share(shareFinalizer),
		"by mark": resources.EnsureFrom(func(app *v1.MyApp, _ *reconcile.Run[*v1.MyApp]) (*corev1.ConfigMap, error) {
			return desiredShare(app)
		}).Share(shareFinalizer),
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, step)
			b.other("api")
			b.control(reconcile.NewPipeline("share-"+strings.ReplaceAll(name, " ", "-"), step))
			have := func(want string) {
				b.Helper()
				b.eventually(want, func(ctx context.Context) bool {
					child := b.common()
					_ = b.User.Get(ctx, clientKey(child), child)
					return fmt.Sprint(child.Data) == want
				})
			}
			have("map[api:img:1 web:img:1]")
			child := b.common()
			b.get(child)
			child.Data = map[string]string{"api": "x", "web": "y"}
			b.update(child)
			have("map[api:img:1 web:img:1]")
			for _, app := range []string{"web", "api"} {
				if err := b.User.Delete(t.Context(), &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: app, Namespace: b.namespace}}); err != nil {
					t.Fatal(err)
				}
			}
			b.eventually("both have left", func(ctx context.Context) bool {
				return apierrors.IsNotFound(b.User.Get(ctx, clientKey(child), child))
			})
		})
	}
}

func TestAStepThatSharesIsCheckedAtSetup(t *testing.T) {
	part := func() *resources.Child[*v1.MyApp, *corev1.ConfigMap] { return resources.Ensure(desiredShare) }
	for name, test := range map[string]struct {
		step *resources.Child[*v1.MyApp, *corev1.ConfigMap]
		says string
	}{
		"no finalizer":       {part().Share(""), "Share: the finalizer is empty"},
		"detached as well":   {part().Detached("example.com/a").Share("example.com/b"), "Share: the step is Detached or a Share already"},
		"recreate":           {part().Share("example.com/a").Recreate(), "Recreate: what is shared"},
		"adopt":              {part().Adopt().Share("example.com/a"), "Adopt: what is shared"},
		"an empty manager":   {part().FieldManager(""), "FieldManager: the name is empty"},
		"a long manager":     {part().FieldManager(strings.Repeat("x", 129)), "FieldManager: the name has 129 characters"},
		"an unprintable one": {part().FieldManager("a\nb"), "not printable"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := test.step.Describe().Err; err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("err = %v, want %q in it", err, test.says)
			}
		})
	}
	if err := part().Share("example.com/a").FieldManager(strings.Repeat("x", 128)).Describe().Err; err != nil {
		t.Errorf("all is well, but %v", err)
	}
}

// A long field manager stays within what the server accepts, and differs.
func TestALongFieldManagerCanBeShared(t *testing.T) {
	b := newBench(t, sharesUnlessUnexposed().FieldManager(strings.Repeat("x", 128)))
	first, second := b.app, b.other("api")
	b.as(first).want("the first", reconcile.Continue)
	b.as(second).want("the second", reconcile.Continue)
	child := b.shares("both", map[string]string{"web": "img:1", "api": "img:1"})
	b.quiet(child)
	b.as(first).quiet(child)
	trimmed, err := resources.TrimManagedFields(strings.Repeat("x", 128))(child)
	if err != nil {
		t.Fatal(err)
	}
	if got := len(trimmed.(client.Object).GetManagedFields()); got != 2 {
		t.Errorf("the transform keeps %d entries, want both owners'", got)
	}
}
