// Package admission answers the API server before a MyApp is stored: it fills in
// what a constant default cannot, and refuses what the schema of the CRD cannot
// tell from what is right. It also converts between the versions of the API.
//
// What it says must also be true without it: a MyApp that was stored while the
// webhook was not installed, or by an older operator, is judged again by the API
// server when the Deployment is applied.
package admission

import (
	"fmt"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/conversion"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	v2 "github.com/trueup-dev/trueup/examples/myapp/api/v2"
)

// The configurations below are for v1. A request in another version is converted
// for them by the API server, as matchPolicy=Equivalent has it.
//
// Without the defaulter a MyApp still means what it says, so it is no reason to
// refuse one. Without the validator nothing is let in.
//
// +kubebuilder:webhook:path=/mutate-apps-example-com-v1-myapp,mutating=true,failurePolicy=ignore,matchPolicy=Equivalent,sideEffects=None,groups=apps.example.com,resources=myapps,verbs=create;update,versions=v1,name=default.myapp.apps.example.com,admissionReviewVersions=v1,timeoutSeconds=5,reinvocationPolicy=IfNeeded
// +kubebuilder:webhook:path=/validate-apps-example-com-v1-myapp,mutating=false,failurePolicy=fail,matchPolicy=Equivalent,sideEffects=None,groups=apps.example.com,resources=myapps,verbs=create;update,versions=v1,name=validate.myapp.apps.example.com,admissionReviewVersions=v1,timeoutSeconds=5

// SetupWithManager has the webhook server of the manager default, validate and
// convert MyApps.
func SetupWithManager(mgr ctrl.Manager) error {
	converter := conversion.NewHubSpokeConverter(&v1.MyApp{}, conversion.NewSpokeConverter(&v2.MyApp{}, v2.FromV1, v2.ToV1))
	err := ctrl.NewWebhookManagedBy(mgr, &v1.MyApp{}).
		WithDefaulter(defaulter{}).
		WithValidator(validator{}).
		WithConverter(converter).
		Complete()
	if err != nil {
		return fmt.Errorf("set up webhooks: %w", err)
	}
	return nil
}
