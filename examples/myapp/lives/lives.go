package lives

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/testing/faults"
)

const image = "nginxinc/nginx-unprivileged:1.29"

// App returns the MyApp that each life begins with.
func App() *v1.MyApp {
	return &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: v1.MyAppSpec{Image: image}}
}

// RolledOut is the life that has a change of each sort, and is the shortest.
const RolledOut = "changed while it rolls out"

// Interfered is the life in which others change and delete what the operator keeps.
const Interfered = "others interfere"

// All returns the lives by their name.
func All() map[string][]faults.Change {
	named := metav1.ObjectMeta{Name: "web"}
	deployment, service := &appsv1.Deployment{ObjectMeta: named}, &corev1.Service{ObjectMeta: named}
	return map[string][]faults.Change{
		"a whole life": {
			{Name: "new image", Do: merge(App(), `{"spec":{"image":"img:2"}}`)},
			{Name: "scale", Do: merge(App(), `{"spec":{"replicas":3}}`)},
			{Name: "delete", Do: remove(App())},
		},
		RolledOut: {
			{Name: "new image", Do: merge(App(), `{"spec":{"image":"img:2"}}`)},
			{Name: "and back", Do: merge(App(), `{"spec":{"image":"`+image+`"}}`), Early: true},
			{Name: "delete at once", Do: remove(App()), Early: true},
		},
		Interfered: {
			{Name: "the Deployment is changed", Do: merge(deployment, `{"spec":{"replicas":9}}`)},
			{Name: "the Service is deleted", Do: remove(service)},
			{Name: "the Deployment is deleted", Do: remove(deployment)},
			{Name: "somebody labels the Service", Do: merge(service, `{"metadata":{"labels":{"mine":"yes"}}}`)},
		},
	}
}

func merge(object client.Object, body string) func(context.Context, client.Client) error {
	return func(ctx context.Context, user client.Client) error {
		return user.Patch(ctx, object.DeepCopyObject().(client.Object), client.RawPatch(types.MergePatchType, []byte(body)))
	}
}

func remove(object client.Object) func(context.Context, client.Client) error {
	return func(ctx context.Context, user client.Client) error {
		return user.Delete(ctx, object.DeepCopyObject().(client.Object))
	}
}
