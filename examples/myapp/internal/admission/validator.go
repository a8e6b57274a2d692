package admission

import (
	"context"
	"maps"
	"slices"

	"github.com/distribution/reference"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
)

// validator refuses what the schema of the CRD cannot. An update is judged by
// what it changes only: what is stored may be older than the rule, and has to
// stay changeable, and above all deletable.
type validator struct{}

// ValidateCreate judges all of a new app.
func (validator) ValidateCreate(_ context.Context, app *v1.MyApp) (admission.Warnings, error) {
	return judge(&v1.MyApp{}, app)
}

// ValidateUpdate judges what is new in an app.
func (validator) ValidateUpdate(_ context.Context, old, app *v1.MyApp) (admission.Warnings, error) {
	return judge(old, app)
}

// ValidateDelete lets everything go. The API server does not ask: see the
// configuration.
func (validator) ValidateDelete(context.Context, *v1.MyApp) (admission.Warnings, error) {
	return nil, nil
}

// judge returns everything that is wrong with what is new, as the API server
// would have it for a kind of its own.
func judge(old, app *v1.MyApp) (admission.Warnings, error) {
	spec := field.NewPath("spec")
	var faults field.ErrorList
	var warnings admission.Warnings
	if app.Spec.Image != trim(old.Spec.Image) { // as the defaulter has trimmed it
		warning, fault := judgeImage(app.Spec.Image, spec.Child("image"))
		if fault != nil {
			faults = append(faults, fault)
		}
		if warning != "" {
			warnings = append(warnings, warning)
		}
	}
	for _, label := range slices.Sorted(maps.Keys(app.Spec.NodeSelector)) {
		value := app.Spec.NodeSelector[label]
		if was, ok := old.Spec.NodeSelector[label]; !ok || was != value {
			faults = append(faults, metav1validation.ValidateLabels(map[string]string{label: value}, spec.Child("nodeSelector"))...)
		}
	}
	if len(faults) > 0 {
		return warnings, apierrors.NewInvalid(v1.GroupVersion.WithKind("MyApp").GroupKind(), app.Name, faults)
	}
	return warnings, nil
}

// judgeImage parses an image as a container runtime would, which a pattern
// cannot.
func judgeImage(image string, path *field.Path) (warning string, fault *field.Error) {
	named, err := reference.ParseNormalizedNamed(image)
	if err != nil {
		return "", field.Invalid(path, image, err.Error())
	}
	_, digested := named.(reference.Digested)
	tagged, ok := named.(reference.Tagged)
	if !digested && (!ok || tagged.Tag() == "latest") {
		return path.String() + ": " + image + " is whatever is pushed last; a tag or a digest would say which", nil
	}
	return "", nil
}
