package resources_test

import (
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/google/go-cmp/cmp"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
)

// under returns a function that builds the child under another name.
func under(name string) func(*v1.MyApp) (*corev1.ConfigMap, error) {
	return func(app *v1.MyApp) (*corev1.ConfigMap, error) {
		child, err := desiredConfigMap(app)
		child.Name, child.Namespace = name, app.Namespace
		return child, err
	}
}

// A step has another name in the next version of the operator: what it made under
// the old one is still its own, to keep, to rename and to delete.
func TestARenamedStepKnowsItsChildren(t *testing.T) {
	web := func(step *resources.Child[*v1.MyApp, *corev1.ConfigMap]) *resources.Child[*v1.MyApp, *corev1.ConfigMap] {
		return step.Named("old")
	}
	for name, test := range map[string]struct {
		old, present *resources.Child[*v1.MyApp, *corev1.ConfigMap]
	}{
		"reference": {web(resources.Ensure(under("web"))), resources.Ensure(under("web")).FormerlyNamed("older", "old")},
		"detached":  {web(detached("")), detached("").FormerlyNamed("old")},
	} {
		t.Run(name+"/the child stays", func(t *testing.T) {
			e := newEnding(t, test.old)
			e.pass("the old version")
			child := e.configMap()
			e.get(child)
			uid := child.UID
			e.version(test.present)
			e.pass("the new version", child)
			if e.get(child); child.UID != uid || child.Labels[resources.StepLabel] != "test.ConfigMap" {
				t.Errorf("it was made again, or has the mark %s", child.Labels[resources.StepLabel])
			}
			e.quiet("the new version", child)
		})
		t.Run(name+"/the owner was deleted before", func(t *testing.T) {
			e := newEnding(t, test.old)
			e.pass("the old version")
			e.get(e.app)
			e.app.Finalizers = append(e.app.Finalizers, "example.com/theirs")
			e.update(e.app)
			e.delete(e.app)
			e.version(test.present)
			e.pass("the new version", e.configMap())
			if name == "detached" {
				e.gone(e.configMap())
			}
			e.quiet("the new version", e.configMap())
		})
	}
	t.Run("the child is renamed as well", func(t *testing.T) {
		e := newEnding(t, resources.Ensure(under("web")).Named("old"))
		e.pass("the old version")
		e.version(resources.Ensure(under("other")).FormerlyNamed("old"))
		e.pass("the new version", e.configMap())
		e.gone(e.configMap())
		other := e.configMap()
		other.Name = "other"
		e.get(other)
		e.quiet("the new version", other, e.configMap())
	})
	t.Run("in a set", func(t *testing.T) {
		set := func(names ...string) *resources.Set[*v1.MyApp, *corev1.ConfigMap] {
			return resources.EnsureSet(func(app *v1.MyApp) ([]*corev1.ConfigMap, error) {
				var children []*corev1.ConfigMap
				for _, name := range names {
					child, _ := under(name)(app)
					children = append(children, child)
				}
				return children, nil
			})
		}
		e := newEnding(t, set("web", "other").Named("old"))
		e.pass("the old version")
		other := e.configMap()
		other.Name = "other"
		e.get(other)
		e.version(set("other").FormerlyNamed("old"))
		e.pass("the new version", e.configMap(), other)
		e.gone(e.configMap())
		e.get(other)
		e.quiet("the new version", other, e.configMap())
	})
}

// A step is not there any more: what it made is dealt with as the policy says.
func TestRetireEndsWhatARemovedStepMade(t *testing.T) {
	for name, test := range map[string]struct {
		reason   string
		old      *resources.Child[*v1.MyApp, *corev1.ConfigMap]
		policy   resources.DeletionPolicy
		detached bool
		stays    bool
		left     []string
	}{
		"background":           {reason: "it was of no other use", old: resources.Ensure(desiredConfigMap), policy: resources.Background},
		"orphan":               {reason: "somebody else uses it", old: resources.Ensure(desiredConfigMap), policy: resources.Orphan, stays: true},
		"detached, background": {reason: "the finalizer goes with it", old: detached(""), policy: resources.Background, detached: true},
		"detached, orphan":     {reason: "the finalizer is of no use", old: detached(""), policy: resources.Orphan, detached: true, stays: true},
	} {
		retire := func() *resources.Retired[*v1.MyApp, *corev1.ConfigMap] {
			step := resources.Retire[*v1.MyApp, *corev1.ConfigMap]("old", test.policy)
			if test.detached {
				step.Detached(guard)
			}
			return step
		}
		check := func(e *ending) {
			if !test.stays {
				e.gone(e.configMap())
				return
			}
			if diff := cmp.Diff(test.left, e.ties(e.configMap())); diff != "" {
				e.Errorf("%s: ties (-want +got):\n%s", test.reason, diff)
			}
		}
		t.Run(name, func(t *testing.T) {
			e := newEnding(t, test.old.Named("old"))
			e.pass("the old version")
			e.version(retire())
			e.pass("the new version", e.configMap())
			e.pass("it is gone", e.configMap())
			check(e)
			if e.get(e.app); len(e.app.Finalizers) != 0 {
				t.Errorf("%s: finalizers = %v", test.reason, e.app.Finalizers)
			}
			e.quiet("the new version", e.configMap())
		})
		if !test.detached {
			continue
		}
		t.Run(name+"/the owner was deleted before", func(t *testing.T) {
			e := newEnding(t, test.old.Named("old"))
			e.pass("the old version")
			e.get(e.app)
			e.delete(e.app)
			e.version(retire())
			e.pass("the new version", e.configMap())
			e.gone(e.app)
			check(e)
		})
	}
	t.Run("nothing of others", func(t *testing.T) {
		e := newEnding(t, resources.Ensure(desiredConfigMap))
		e.pass("the step that is still there")
		both := reconcile.Sequence[*v1.MyApp](resources.Ensure(desiredConfigMap),
			resources.Retire[*v1.MyApp, *corev1.ConfigMap]("old", resources.Background))
		e.version(both)
		theirs := e.configMap()
		theirs.Name, theirs.Labels = "theirs", map[string]string{resources.StepLabel: "test.old"}
		e.create(theirs)
		e.quiet("neither is the retired step's", e.configMap(), theirs)
		e.get(e.configMap())
		e.get(theirs)
	})
}

func TestMisuseOfDeletionIsToldAtSetup(t *testing.T) {
	for name, test := range map[string]struct {
		steps []reconcile.Step[*v1.MyApp]
		want  string
	}{
		"orphan without a finalizer": {
			[]reconcile.Step[*v1.MyApp]{resources.Ensure(desiredConfigMap).OnDelete(resources.Orphan)},
			`step "ConfigMap": OnDelete: orphan needs a Finalizer`,
		},
		"no such policy": {
			[]reconcile.Step[*v1.MyApp]{resources.Ensure(desiredConfigMap).OnDelete("shred")},
			`OnDelete: there is no policy "shred"`,
		},
		"no such policy to retire by": {
			[]reconcile.Step[*v1.MyApp]{resources.Retire[*v1.MyApp, *corev1.ConfigMap]("old", "")},
			`step "old": there is no policy ""`,
		},
		"two finalizers": {
			[]reconcile.Step[*v1.MyApp]{detached("").Finalizer("example.com/other")},
			"Finalizer: the step has the finalizer of its detached children",
		},
		"an empty finalizer": {
			[]reconcile.Step[*v1.MyApp]{resources.Ensure(desiredConfigMap).Finalizer("")},
			"Finalizer: the name is empty",
		},
		"an empty finalizer of a detached child": {
			[]reconcile.Step[*v1.MyApp]{resources.Ensure(desiredConfigMap).Detached("")},
			"Detached: the finalizer is empty",
		},
		"a former name that is taken": {
			[]reconcile.Step[*v1.MyApp]{
				resources.Ensure(desiredConfigMap).FormerlyNamed("other"),
				resources.Ensure(under("other")).Named("other"),
			},
			`step "ConfigMap": the former name "other" is empty or that of a step`,
		},
		"retired and there": {
			[]reconcile.Step[*v1.MyApp]{
				resources.Ensure(desiredConfigMap),
				resources.Retire[*v1.MyApp, *corev1.ConfigMap]("ConfigMap", resources.Background),
			},
			`step "ConfigMap": the name is taken`,
		},
		"shared and orphaned": {
			[]reconcile.Step[*v1.MyApp]{resources.Ensure(desiredConfigMap).Share(guard).OnDelete(resources.Orphan)},
			"OnDelete: what is shared is left to the others",
		},
	} {
		t.Run(name, func(t *testing.T) {
			scheme := runtime.NewScheme()
			if err := errors.Join(v1.AddToScheme(scheme), corev1.AddToScheme(scheme)); err != nil {
				t.Fatal(err)
			}
			err := reconcile.NewPipeline("test", test.steps...).
				Setup(reconcile.Environment{Client: fake.NewClientBuilder().WithScheme(scheme).Build()})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error does not say %s: %v", test.want, err)
			}
		})
	}
}
