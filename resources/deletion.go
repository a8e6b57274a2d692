package resources

import (
	"errors"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
)

// A DeletionPolicy says what becomes of a child that its owner does not want any
// more: because the owner is deleted, because [Child.When] turned false or the
// child is not in a [Set] any more, or because it has another name now.
type DeletionPolicy string

const (
	// Background deletes the child, and what it owns after it. This is the default.
	// When the owner is deleted it is left to the garbage collector, unless the
	// step has a finalizer: then the step deletes the child and waits until a read
	// past the cache confirms it gone, before the steps before it are undone.
	Background DeletionPolicy = "background"

	// Foreground deletes the child after what it owns, the pods of a Deployment for
	// example, and waits until a read past the cache confirms it gone. A person who
	// deletes the owner with its dependents orphaned has the last word, as far as
	// children with an owner reference go.
	Foreground DeletionPolicy = "foreground"

	// Orphan leaves the child behind as if a person had made it: the owner reference,
	// the marks of this library and the ownership of fields are taken off, in one
	// write, and nothing else is. A step that wants the child back needs [Child.Adopt].
	Orphan DeletionPolicy = "orphan"

	// Keep leaves the child for its owner's return: only what would make it go with
	// the owner is taken off, in one write. The same step of an owner of the same
	// namespace and name takes it up again, without [Child.Adopt]. It is for what
	// holds data.
	Keep DeletionPolicy = "keep"
)

// OnDelete sets what becomes of the child when it is not wanted any more. A policy
// other than [Background] needs a finalizer, because the garbage collector knows
// only of that one: see [Child.Finalizer]; without one it is refused at setup.
//
// A deletion of the owner in the foreground, which a person can ask for, has the
// garbage collector delete children with an owner reference before any finalizer
// is heard. What must be left behind whatever a person says is better [Child.Detached].
func (c *Child[T, C]) OnDelete(policy DeletionPolicy) *Child[T, C] {
	c.engine.policy = policy
	return c
}

// Finalizer has the step see to the child itself when the object is deleted, as
// [Child.OnDelete] says, instead of the garbage collector, before the object goes.
// The object gets the given finalizer for it, a domain and a name of the step's
// own; with [Child.When], only objects that want the child. A Detached child has
// one already. Defaults to none.
func (c *Child[T, C]) Finalizer(name string) *Child[T, C] {
	c.err = errors.Join(c.err, c.engine.setFinalizer(name))
	return c
}

// FormerlyNamed gives names that the step had in earlier versions of the
// operator: children that are marked with one of them are the step's, and are
// marked with its present name when they are applied. For a child of a step that
// is not there any more see [Retire].
func (c *Child[T, C]) FormerlyNamed(names ...string) *Child[T, C] {
	c.engine.oldNames = append(c.engine.oldNames, names...)
	return c
}

// OnDelete sets what becomes of children that are not wanted any more, as
// [Child.OnDelete].
func (s *Set[T, C]) OnDelete(policy DeletionPolicy) *Set[T, C] {
	s.engine.policy = policy
	return s
}

// Finalizer has the step see to its children when the object is deleted, as
// [Child.Finalizer].
func (s *Set[T, C]) Finalizer(name string) *Set[T, C] {
	s.err = errors.Join(s.err, s.engine.setFinalizer(name))
	return s
}

// FormerlyNamed gives names that the step had once, as [Child.FormerlyNamed].
func (s *Set[T, C]) FormerlyNamed(names ...string) *Set[T, C] {
	s.engine.oldNames = append(s.engine.oldNames, names...)
	return s
}

func (e *engine[T, C]) setFinalizer(name string) error {
	if name == "" {
		return errors.New("Finalizer: the name is empty")
	}
	e.guard = name
	return nil
}

// endFaults returns what is wrong with how the step was told to end its children.
func (e *engine[T, C]) endFaults() error {
	switch e.policy {
	case "", Background:
	case Foreground, Orphan, Keep:
		if e.finalizer() == "" {
			return fmt.Errorf("OnDelete: %s needs a Finalizer: without one the garbage collector deletes the child in the background", e.policy)
		}
	default:
		return fmt.Errorf("OnDelete: there is no policy %q", e.policy)
	}
	if e.guard != "" && e.detached != "" {
		return errors.New("Finalizer: the step has the finalizer of its detached children")
	}
	return nil
}

// finalizer returns the finalizer by which the step sees to the end of its
// children, "" if the garbage collector does.
func (e *engine[T, C]) finalizer() string {
	if e.detached != "" {
		return e.detached
	}
	return e.guard
}

// isHeld reports whether the object has the step's finalizer.
func (e *engine[T, C]) isHeld(run *reconcile.Run[T]) bool {
	name := e.finalizer()
	return name != "" && slices.Contains(run.Object().GetFinalizers(), name)
}

// leaves reports whether children that are not wanted are left behind.
func (e *engine[T, C]) leaves() bool { return e.policy == Orphan || e.policy == Keep }

// propagation returns how children are deleted.
func (e *engine[T, C]) propagation() client.PropagationPolicy {
	if e.policy == Foreground {
		return client.PropagationPolicy(metav1.DeletePropagationForeground)
	}
	return client.PropagationPolicy(metav1.DeletePropagationBackground)
}

// marks returns the values of StepLabel that the step's children may have: the
// present one first.
func (e *engine[T, C]) marks(run *reconcile.Run[T]) []string {
	marks := make([]string, 0, 1+len(e.oldNames))
	marks = append(marks, e.mark(run))
	for _, name := range e.oldNames {
		marks = append(marks, run.Mark(name))
	}
	return marks
}

// isMarked reports whether an object has the mark of the step.
func (e *engine[T, C]) isMarked(run *reconcile.Run[T], object client.Object) bool {
	label := object.GetLabels()[StepLabel]
	if label == "" {
		return false
	}
	return label == e.mark(run) || len(e.oldNames) > 0 && slices.Contains(e.marks(run), label)
}

// isKept reports whether an object is what the step kept for an owner of this
// name.
func (e *engine[T, C]) isKept(run *reconcile.Run[T], object client.Object) bool {
	return e.policy == Keep && e.isMarked(run, object) &&
		metav1.GetControllerOfNoCopy(object) == nil && object.GetLabels()[OwnerUIDLabel] == "" &&
		object.GetAnnotations()[OwnerAnnotation] == client.ObjectKeyFromObject(run.Object()).String()
}
