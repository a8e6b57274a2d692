package fieldcases_test

import (
	"errors"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/naive"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/operator"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/world"
	"github.com/trueup-dev/trueup/testing/steptest"
)

// C25: the finalizer is removed although the clean-up failed.
// https://github.com/Altinity/clickhouse-operator/issues/2056
//
// The dependent is a ConfigMap that no owner reference holds. What deletion waits
// for is another thing while it cannot be read, and the status says so: that is one
// more write there and one back, beside the one for all failures of the Registry.
func c25() fieldCase {
	dependent := func(app *v1.MyApp) (*corev1.ConfigMap, error) {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: app.Name + "-dependent", Namespace: app.Namespace}}, nil
	}
	reads := func(request steptest.Request) bool {
		return request.Resource == "configmaps" && (request.Verb == "get" || request.Verb == "list")
	}
	return fieldCase{
		id: "C25",
		trueup: func(p *world.Process) pipeline {
			return operator.New(operator.Options{
				Registry: p.Registry,
				Beside: []reconcile.Step[*v1.MyApp]{
					resources.Ensure(dependent).Named("Dependent").Detached("myapp.example/dependent"),
				},
			})
		},
		naive: func(p *world.Process) *naive.Reconciler { return &naive.Reconciler{Registry: p.Registry} },
		shows: "pass 0, which cannot read: MyApp is gone",
		run: func(w *world.World) {
			app := w.S0()
			fails := true
			w.Registry.BeforeDelete = func() error {
				if fails {
					return errors.New("the registry does not answer")
				}
				return nil
			}
			w.Delete(app.Get())
			failing := func(pass string, reason world.Reason, writes int) {
				app.Pass()
				now := world.Find[v1.MyApp](w, "web")
				if now == nil {
					w.Stop("%s: MyApp is gone", pass)
				}
				w.Expect(len(now.Finalizers) > 0, "%s: there is no finalizer", pass)
				w.Expect(len(app.Errors()) == 1, "%s: errors: %v", pass, app.Errors())
				w.Condition(pass, app, "Ready", metav1.ConditionFalse, reason)
				w.Same(pass+": status writes", writes, w.Count(world.WritesTo("myapps/status")))
				for _, event := range w.Events.All() {
					w.Expect(!strings.Contains(event, "Deleted: deleted MyApp"), "%s: told %s", pass, event)
				}
				w.Mark()
			}
			w.On(reads, 1, world.Refuse(500, metav1.StatusReasonInternalError, "etcd has no leader"))
			failing("pass 0, which cannot read", world.ApplyFailed, 1)
			w.Expect(world.Find[corev1.ConfigMap](w, "web-dependent") != nil, "pass 0: the dependent is gone")
			w.Converge()
			w.Mark()
			for _, pass := range []string{"pass 1", "pass 2", "pass 3"} {
				failing(pass, world.CleanupFailed, 0)
			}
			w.Expect(len(w.Registry.Members()) == 1, "the Registry has %v", w.Registry.Members())

			fails = false
			app.Pass()
			w.Expect(len(w.Registry.Members()) == 0, "at the end: the Registry has %v", w.Registry.Members())
			w.Expect(world.Find[corev1.ConfigMap](w, "web-dependent") == nil, "at the end: the dependent is still there")
			w.Wrote("at the end", map[string]int{"myapps": 1})
			effects := w.Effects()
			w.Expect(slices.Equal(effects, []string{"Registry.Delete", "patch myapps web"}), "at the end: the order of effects is %v", effects)
			w.Expect(world.Find[v1.MyApp](w, "web") == nil, "at the end: MyApp is still there")
		},
	}
}
