package resources

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/trueup-dev/trueup/reconcile"
)

// Two that set the same field to different values would undo each other's work
// for ever. After freeRepairs repairs, each within contestWindow of the one
// before, the next ones wait, twice as long each time, from firstPause up to
// longestPause, and the step says who it is that interferes.
const (
	freeRepairs   = 3
	contestWindow = 10 * time.Minute
	firstPause    = 10 * time.Second
	longestPause  = 5 * time.Minute
)

// contest is what a step remembers of repairing one child again and again.
type contest struct {
	repairs int       // in a row
	last    time.Time // when the last one was
	rival   string    // who it is with, as far as that was found out
	told    bool      // in an event
}

// pauseAfter returns how long the next repair has to wait after a number in a row.
func pauseAfter(repairs int) time.Duration {
	over := repairs - freeRepairs
	if over < 0 {
		return 0
	}
	return min(firstPause<<min(over, 10), longestPause)
}

// damp is asked before an existing child is applied. It returns what the step
// waits for if that was done again and again.
func (e *engine[T, C]) damp(
	ctx context.Context, run *reconcile.Run[T], slot *slot[C], want *intent[C], live C, found state,
) (reconcile.Result, bool, error) {
	switch {
	case found == changed || found == hidden:
		return e.contested(ctx, run, slot, want, live)
	case found == unknown && slot.record != nil && slot.record.hash != want.hash:
		return e.unsettled(run, slot, want, live)
	}
	return reconcile.Result{}, false, nil
}

// contested is asked before a child is repaired that somebody has changed since
// it was applied. It returns what the step waits for if it is too soon.
func (e *engine[T, C]) contested(
	ctx context.Context, run *reconcile.Run[T], slot *slot[C], want *intent[C], live C,
) (reconcile.Result, bool, error) {
	rest := slot.pause(run.Now())
	if rest <= 0 {
		return reconcile.Result{}, false, nil
	}
	fight := slot.troubles().contest
	if err := e.findRival(ctx, run, fight, want, live); err != nil {
		return reconcile.Result{}, false, err
	}
	message := fmt.Sprintf("%s is changed again and again by %s; repairs are made less often", want, fight.rival)
	if !fight.told {
		fight.told = true
		run.Warn(live, "Contested", "Apply", "%s: %s", e.step, message)
	}
	return reconcile.Wait("Contested", message).After(rest), true, nil
}

// pause returns for how long the child is not to be repaired yet.
func (s *slot[C]) pause(now time.Time) time.Duration {
	fight := s.troubles().contest
	if fight == nil {
		return 0
	}
	return pauseAfter(fight.repairs) - now.Sub(fight.last)
}

// repaired counts a repair. One that the server has refused is none: nobody has
// undone it.
func (s *slot[C]) repaired(now time.Time) {
	fight := s.troubles().contest
	if fight == nil || now.Sub(fight.last) > contestWindow {
		fight = &contest{}
		s.trouble(func(t *troubles) { t.contest = fight })
	}
	fight.repairs++
	fight.last = now
}

// findRival finds out who a contest is with. Where the cache keeps only what we own
// it looks past it, once.
func (e *engine[T, C]) findRival(
	ctx context.Context, run *reconcile.Run[T], fight *contest, want *intent[C], live C,
) error {
	wanted, err := e.content(run, want)
	if err != nil {
		return err
	}
	name := rival(live, e.manager(run), wanted)
	if name == "" && fight.rival == "" {
		whole := e.empty(want.key)
		if err := run.Live().Get(ctx, want.key, whole); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("read %s: %w", want, err)
		}
		name = cmp.Or(rival(whole, e.manager(run), wanted), "somebody")
	}
	fight.rival = cmp.Or(name, fight.rival)
	return nil
}

// rival names the manager other than ours that was the last to set a field that
// we want to set, and the field. It is "" if there is none.
func rival(live client.Object, manager string, wanted map[string]any) string {
	entries := slices.Clone(live.GetManagedFields())
	slices.SortStableFunc(entries, func(a, b metav1.ManagedFieldsEntry) int {
		return cmp.Compare(timeOf(b), timeOf(a))
	})
	for i := range entries {
		entry := &entries[i]
		if entry.FieldsV1 == nil || entry.Subresource != "" ||
			entry.Manager == manager && entry.Operation == metav1.ManagedFieldsOperationApply {
			continue
		}
		set := &fieldpath.Set{}
		if err := set.FromJSON(entry.FieldsV1.GetRawReader()); err != nil {
			continue
		}
		field := ""
		set.Leaves().Iterate(func(path fieldpath.Path) {
			if field == "" && holds(wanted, path) {
				field = path.String()
			}
		})
		if field != "" {
			return fmt.Sprintf("%s (field %s)", entry.Manager, field)
		}
	}
	return ""
}

func timeOf(entry metav1.ManagedFieldsEntry) int64 {
	if entry.Time == nil {
		return 0
	}
	return entry.Time.UnixNano()
}

// holds reports whether there is something at a path of a content.
func holds(content any, path fieldpath.Path) bool {
	for _, element := range path {
		switch at := content.(type) {
		case map[string]any:
			if element.FieldName == nil {
				return false
			}
			field, ok := at[*element.FieldName]
			if !ok {
				return false
			}
			content = field
		case []any:
			i := slices.IndexFunc(at, func(item any) bool { return selects(element, -1, item) })
			if i < 0 {
				return false
			}
			content = at[i]
		default:
			return false
		}
	}
	return true
}
