package operator

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/trueup-dev/trueup/reconcile"
	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
)

// validate finds what is wrong with a spec and only its user can mend.
func validate(_ context.Context, run run) (reconcile.Result, error) {
	app := run.Object()
	err := clash(servicePorts(app, "http"))
	if app.Spec.Image == "" {
		err = errors.Join(errors.New("spec.image is empty"), err)
	}
	return reconcile.Continue, reconcile.WithReason("InvalidSpec", reconcile.Terminal(err))
}

// clash returns an error if two ports of a Service cannot be in it together.
func clash(ports []corev1.ServicePort) error {
	for i, port := range ports {
		for _, other := range ports[:i] {
			if other.Name == port.Name || other.Port == port.Port {
				return fmt.Errorf("spec.extraPorts: port %s (%d) clashes with port %s (%d)", port.Name, port.Port, other.Name, other.Port)
			}
		}
	}
	return nil
}

// labels are those of everything that an app has.
func labels(app *v1.MyApp) map[string]string {
	return map[string]string{"managed-by": "myapp", "instance": app.Name}
}

// propagated are the annotations that children have from their app.
func propagated(app *v1.MyApp) map[string]string {
	if team, ok := app.Annotations["team"]; ok {
		return map[string]string{"team": team}
	}
	return nil
}
