package reconcile

import (
	"context"
	"slices"
	"strings"
)

// handOver makes the status say, before the pipeline takes its finalizers off,
// that others' keep the object: nobody else will, and what the status said last
// is not what deletion waits for any more. The garbage collector's own finalizers
// go by themselves and are not worth a write.
//
// What goes wrong with the status does not keep the finalizers on.
func (p *Pipeline[T]) handOver(ctx context.Context, run *Run[T]) error {
	var others []string
	for _, name := range run.object.GetFinalizers() {
		if !p.isOurs(name) && !slices.Contains(collectorFinalizers, name) {
			others = append(others, name)
		}
	}
	if len(others) == 0 {
		return nil
	}
	slices.Sort(others)
	word := "finalizer "
	if len(others) > 1 {
		word = "finalizers "
	}
	waiting := Wait("HeldByOthers", "the "+word+strings.Join(others, ", ")+", which others have to take off")
	run.Event(nil, waiting.reason, "Finalize", "everything is undone; deletion waits for %s", waiting.message)
	if !p.root.reports {
		return nil
	}
	run.record(&Description{Name: finalizersStep}, waiting, nil)
	_, _ = p.conclude(ctx, run, waiting, nil) // see above
	return ctx.Err()
}
