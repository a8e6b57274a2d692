package admission

import (
	"context"
	"strings"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
)

// defaulter fills in what depends on other fields, or on what was written; what
// is always the same is a default of the CRD. Doing it again changes nothing.
type defaulter struct{}

// Default takes white space off the image, as copying leaves there, and starts an
// autoscaler where the app is.
func (defaulter) Default(_ context.Context, app *v1.MyApp) error {
	app.Spec.Image = trim(app.Spec.Image)
	if scaling := app.Spec.Autoscaling; scaling != nil && scaling.MinReplicas == nil && app.Spec.Replicas != nil {
		scaling.MinReplicas = new(max(1, min(*app.Spec.Replicas, scaling.MaxReplicas)))
	}
	return nil
}

func trim(image string) string { return strings.TrimSpace(image) }
