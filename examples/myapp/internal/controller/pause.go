package controller

import (
	"context"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
)

// paused is an annotation that has the operator leave an app, and all that it has
// made for it, as they are. Deletion is not held up.
const paused = "apps.example.com/paused"

// pause is a step that halts the pass over an app that is paused.
func pause() reconcile.Step[*v1.MyApp] {
	return quiet(reconcile.Func("pause", func(_ context.Context, run *reconcile.Run[*v1.MyApp]) (reconcile.Result, error) {
		if run.Object().Annotations[paused] != "true" {
			return reconcile.Continue, nil
		}
		return reconcile.Halt("Paused", "the annotation "+paused+" is true"), nil
	}))
}
