package finalizer_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
)

// Somebody else writes to the object between the pass's read and an annotation of
// a step: the annotation is stored all the same, unless it is what they changed.
func TestAnAnnotationIsStoredWhateverOthersWrite(t *testing.T) {
	for name, test := range map[string]struct {
		reason   string
		meddle   func(*v1.MyApp)
		conflict bool
		want     map[string]string
	}{
		"nobody":        {reason: "it is stored", meddle: nil, want: map[string]string{"mine": "1"}},
		"another field": {reason: "it has nothing to do with it", meddle: func(app *v1.MyApp) { app.Spec.Image = "img:2" }, want: map[string]string{"mine": "1"}},
		"another annotation": {
			reason: "theirs stays", meddle: func(app *v1.MyApp) { app.Annotations = map[string]string{"theirs": "2"} },
			want: map[string]string{"mine": "1", "theirs": "2"},
		},
		"the annotation": {
			reason: "what they know is not known here", meddle: func(app *v1.MyApp) { app.Annotations = map[string]string{"mine": "theirs"} },
			conflict: true, want: map[string]string{"mine": "theirs"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var w *world
			var failure error
			w = newWorld(t, oneStep(func() reconcile.Step[*v1.MyApp] {
				return reconcile.Func("stores", func(ctx context.Context, run run) (reconcile.Result, error) {
					if test.meddle != nil {
						w.change(test.meddle)
						test.meddle = nil
					}
					failure = run.Annotate(ctx, map[string]string{"mine": "1"})
					if failure == nil && run.Object().Annotations["mine"] != "1" {
						t.Error("the pass does not go on with what was written")
					}
					return reconcile.Continue, failure
				})
			}))
			_, _ = w.pass()
			if apierrors.IsConflict(failure) != test.conflict {
				t.Errorf("%s: err = %v", test.reason, failure)
			}
			w.live()
			if diff := cmp.Diff(test.want, w.app.Annotations); diff != "" {
				t.Errorf("%s: annotations (-want +got):\n%s", test.reason, diff)
			}
			if w.app.Status.ObservedGeneration == 0 {
				t.Error("the status was not written")
			}
			if !test.conflict {
				w.must("the next pass")
				w.quiet("stored")
			}
		})
	}
}
