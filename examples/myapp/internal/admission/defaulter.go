package admission

import (
	"context"
	"strings"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
)

// defaulter fills in what depends on other fields, or on what was written; what
// is always the same is a default of the CRD. Doing it again changes nothing.
type defaulter struct{}

// Default takes white space off the image, as copying leaves there.
func (defaulter) Default(_ context.Context, app *v1.MyApp) error {
	app.Spec.Image = strings.TrimSpace(app.Spec.Image)
	return nil
}
