package resources_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
)

// A kind that is missing in the scheme is owned, accessed, watched and indexed,
// by two steps, and has to be added once.
func TestAKindThatTheSchemeLacksIsToldOnce(t *testing.T) {
	for name, test := range map[string]struct {
		add  func(*runtime.Scheme) error
		want string
	}{
		"the child's": {v1.AddToScheme, `pipeline "test": step "ConfigMap": owned kind: no kind is registered for the type v1.ConfigMap`},
		"the owner's": {corev1.AddToScheme, `pipeline "test": the reconciled type: no kind is registered for the type v1.MyApp`},
	} {
		t.Run(name, func(t *testing.T) {
			scheme := runtime.NewScheme()
			if err := test.add(scheme); err != nil {
				t.Fatal(err)
			}
			pipeline := reconcile.NewPipeline("test", resources.Ensure(desiredConfigMap), resources.Ensure(desiredConfigMap).Named("other"))
			err := pipeline.Setup(reconcile.Environment{Client: fake.NewClientBuilder().WithScheme(scheme).Build()})
			if err == nil || !strings.HasPrefix(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("err = %v\nwant one line: %s", err, test.want)
			}
		})
	}
}
