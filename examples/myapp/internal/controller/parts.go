package controller

import (
	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
)

// parts is a step that keeps what an app may have beside its Deployment and
// Service. Each part is there only while it is asked for, and deleted afterwards;
// one that fails does not freeze the others.
func parts() reconcile.Step[*v1.MyApp] {
	return reconcile.All(
		quiet(resources.Ensure(desiredIngress).When(hasIngress)),
		quiet(resources.Ensure(desiredAutoscaler).When(isScaled)),
		quiet(resources.Ensure(desiredBudget).When(hasBudget)),
		quiet(resources.Ensure(desiredNetworkPolicy).When(isGuarded)),
	)
}

// needed is a step that keeps what the pods of an app cannot start without: they
// are not changed before it is there.
func needed(secret reconcile.Step[*v1.MyApp]) reconcile.Step[*v1.MyApp] {
	return reconcile.All(
		quiet(secret),
		quiet(resources.Ensure(desiredConfigMap).When(hasConfig)),
		quiet(resources.Ensure(desiredAccount).When(hasAccount)),
	)
}
