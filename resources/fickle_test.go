package resources_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"

	appsv1 "k8s.io/api/apps/v1"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
)

// A function that has something else in what it builds each time is a loop of
// writes: it is noticed, the field is named, and it is backed off from.
func TestAFunctionThatIsNotDeterministicIsBackedOffFrom(t *testing.T) {
	var calls atomic.Int64
	stamped := func(app *v1.MyApp) (*corev1.ConfigMap, error) {
		child, err := desiredConfigMap(app)
		child.Data["stamp"] = fmt.Sprint(calls.Add(1))
		return child, err
	}
	inTurns := func(app *v1.MyApp) (*appsv1.Deployment, error) {
		child, err := desiredDeployment(app)
		env := make([]corev1.EnvVar, 29)
		turn := int(calls.Add(1))
		for i := range env {
			env[i].Name = fmt.Sprintf("E%d", (i+turn)%len(env))
		}
		child.Spec.Template.Spec.Containers[0].Env = env
		return child, err
	}
	for name, test := range map[string]struct {
		step  reconcile.Step[*v1.MyApp]
		field string
	}{
		"a child": {resources.Ensure(stamped), "field .data.stamp"},
		"a set": {resources.EnsureSet(func(app *v1.MyApp) ([]*corev1.ConfigMap, error) {
			child, err := stamped(app)
			return []*corev1.ConfigMap{child}, err
		}), "field .data.stamp"},
		"a child of the run": {resources.EnsureFrom(func(app *v1.MyApp, _ *reconcile.Run[*v1.MyApp]) (*corev1.ConfigMap, error) {
			return stamped(app)
		}), "field .data.stamp"},
		"the order of a map": {resources.Ensure(inTurns).ReadyWhen(alwaysReady), "field .spec.template.spec.containers[0].env (its order)"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, test.step)
			clock := clocktesting.NewFakePassiveClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
			b.Environment.Clock = clock
			for range 5 {
				b.want("a change", reconcile.Continue)
				clock.SetTime(clock.Now().Add(time.Second))
			}
			b.writes()
			b.Events.Reset()
			said := ""
			for range 3 {
				result, err := b.pass()
				if err != nil || result.Reason() != "NotDeterministic" || !strings.Contains(result.Message(), "("+test.field+")") {
					t.Fatalf("got %v, %v; want to wait, and the field named", result, err)
				}
				if result.RequeueAfter() <= 0 || result.RequeueAfter() > 10*time.Second {
					t.Errorf("again after %v, want within ten seconds", result.RequeueAfter())
				}
				if said != "" && said != result.Message() {
					t.Errorf("the message changes: %q, then %q", said, result.Message())
				}
				said = result.Message()
			}
			b.wrote("it is not applied at once any more")
			if events := b.Events.All(); len(events) != 1 || !strings.HasPrefix(events[0], "Warning NotDeterministic") {
				t.Errorf("events = %q, want one", events)
			}
			clock.SetTime(clock.Now().Add(10 * time.Second))
			b.want("when it is time", reconcile.Continue)
			if len(b.writes()) != 1 {
				t.Error("it is not applied when it is time")
			}
			if result, err := b.pass(); err != nil || result.RequeueAfter() <= 10*time.Second {
				t.Errorf("got %v, %v; want to wait longer", result, err)
			}
			b.app.Generation++
			b.want("a change of the owner is applied at once", reconcile.Continue)
		})
	}
}

// What depends on something else that changes is no fault of the function.
func TestAChildOfWhatChangesIsNotDamped(t *testing.T) {
	input := 0
	for name, test := range map[string]struct {
		step   reconcile.Step[*v1.MyApp]
		change func(*v1.MyApp)
	}{
		"the owner's spec": {
			resources.Ensure(desiredConfigMap),
			func(app *v1.MyApp) { app.Generation++; app.Spec.Image += "0" },
		},
		"the owner's annotations": {
			resources.Ensure(func(app *v1.MyApp) (*corev1.ConfigMap, error) {
				return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: app.Name}, Data: app.Annotations}, nil
			}),
			func(app *v1.MyApp) { app.Annotations = map[string]string{"a": app.Annotations["a"] + "0"} },
		},
		"what another step found": {
			resources.EnsureFrom(func(app *v1.MyApp, _ *reconcile.Run[*v1.MyApp]) (*corev1.ConfigMap, error) {
				return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: app.Name}, Data: map[string]string{"n": fmt.Sprint(input)}}, nil
			}),
			func(*v1.MyApp) { input++ },
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, test.step)
			for range 12 {
				b.want("a change", reconcile.Continue)
				b.wrote("is applied at once", "patch configmaps web")
				test.change(b.app)
			}
		})
	}
}
