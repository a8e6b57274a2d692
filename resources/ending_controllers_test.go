package resources_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/finalizer"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
	"github.com/trueup-dev/trueup/status"
	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/steptest"
)

// collected is a namespace of a cluster with the real garbage collector, and an
// operator that runs in it.
type collected struct {
	*testing.T
	client.Client
	requests  *steptest.Requests
	namespace string
	app       *v1.MyApp
}

func startCollector(t *testing.T) *cluster.Cluster {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	whole, err := cluster.Start(ctx, cluster.Options{
		Controllers: true, CRDPaths: []string{"../examples/myapp/config/crd/bases"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := whole.Stop(); err != nil {
			t.Error(err)
		}
	})
	return whole
}

func operate(t *testing.T, whole *cluster.Cluster, name string, steps ...reconcile.Step[*v1.MyApp]) *collected {
	t.Helper()
	c := &collected{T: t, requests: &steptest.Requests{}, namespace: whole.Namespace(t)}
	var err error
	if c.Client, err = client.New(whole.Config(), client.Options{Scheme: scheme(t)}); err != nil {
		t.Fatal(err)
	}
	mgr := steptest.NewManager(t, c.requests.Attach(whole.Config()), scheme(t), c.namespace)
	steps = append(steps, status.Summarize(func(app *v1.MyApp) *[]metav1.Condition { return &app.Status.Conditions }))
	if err := reconcile.NewPipeline(name, steps...).SetupWithManager(mgr); err != nil {
		t.Fatal(err)
	}
	steptest.StartManager(t, mgr)
	c.app = &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: c.namespace}, Spec: v1.MyAppSpec{Image: "img:1"}}
	if err := c.Create(t.Context(), c.app); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *collected) named(object client.Object) client.Object {
	object.SetNamespace(c.namespace)
	object.SetName("web")
	return object
}

// there waits until an object is there, and gone until it is not.
func (c *collected) there(object client.Object) {
	c.Helper()
	c.until("is not there", func(ctx context.Context) error {
		return c.Get(ctx, client.ObjectKeyFromObject(object), object)
	}, func(err error) bool { return err == nil })
}

func (c *collected) gone(object client.Object) {
	c.Helper()
	c.until("is still there", func(ctx context.Context) error {
		return c.Get(ctx, client.ObjectKeyFromObject(object), object)
	}, apierrors.IsNotFound)
}

func (c *collected) until(what string, look func(context.Context) error, met func(error) bool) {
	c.Helper()
	var last error
	err := wait.PollUntilContextTimeout(c.Context(), 20*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		last = look(ctx)
		return met(last), nil
	})
	if err != nil {
		c.Fatalf("it %s: %v, %v", what, err, last)
	}
}

// settled waits until the operator sends nothing more.
func (c *collected) settled() {
	c.Helper()
	ctx, cancel := context.WithTimeout(c.Context(), time.Minute)
	defer cancel()
	if _, err := c.requests.Quiet(ctx, steptest.Request.Write); err != nil {
		c.Fatal(err)
	}
}

// collectedOnce checks that the garbage collector has dealt with the owner: it
// deletes a witness that has nothing but an owner reference to it.
func (c *collected) collectedOnce() func() {
	c.Helper()
	witness := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Name: "witness", Namespace: c.namespace,
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(c.app, v1.GroupVersion.WithKind("MyApp"))},
	}}
	if err := c.Create(c.Context(), witness); err != nil {
		c.Fatal(err)
	}
	return func() { c.Helper(); c.gone(witness) }
}

// What the real garbage collector makes of each policy.
func TestDeletionWithTheGarbageCollector(t *testing.T) {
	whole := startCollector(t)
	t.Run("an orphaning deletion is not undone (C33)", func(t *testing.T) {
		released := make(chan struct{}, 10)
		c := operate(t, whole, "orphaning",
			finalizer.Func("apps.example.com/dns", func(context.Context, *reconcile.Run[*v1.MyApp]) (reconcile.Result, error) {
				released <- struct{}{}
				return reconcile.Continue, nil
			}),
			resources.Ensure(desiredConfigMap).OnDelete(resources.Foreground).Finalizer(guard).Adopt(),
			resources.Ensure(desiredService),
		)
		children := []client.Object{c.named(&corev1.ConfigMap{}), c.named(&corev1.Service{})}
		for _, child := range children {
			c.there(child)
		}
		c.settled()
		c.requests.Reset()
		if err := c.Delete(t.Context(), c.app, client.PropagationPolicy(metav1.DeletePropagationOrphan)); err != nil {
			t.Fatal(err)
		}
		c.gone(c.app)
		c.settled()
		for _, request := range c.requests.Writes() {
			if request.Resource != "myapps" && request.Resource != "myapps/status" {
				t.Errorf("%s: the children are the collector's to orphan", request)
			}
		}
		for _, child := range children {
			was := child.GetUID()
			c.there(child)
			if child.GetUID() != was || len(child.GetOwnerReferences()) != 0 || child.GetDeletionTimestamp() != nil {
				t.Errorf("%T: references %v", child, child.GetOwnerReferences())
			}
		}
		if len(released) != 1 {
			t.Errorf("released %d times, want once", len(released))
		}
	})
	for policy, ties := range map[resources.DeletionPolicy][]string{resources.Orphan: nil, resources.Keep: {resources.StepLabel}} {
		t.Run(string(policy)+": the collector does not take what was left behind", func(t *testing.T) {
			c := operate(t, whole, string(policy), resources.Ensure(desiredConfigMap).OnDelete(policy).Finalizer(guard))
			child := c.named(&corev1.ConfigMap{})
			c.there(child)
			was := child.GetUID()
			collected := c.collectedOnce()
			if err := c.Delete(t.Context(), c.app); err != nil {
				t.Fatal(err)
			}
			c.gone(c.app)
			collected()
			c.there(child)
			var labels []string
			for label := range child.GetLabels() {
				labels = append(labels, label)
			}
			slices.Sort(labels)
			if child.GetUID() != was || child.GetDeletionTimestamp() != nil || !slices.Equal(labels, ties) {
				t.Errorf("it is going, or was made again, or has the labels %v", labels)
			}
		})
	}
	t.Run("foreground: what a child owns goes before the owner", func(t *testing.T) {
		c := operate(t, whole, "foreground", resources.Ensure(desiredDeployment).OnDelete(resources.Foreground).Finalizer(guard))
		c.until("has no ReplicaSet", func(ctx context.Context) error {
			return c.left(ctx, 1)
		}, func(err error) bool { return err == nil })
		c.there(c.app)
		if err := c.Delete(t.Context(), c.app); err != nil {
			t.Fatal(err)
		}
		c.gone(c.app)
		if err := c.left(t.Context(), 0); err != nil {
			t.Errorf("the owner is gone, and %v", err)
		}
	})
	t.Run("a namespace goes with all that is in it (C63)", func(t *testing.T) {
		c := operate(t, whole, "namespace",
			finalizer.Func("apps.example.com/dns", func(context.Context, *reconcile.Run[*v1.MyApp]) (reconcile.Result, error) {
				return reconcile.Continue, nil
			}),
			resources.Ensure(desiredConfigMap).OnDelete(resources.Foreground).Finalizer(guard))
		c.there(c.named(&corev1.ConfigMap{}))
		c.settled()
		c.requests.Reset()
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: c.namespace}}
		if err := c.Delete(t.Context(), namespace); err != nil {
			t.Fatal(err)
		}
		c.gone(namespace)
		var applies []string
		for _, request := range c.requests.Writes() {
			if request.Apply {
				applies = append(applies, request.String())
			}
		}
		if len(applies) > 1 {
			t.Errorf("it tried to make children again: %v", applies)
		}
	})
	t.Run("what others make under a child's name during deletion is theirs", func(t *testing.T) {
		c := operate(t, whole, "recreated", resources.Ensure(desiredConfigMap).OnDelete(resources.Background).Finalizer(guard))
		child := c.named(&corev1.ConfigMap{})
		c.there(child)
		child.SetFinalizers([]string{"example.com/hold"})
		if err := c.Update(t.Context(), child); err != nil {
			t.Fatal(err)
		}
		if err := c.Delete(t.Context(), c.app); err != nil {
			t.Fatal(err)
		}
		c.until("is not being deleted", func(ctx context.Context) error {
			return c.Get(ctx, client.ObjectKeyFromObject(child), child)
		}, func(error) bool { return child.GetDeletionTimestamp() != nil })
		child.SetFinalizers(nil)
		if err := c.Update(t.Context(), child); err != nil {
			t.Fatal(err)
		}
		theirs := c.named(&corev1.ConfigMap{})
		c.until("is in the way", func(ctx context.Context) error { return c.Create(ctx, theirs) }, func(err error) bool { return err == nil })
		c.gone(c.app)
		was := theirs.GetUID()
		c.there(theirs)
		if diff := cmp.Diff(was, theirs.GetUID()); diff != "" || theirs.GetDeletionTimestamp() != nil {
			t.Errorf("it was not left alone: %s", diff)
		}
	})
}

// left reports an error unless there are so many ReplicaSets in the namespace.
func (c *collected) left(ctx context.Context, want int) error {
	var sets appsv1.ReplicaSetList
	if err := c.List(ctx, &sets, client.InNamespace(c.namespace)); err != nil {
		return err
	}
	if len(sets.Items) != want {
		return apierrors.NewConflict(appsv1.Resource("replicasets"), "", nil)
	}
	return nil
}
