package finalizer_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/finalizer"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/steptest"
)

// passing is a kind that comes and goes in a test.
type passing struct {
	schema.GroupVersionKind
	definition *apiextensionsv1.CustomResourceDefinition
	client     client.Client
}

// install makes the server know the kind.
func install(t *testing.T, name string) *passing {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := apiextensionsv1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	user, err := client.New(cluster.Shared(t).Config(), client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	kind := schema.GroupVersionKind{Group: "passing.example.com", Version: "v1", Kind: name}
	plural := strings.ToLower(name) + "s"
	p := &passing{GroupVersionKind: kind, client: user, definition: &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: plural + "." + kind.Group},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: kind.Group, Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: plural, Singular: strings.ToLower(name), Kind: name, ListKind: name + "List"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: kind.Version, Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
					Type: "object", XPreserveUnknownFields: ptr.To(true),
				}},
			}},
		},
	}}
	if err := user.Create(t.Context(), p.definition); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = user.Delete(context.WithoutCancel(t.Context()), p.definition) })
	return p
}

func (p *passing) served(ctx context.Context) bool {
	if err := p.client.Get(ctx, client.ObjectKeyFromObject(p.definition), p.definition); err != nil {
		return false
	}
	return slices.ContainsFunc(p.definition.Status.Conditions, func(c apiextensionsv1.CustomResourceDefinitionCondition) bool {
		return c.Type == apiextensionsv1.Established && c.Status == apiextensionsv1.ConditionTrue
	})
}

func (p *passing) gone(ctx context.Context) bool {
	return apierrors.IsNotFound(p.client.Get(ctx, client.ObjectKeyFromObject(p.definition), p.definition))
}

func eventually(t *testing.T, what string, met func(context.Context) bool) {
	t.Helper()
	err := wait.PollUntilContextTimeout(t.Context(), 20*time.Millisecond, time.Minute, true,
		func(ctx context.Context) (bool, error) { return met(ctx), nil })
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

func (p *passing) object() *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(p.GroupVersionKind)
	return object
}

// remove removes the kind from the server, which deletes its objects first.
func (p *passing) remove(t *testing.T) {
	t.Helper()
	if err := p.client.Delete(t.Context(), p.definition); err != nil {
		t.Fatal(err)
	}
}

// Deletion waits for a child whose kind is removed from the server in the meantime:
// what is of no kind any more is gone.
func TestTheKindOfAChildIsRemovedDuringDeletion(t *testing.T) {
	kind := install(t, "Part")
	eventually(t, "the kind is served", kind.served)
	part := resources.Ensure(func(app *v1.MyApp) (*unstructured.Unstructured, error) {
		object := kind.object()
		object.SetName(app.Name)
		return object, nil
	}).Kind(kind.GroupVersionKind).OnDelete(resources.Background).Finalizer("apps.example.com/part")
	o := operate(t, "removed-kind", part)
	object := child(o, kind.object())
	o.eventually("the child is there", func() bool { return o.read(object) })
	o.change(object, func() { object.SetFinalizers([]string{holder}) })
	o.settled()
	o.remove(o.app, metav1.DeletePropagationBackground)
	o.says("Deleting", "deletion waits for Part: "+o.app.Namespace+"/web is being deleted, held by the finalizer "+holder)
	kind.remove(t)
	o.change(object, func() { object.SetFinalizers(nil) })
	o.gone(o.app)
	eventually(t, "the kind is gone", kind.gone)
}

// The kind of the owners is removed from the server while they have our finalizers:
// what they guard is released, and the kind goes.
func TestTheKindOfTheOwnerIsRemoved(t *testing.T) {
	kind := install(t, "Whole")
	eventually(t, "the kind is served", kind.served)
	namespace := cluster.Shared(t).Namespace(t)
	mgr := steptest.NewManager(t, cluster.Shared(t).Config(), runtime.NewScheme(), namespace)
	released := make(chan string, 10)
	guard := finalizer.Func(dns, func(_ context.Context, run *reconcile.Run[*unstructured.Unstructured]) (reconcile.Result, error) {
		released <- run.Object().GetName()
		return reconcile.Continue, nil
	})
	if err := reconcile.NewPipeline("removed-owner", guard).For(kind.object()).SetupWithManager(mgr); err != nil {
		t.Fatal(err)
	}
	steptest.StartManager(t, mgr)
	object := kind.object()
	object.SetNamespace(namespace)
	object.SetName("web")
	if err := kind.client.Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it has the finalizer", func(ctx context.Context) bool {
		err := kind.client.Get(ctx, client.ObjectKeyFromObject(object), object)
		return err == nil && slices.Contains(object.GetFinalizers(), dns)
	})
	kind.remove(t)
	eventually(t, "the kind is gone", kind.gone)
	if len(released) != 1 {
		t.Errorf("it was released %d times", len(released))
	}
}
