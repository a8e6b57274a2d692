package resources

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
)

// defaultLimit is how many children of a set are worked on at a time.
const defaultLimit = 4

// A Set is a step that keeps a set of children of one kind, and the handle
// through which later steps see them. Make one with [EnsureSet]. T is the
// reconciled object, C the children. The chained methods are for setup; after
// that it is safe for concurrent use.
type Set[T, C client.Object] struct {
	engine   engine[T, C]
	desired  func(T) ([]C, error)
	limit    int
	memory   *reconcile.Memo[*slots[C]]
	observed *reconcile.Value[[]*observation[C]]
	err      error
}

// EnsureSet returns a step that keeps exactly the children that desired returns.
// It does for each of them what [Ensure] does for one; what is said there of
// desired, of the name of the step and of errors holds here too.
//
// A child is known by its name, so the name has to come from what it is for, a
// worker's name and not its place in a list. Two of the same name are a terminal
// error, and so is a nil child.
//
// A pass goes in this order:
//
//  1. desired is called. If it fails, the set stays as it is: nothing is applied
//     and nothing is deleted.
//  2. The children are brought into line, several at a time, see [Set.Limit]. One
//     that fails or waits does not keep the others from it.
//  3. Children that this step made and that are not in the set are deleted, with
//     their UID and resourceVersion as preconditions, unless a child of the set
//     could not be applied. One that is ready is not deleted as long as one of the
//     set that is not older is not ready, so that what was renamed serves until its
//     successor does.
//  4. The step waits until all are ready and the others gone. Its message says
//     how many are and names the first that are not, as [reconcile.Tally] does.
//
// Finalize is as for [Ensure].
func EnsureSet[T, C client.Object](desired func(T) ([]C, error)) *Set[T, C] {
	s := &Set[T, C]{
		engine:   engine[T, C]{readiness: readinessOf[C]},
		desired:  desired,
		limit:    defaultLimit,
		memory:   reconcile.NewMemo[*slots[C]](),
		observed: reconcile.NewValue[[]*observation[C]](),
	}
	if desired == nil {
		s.err = errors.New("the function that builds the children is nil")
	}
	s.err = errors.Join(s.err, s.engine.init())
	s.engine.wants = s.wants
	return s
}

// wants returns the children that an object wants.
func (s *Set[T, C]) wants(object T) []C {
	children, err := s.desired(object)
	if err != nil {
		return nil
	}
	return children
}

// Named gives the step its name, as [Child.Named].
func (s *Set[T, C]) Named(name string) *Set[T, C] {
	s.engine.step = name
	return s
}

// Kind gives the apiVersion and kind of unstructured children, as [Child.Kind].
func (s *Set[T, C]) Kind(gvk schema.GroupVersionKind) *Set[T, C] {
	s.err = errors.Join(s.err, s.engine.setKind(gvk))
	return s
}

// ReadyWhen replaces the test of whether a child is ready, as [Child.ReadyWhen].
func (s *Set[T, C]) ReadyWhen(test func(C) Readiness, err ...error) *Set[T, C] {
	s.err = errors.Join(s.err, s.engine.setReadiness(test, err))
	return s
}

// Limit sets how many children are worked on at a time. Defaults to 4.
func (s *Set[T, C]) Limit(n int) *Set[T, C] {
	if n < 1 {
		s.err = errors.Join(s.err, fmt.Errorf("Limit: %d is less than 1", n))
	}
	s.limit = n
	return s
}

// Adopt lets the step take over objects that nobody controls, as [Child.Adopt].
func (s *Set[T, C]) Adopt() *Set[T, C] {
	s.engine.adopt = true
	return s
}

// Recreate lets the step delete a child and make it again, as [Child.Recreate].
func (s *Set[T, C]) Recreate() *Set[T, C] {
	s.engine.recreate = true
	return s
}

// FormerManagers names field managers of old, as [Child.FormerManagers].
func (s *Set[T, C]) FormerManagers(names ...string) *Set[T, C] {
	s.engine.former = append(s.engine.former, names...)
	return s
}

// Detached ties the children to the object without owner references, as
// [Child.Detached].
func (s *Set[T, C]) Detached(finalizer string) *Set[T, C] {
	s.err = errors.Join(s.err, s.engine.setDetached(finalizer))
	return s
}

// Observed returns the children as this pass found or left them, in the order in
// which desired returned them; those that do not exist or belong to somebody
// else are left out. It returns false if the step was held up or failed to build
// the set; to read them where it cannot have run yet is a mistake, see
// [reconcile.Run.Missing]. The children are the caller's to keep and change; they come without
// managedFields.
func (s *Set[T, C]) Observed(run *reconcile.Run[T]) ([]C, bool) {
	seen, ok := s.observed.Get(run)
	if !ok {
		run.Missing(s.engine.step)
		return nil, false
	}
	children := make([]C, 0, len(seen))
	for _, child := range seen {
		if child != nil {
			children = append(children, child.child())
		}
	}
	return children, true
}

// Describe implements [reconcile.Step].
func (s *Set[T, C]) Describe() reconcile.Description {
	about := s.engine.describe("resources.EnsureSet")
	about.Err = errors.Join(about.Err, s.err)
	return about
}

// Finalize implements [reconcile.Step], as [Child.Finalize].
func (s *Set[T, C]) Finalize(ctx context.Context, run *reconcile.Run[T]) (reconcile.Result, error) {
	if !run.Retiring() {
		return s.engine.finalize(ctx, run)
	}
	var all []*slot[C]
	if known, ok := s.memory.Get(run); ok {
		for _, slot := range known.byName {
			all = append(all, slot)
		}
	}
	return s.engine.remove(ctx, run, all...)
}
