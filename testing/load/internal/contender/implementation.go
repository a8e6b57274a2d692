package contender

import (
	"fmt"
	"slices"

	ctrl "sigs.k8s.io/controller-runtime"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trueup-dev/trueup/reconcile"
)

// An Implementation is one way to write the operator.
type Implementation struct {
	// Name is what results are filed under.
	Name string
	// Make returns the reconciler of MyApps, which works through the manager's
	// clients, and what it remembers between passes, nil for nothing. The caller
	// makes the controller: it is woken by MyApps and by the Deployments and
	// Services that they control, whoever the contender is.
	Make func(ctrl.Manager) (ctrlreconcile.Reconciler, *reconcile.Memory, error)
}

// Named returns the implementations of these names, in the order of [All].
func Named(names ...string) ([]Implementation, error) {
	var named []Implementation
	for _, implementation := range All() {
		if slices.Contains(names, implementation.Name) {
			named = append(named, implementation)
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(named, func(i Implementation) bool { return i.Name == name }) {
			return nil, fmt.Errorf("there is no implementation %q", name)
		}
	}
	return named, nil
}

// Trueup is the name of the implementation that the others are there to be
// compared with.
const Trueup = "trueup"

// All returns the implementations in the order in which results are shown.
func All() []Implementation {
	return []Implementation{
		{Name: Trueup, Make: newTrueup},
		{Name: "createorupdate", Make: newCreateOrUpdate},
		{Name: "apply", Make: newApply},
	}
}
