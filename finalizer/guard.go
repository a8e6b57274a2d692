package finalizer

import (
	"errors"
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
)

// guard is the finalizer of a step.
type guard[T client.Object] struct {
	finalizer string
	former    []string
	wanted    func(T) bool // nil for always
	err       error
}

func (g *guard[T]) when(wanted func(T) bool) {
	if wanted == nil {
		g.err = errors.Join(g.err, errors.New("When: the function is nil"))
	}
	g.wanted = wanted
}

// name returns the name of the step: what stands after the slash.
func (g *guard[T]) name() string {
	return g.finalizer[strings.LastIndex(g.finalizer, "/")+1:]
}

// describe returns what a step with a finalizer says of itself.
func (g *guard[T]) describe(kind string) reconcile.Description {
	about := reconcile.Description{
		Name:             g.name(),
		Kind:             kind,
		Finalizers:       []string{g.finalizer},
		FormerFinalizers: g.former,
		Err:              g.err,
	}
	if g.wanted != nil {
		about.FinalizersWhen = func(object client.Object) bool { return g.needed(object.(T)) }
		about.Unwanted = func(object client.Object) bool { return !g.needed(object.(T)) }
	}
	return about
}

// needed reports whether an object has something to guard.
func (g *guard[T]) needed(object T) bool { return g.wanted == nil || g.wanted(object) }

// held reports whether an object has the finalizer, under any of its names.
func (g *guard[T]) held(object T) bool {
	return slices.ContainsFunc(object.GetFinalizers(), func(name string) bool {
		return name == g.finalizer || slices.Contains(g.former, name)
	})
}
