package controller_test

import (
	"context"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/guide/api/v1"
	"github.com/trueup-dev/trueup/examples/guide/internal/cdn"
	"github.com/trueup-dev/trueup/examples/guide/internal/controller"
	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/steptest"
)

func TestMain(m *testing.M) {
	options := cluster.Full() // with the controllers of Deployments, a scheduler and nodes
	options.CRDPaths = []string{definition}
	cluster.Main(m, options)
}

// A site comes up on a real Kubernetes, rolls out new pages, and is taken down.
func TestOnACluster(t *testing.T) {
	scheme, err := scheme()
	if err != nil {
		t.Fatal(err)
	}
	env := cluster.Shared(t)
	namespace, world := env.Namespace(t), &cdn.CDN{}
	mgr := steptest.NewManager(t, env.Config(), scheme, namespace)
	if err := controller.NewPipeline(world).SetupWithManager(mgr); err != nil {
		t.Fatal(err)
	}
	steptest.StartManager(t, mgr)

	user, err := client.New(env.Config(), client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	home := site()
	home.Namespace = namespace
	if err := user.Create(t.Context(), home); err != nil {
		t.Fatal(err)
	}
	await(t, user, home, func() bool { return ready(home) && home.Status.ReadyReplicas == 1 })
	deployment := &appsv1.Deployment{}
	deployment.Namespace, deployment.Name = namespace, home.Name
	await(t, user, deployment, func() bool { return deployment.Generation == 1 })

	home.Spec.Pages["index.html"] = "Hello again"
	if err := user.Update(t.Context(), home); err != nil {
		t.Fatal(err)
	}
	await(t, user, deployment, func() bool { return deployment.Generation == 2 }) // its pods start anew
	await(t, user, home, func() bool { return ready(home) })

	if err := user.Delete(t.Context(), home); err != nil {
		t.Fatal(err)
	}
	await(t, user, home, nil)
	if sites := world.Sites(); len(sites) > 0 {
		t.Errorf("the world still sees %v", sites)
	}
}

// ready reports whether a site says of its latest generation that all is well.
func ready(site *v1.Website) bool {
	return site.Status.ObservedGeneration == site.Generation && meta.IsStatusConditionTrue(site.Status.Conditions, "Ready")
}

// await waits until an object is as it should be, or with nil until it is gone.
func await(t *testing.T, user client.Client, object client.Object, done func() bool) {
	t.Helper()
	err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		err := user.Get(ctx, client.ObjectKeyFromObject(object), object)
		if done == nil {
			return err != nil, client.IgnoreNotFound(err)
		}
		return err == nil && done(), err
	})
	if err != nil {
		t.Fatalf("%v; it is %+v", err, object)
	}
}
