package resources

import (
	"context"
	"fmt"
	"reflect"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/trueup-dev/trueup/reconcile"
)

// engine keeps children of one kind as they are wanted: it is what all steps
// that have children share. It never changes after setup.
type engine[T, C client.Object] struct {
	step      string // the name of the step, by which children are marked
	prototype C      // zero if C is not a pointer to a struct
	builtIn   bool   // C is a type of Kubernetes' own API
	readiness func(C) Readiness

	wants func(T) []C // the children that an object wants, nil if that fails

	// build is the author's function of one child, which depends on more than the
	// object if there is no wants.
	build func(T, *reconcile.Run[T]) (C, error)

	adopt    bool     // take over what has no controller
	recreate bool     // delete and make again what cannot be changed
	former   []string // field managers of old whose fields are taken over
	detached string   // the finalizer that takes the place of owner references, "" for none
	shared   bool     // hold a part of what others hold too

	fieldManager string // of the step, "" for the pipeline's

	policy   DeletionPolicy // "" for Background
	guard    string         // the finalizer of a step that sees to the end of its children, "" for none
	oldNames []string       // of the step, in earlier versions
	ifWanted bool           // only objects that want children have the finalizer
}

// slot is what a step remembers of one child.
type slot[C client.Object] struct {
	record   *record[C] // of the last apply, nil if there is none
	troubled *troubles  // nil if there are none

	// before has the records of the names that the child had, until there is
	// certainly nothing left of them. Few children ever have another name.
	before *renamed[C]

	// swept says that this process has made sure that there is no child of
	// another name, from before the child was renamed.
	swept bool
}

// renamed is the record of a name that a child had, and of those before.
type renamed[C client.Object] struct {
	record *record[C]
	before *renamed[C]
}

// keep brings one child to what is wanted, in the order that [Ensure] tells. It
// returns the child too unless it is none of ours.
func (e *engine[T, C]) keep(
	ctx context.Context, run *reconcile.Run[T], slot *slot[C], desired C,
) (reconcile.Result, *observation[C], error) {
	want, err := e.intend(run, desired)
	if err != nil {
		return reconcile.Result{}, nil, err
	}
	if err := e.reserve(run, want); err != nil {
		return reconcile.Result{}, nil, err
	}
	live, err := e.look(ctx, run, slot, want)
	if meta.IsNoMatchError(err) {
		return e.notInstalled(), nil, nil
	}
	if err != nil {
		return reconcile.Result{}, nil, err
	}
	if live == nil && e.shared {
		if maker := e.maker(run, want); maker != "" {
			return e.shareWithMaker(ctx, run, slot, want, maker)
		}
	}
	if live == nil && e.detached != "" {
		if result, ends, err := e.ownerEnds(ctx, run, want.String()+" is not made"); ends || err != nil {
			return result, nil, err
		}
	}
	return e.converge(ctx, run, slot, want, live)
}

// notInstalled is the outcome where the server does not know the kind of the
// child. The pipeline watches the kind when it appears, which wakes nobody until
// there is one of it, so that the step looks by itself.
func (e *engine[T, C]) notInstalled() reconcile.Result {
	return reconcile.Wait("KindNotInstalled", "the API server does not know the kind "+e.kindName()).After(lookForKind)
}

// lookForKind is how often a step looks whether its kind is there.
const lookForKind = 10 * time.Second

// converge brings an existing child, or none, to what is wanted.
func (e *engine[T, C]) converge(
	ctx context.Context, run *reconcile.Run[T], slot *slot[C], want *intent[C], live *observation[C],
) (reconcile.Result, *observation[C], error) {
	for attempt := 1; ; attempt++ {
		found := unknown
		if live != nil && slot.record.isSettled(want, live.shared) {
			run.Skipped(reconcile.SkipSameVersion)
			slot.settle(run.Now)
			return e.judged(run, slot.record, live)
		}
		if live != nil {
			if result, blocked, err := e.blocked(ctx, run, live.shared); blocked || err != nil {
				return result, nil, err
			}
			before, version := slot.record, slot.record.at()
			var err error
			if found, err = e.compare(run, slot, want, live.shared); err != nil {
				return reconcile.Result{}, nil, fmt.Errorf("compare %s: %w", want, err)
			}
			if found == asWanted {
				skipped(run, before, version, live.shared)
				if e.shared || e.owns(run.Object().GetUID(), live.shared) {
					slot.record.clear()
				}
				slot.settle(run.Now)
				return e.judged(run, slot.record, live)
			}
			if found == hidden && attempt == 1 && slot.pause(run.Now()) > 0 {
				// Past the cache nothing is dropped: it tells whether there is anything to
				// repair, and who it is that interferes.
				if live, err = e.lookLive(ctx, run, slot, want.key); err != nil {
					return reconcile.Result{}, nil, err
				}
				continue
			}
			result, wait, err := e.damp(ctx, run, slot, want, live.shared, found)
			if wait || err != nil {
				return result, live, err
			}
		}
		if last := slot.wasRefused(run.Object(), want, live, run.Now()); last != nil {
			return last.result, nil, last.err
		}
		if found == hidden {
			live = &observation[C]{shared: live.shared, exactly: true}
		}
		answer, err := e.applyOver(ctx, run, slot, want, live)
		if err == nil {
			return e.applied(run, slot, want, live, found, answer)
		}
		if e.recreate && live != nil && isImmutable(err) && !isRace(err) {
			result, err := e.replace(ctx, run, slot, want, live, err)
			return result, nil, err
		}
		if !isRace(err) || attempt == attempts {
			result, err := slot.refused(run.Object(), want, live, run.Now(), err)
			return result, nil, err
		}
		// The cache was behind: what it showed is not what is there.
		if live, err = e.lookLive(ctx, run, slot, want.key); err != nil {
			return reconcile.Result{}, nil, err
		}
	}
}

// applied remembers the answer to an apply, and that it was a repair if it was.
func (e *engine[T, C]) applied(
	run *reconcile.Run[T], slot *slot[C], want *intent[C], live *observation[C], found state, answer C,
) (reconcile.Result, *observation[C], error) {
	known, err := newRecord(want, answer, e.manager(run))
	if err != nil {
		return reconcile.Result{}, nil, fmt.Errorf("remember %s: %w", want, err)
	}
	slot.record = known
	if found == changed || found == hidden && answer.GetResourceVersion() != live.shared.GetResourceVersion() {
		slot.repaired(run.Now())
	}
	return e.judged(run, known, share(answer))
}

// compare says what is known of an existing child.
func (e *engine[T, C]) compare(run *reconcile.Run[T], slot *slot[C], want *intent[C], live C) (state, error) {
	if slot.record == nil {
		known, err := e.recognise(run, want, live)
		if err != nil {
			return unknown, err
		}
		slot.record = known
	}
	return slot.record.compare(want, live, e.manager(run))
}

// attempts bounds the tries within a pass. Every one but the first starts from
// a read past the cache.
const attempts = 3

// look returns the child as the cache has it, or as this step last saw it where
// the cache is behind that, or nil if there is none.
func (e *engine[T, C]) look(
	ctx context.Context, run *reconcile.Run[T], slot *slot[C], want *intent[C],
) (*observation[C], error) {
	cached := e.empty(want.key)
	err := run.Peek(ctx, want.key, cached)
	if err != nil && !apierrors.IsNotFound(err) {
		return nil, fmt.Errorf("read %s: %w", want, err)
	}
	found := err == nil
	if slot.record != nil && slot.record.key != want.key { // the child was renamed
		slot.before = &renamed[C]{record: slot.record, before: slot.before}
		slot.record, slot.swept = nil, false
	}
	switch {
	case slot.record == nil && !found:
		return nil, nil
	case slot.record == nil:
		return share(cached), nil
	case !found:
		// Either the cache has not seen it yet, or it was deleted.
		return e.lookLive(ctx, run, slot, want.key)
	case slot.record.isAheadOf(cached):
		return share(slot.record.applied), nil
	}
	slot.record.caughtUp()
	return share(cached), nil
}

// lookLive reads a child past the cache; nil means that there is none.
func (e *engine[T, C]) lookLive(
	ctx context.Context, run *reconcile.Run[T], slot *slot[C], key client.ObjectKey,
) (*observation[C], error) {
	live := e.empty(key)
	if err := run.Live().Get(ctx, key, live); err != nil {
		if apierrors.IsNotFound(err) {
			slot.record = nil
			return nil, nil
		}
		return nil, fmt.Errorf("read %s: %w", e.named(live), err)
	}
	return share(live), nil
}

// judged returns the child, also if the test of whether it is ready panics, with
// what the test says.
func (e *engine[T, C]) judged(
	run *reconcile.Run[T], known *record[C], child *observation[C],
) (result reconcile.Result, seen *observation[C], err error) {
	seen = child
	defer reconcile.Recover(&err)
	return e.judge(run, known, child), seen, nil
}

// judge says whether the child is ready.
func (e *engine[T, C]) judge(run *reconcile.Run[T], known *record[C], child *observation[C]) reconcile.Result {
	ready := known.readiness(child, e.test(run))
	if ready.Ready {
		return reconcile.Continue
	}
	result := reconcile.Wait(ready.Reason, ready.Message)
	if ready.Failed {
		return result.Stalled()
	}
	return result
}

// test returns the test of readiness, for a copy of the child. Typed objects
// come without their kind, which it may go by.
func (e *engine[T, C]) test(run *reconcile.Run[T]) func(C) Readiness {
	return func(copied C) Readiness {
		if gvk, err := apiutil.GVKForObject(e.prototype, run.Scheme()); err == nil {
			copied.GetObjectKind().SetGroupVersionKind(gvk)
		}
		return e.readiness(copied)
	}
}

// empty returns a child that has only a name.
func (e *engine[T, C]) empty(key client.ObjectKey) C {
	var child C
	if _, ok := any(e.prototype).(runtime.Unstructured); ok {
		child = e.prototype.DeepCopyObject().(C)
	} else {
		child = reflect.New(reflect.TypeFor[C]().Elem()).Interface().(C)
	}
	child.SetNamespace(key.Namespace)
	child.SetName(key.Name)
	return child
}
