package finalizer

import (
	"context"
	"errors"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
)

// FuncStep guards an external effect. Make one with [Func].
type FuncStep[T client.Object] struct {
	guard   guard[T]
	release reconcile.Action[T]
	acquire reconcile.Action[T]
}

// Func returns a step that keeps the finalizer of the given name on the object
// and calls release when the object is deleted:
//
//	finalizer.Func("apps.example.com/dns", releaseDNS).Acquire(acquireDNS)
//
// The pipeline persists the finalizer before any of its steps runs, so that no
// effect goes unguarded, and removes it when this step, and with it every other,
// has released what it holds.
//
// release is called once the steps after this one are undone. It returns
// [reconcile.Continue] when nothing is left to release, which includes that
// there never was anything: it is called again after a crash, and also after it
// returned Continue while other steps are still at it. Any other outcome, and
// any error, keeps the object; [reconcile.Wait] with After polls. It sees the
// object as it is now: find the effect by what cannot change, such as the UID, and
// not by a field of the spec, or let acquire release what is not wanted any more.
//
// The name is a domain and a name. It must stay the same over the versions of an
// operator, unless the old one is named with [FuncStep.FormerNames], or objects
// keep the old one for ever. What stands after the slash is the step's name. The step has a condition only if it acquires something.
func Func[T client.Object](name string, release reconcile.Action[T]) *FuncStep[T] {
	return &FuncStep[T]{guard: guard[T]{finalizer: name}, release: release}
}

// Acquire sets what brings the effect about. It is called in every pass over an
// object that is not being deleted, after the finalizer was persisted, and has
// to be idempotent. Where it finds that it has to bring something about, let it ask
// [reconcile.Run.Confirm] first: the cache of a process that has just started may
// show an object that is long gone. Defaults to nothing: the effect comes about elsewhere.
func (s *FuncStep[T]) Acquire(acquire reconcile.Action[T]) *FuncStep[T] {
	s.acquire = acquire
	return s
}

// When says which objects have an effect to guard. Others get no finalizer; one
// that has it and does not need it any more is released, in each pass until
// release returns [reconcile.Continue], and then loses it. Defaults to all.
func (s *FuncStep[T]) When(needed func(T) bool) *FuncStep[T] {
	s.guard.when(needed)
	return s
}

// FormerNames are names that the finalizer had in earlier versions of the
// operator. An object that has one of them is released like any other when it is
// deleted; otherwise it gets the present name instead, in one write.
func (s *FuncStep[T]) FormerNames(names ...string) *FuncStep[T] {
	s.guard.former = append(s.guard.former, names...)
	return s
}

// Describe implements [reconcile.Step].
func (s *FuncStep[T]) Describe() reconcile.Description {
	about := s.guard.describe("finalizer.Func")
	if s.acquire != nil {
		about.Condition = reconcile.ConditionType(about.Name)
	}
	if s.release == nil {
		about.Err = errors.Join(about.Err, errors.New("the function that releases is nil"))
	}
	return about
}

// Reconcile implements [reconcile.Step]: it acquires, or releases what is not
// needed any more.
func (s *FuncStep[T]) Reconcile(ctx context.Context, run *reconcile.Run[T]) (reconcile.Result, error) {
	switch {
	case !s.guard.needed(run.Object()):
		if !s.guard.held(run.Object()) {
			return reconcile.Continue, nil
		}
		return s.release(ctx, run)
	case s.acquire == nil:
		return reconcile.Continue, nil
	}
	return s.acquire(ctx, run)
}

// Finalize implements [reconcile.Step]: it releases, unless the object is one
// that never needed the finalizer.
func (s *FuncStep[T]) Finalize(ctx context.Context, run *reconcile.Run[T]) (reconcile.Result, error) {
	if (s.guard.wanted != nil || run.Retiring()) && !s.guard.held(run.Object()) {
		return reconcile.Continue, nil
	}
	return s.release(ctx, run)
}
