package resources_test

import (
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
)

// deploymentInOrder has a list whose items have keys, and quantities that the
// server spells otherwise.
func deploymentInOrder(app *v1.MyApp) (*appsv1.Deployment, error) {
	child, err := desiredDeployment(app)
	container := &child.Spec.Template.Spec.Containers[0]
	container.Env = []corev1.EnvVar{{Name: "A", Value: "1"}, {Name: "B", Value: "$(A)2"}}
	container.Ports = []corev1.ContainerPort{{ContainerPort: 80}}
	container.Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1000m")}
	child.Spec.Template.Spec.NodeSelector = map[string]string{}
	return child, err
}

// exactReordered has somebody put the items of a list in another order, of which
// the entry, which has their keys, tells nothing.
func exactReordered(t *testing.T) {
	b := newBench(t, resources.Ensure(deploymentInOrder).ReadyWhen(alwaysReady))
	b.want("first pass", reconcile.Continue)
	child := b.deployment()
	b.get(child)
	before := child.DeepCopy()
	slices.Reverse(child.Spec.Template.Spec.Containers[0].Env)
	b.update(child)
	if child.Spec.Template.Spec.Containers[0].Env[0].Name != "B" {
		t.Fatal("the order is as before")
	}
	sameEntry(t, before, child)
	b.caughtUp(child)
	b.writes()
	b.want("after the reordering", reconcile.Continue)
	b.wrote("it is repaired", "patch deployments web")
	b.get(child)
	if child.Spec.Template.Spec.Containers[0].Env[0].Name != "A" {
		t.Error("the order was not repaired")
	}
	b.quiet(child)
}

// exactServersForm has defaults, a quantity, the default of a list's key and an
// empty struct, which the server makes something else of.
func exactServersForm(t *testing.T) {
	b := newBench(t, resources.Ensure(deploymentInOrder).ReadyWhen(alwaysReady))
	b.want("first pass", reconcile.Continue)
	child := b.deployment()
	b.get(child)
	container := child.Spec.Template.Spec.Containers[0]
	if container.Ports[0].Protocol != corev1.ProtocolTCP || container.TerminationMessagePath == "" {
		t.Fatalf("the server filled in nothing: %+v", container)
	}
	b.quiet(child)
	child.Labels["theirs"] = "x" // moves the resourceVersion
	b.update(child)
	b.quiet(child)
	b.restart()
	b.quiet(child)
}

// entryOf returns what the step's field manager owns.
func entryOf(object client.Object) string {
	for _, entry := range object.GetManagedFields() {
		if entry.Manager == "test" && entry.Operation == metav1.ManagedFieldsOperationApply {
			return entry.FieldsV1.String()
		}
	}
	return ""
}
