package resources_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
	"github.com/trueup-dev/trueup/status"
)

// rights is a client that holds what steps send to what they say that they need.
type rights struct {
	client.Client
	*testing.T
	rules []rbacv1.PolicyRule
}

// hold has what is sent from here on looked at.
func (b *bench) hold() {
	b.rights = &rights{Client: b.Environment.Client, T: b.T}
	b.rights.grant(b.step)
	b.Environment.Client = b.rights
	b.Environment.Live = heldReader{b.Environment.Live, b.rights}
}

// grant adds what a step needs. One that is refused sends nothing.
func (r *rights) grant(step reconcile.Step[*v1.MyApp]) {
	summary := status.Summarize(func(app *v1.MyApp) *[]metav1.Condition { return &app.Status.Conditions })
	rules, err := reconcile.NewPipeline("test", step, summary).PolicyRules(r.Scheme(), r.RESTMapper())
	if err == nil {
		r.rules = append(r.rules, rules...)
	}
}

func (r *rights) check(verb string, object runtime.Object) {
	gvk, err := r.GroupVersionKindFor(object)
	if err != nil {
		return // it can not be sent
	}
	mapping, err := r.RESTMapper().RESTMapping(schema.GroupKind{Group: gvk.Group, Kind: strings.TrimSuffix(gvk.Kind, "List")}, gvk.Version)
	if err != nil {
		return // it is not there
	}
	resource := mapping.Resource.Resource
	if !slices.ContainsFunc(r.rules, func(rule rbacv1.PolicyRule) bool {
		return slices.Contains(rule.APIGroups, gvk.Group) && slices.Contains(rule.Resources, resource) && slices.Contains(rule.Verbs, verb)
	}) {
		r.Errorf("to %s %s is not what the steps say that they need: %v", verb, resource, r.rules)
	}
}

func (r *rights) Create(ctx context.Context, object client.Object, options ...client.CreateOption) error {
	r.check("create", object)
	return r.Client.Create(ctx, object, options...)
}

func (r *rights) Update(ctx context.Context, object client.Object, options ...client.UpdateOption) error {
	r.check("update", object)
	return r.Client.Update(ctx, object, options...)
}

func (r *rights) Patch(ctx context.Context, object client.Object, patch client.Patch, options ...client.PatchOption) error {
	r.check("patch", object)
	return r.Client.Patch(ctx, object, patch, options...)
}

func (r *rights) Delete(ctx context.Context, object client.Object, options ...client.DeleteOption) error {
	r.check("delete", object)
	return r.Client.Delete(ctx, object, options...)
}

// heldReader is what reads past the cache.
type heldReader struct {
	client.Reader
	rights *rights
}

func (r heldReader) Get(ctx context.Context, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
	r.rights.check("get", object)
	return r.Reader.Get(ctx, key, object, options...)
}

func (r heldReader) List(ctx context.Context, list client.ObjectList, options ...client.ListOption) error {
	r.rights.check("list", list)
	return r.Reader.List(ctx, list, options...)
}

// TestAccess says what steps need under each of their policies. That it suffices is
// looked at wherever something is sent: see rights.
func TestAccess(t *testing.T) {
	const held = "example.com/config"
	ensure := func() *resources.Child[*v1.MyApp, *corev1.ConfigMap] { return resources.Ensure(desiredConfigMap) }
	secret := func(*v1.MyApp) *corev1.Secret { return nil }
	anything := func(*v1.MyApp) *unstructured.Unstructured { return nil }
	cases := map[string]struct {
		step reconcile.Step[*v1.MyApp]
		want string
	}{
		"a child":                     {ensure(), "create delete get list patch watch"},
		"a child, when":               {ensure().When(func(*v1.MyApp) bool { return true }), "create delete get list patch watch"},
		"a child, foreground":         {ensure().Finalizer(held).OnDelete(resources.Foreground), "create delete get list patch watch"},
		"a child, orphaned":           {ensure().Finalizer(held).OnDelete(resources.Orphan), "create get list patch watch"},
		"a child, kept":               {ensure().Finalizer(held).OnDelete(resources.Keep), "create get list patch watch"},
		"a child, kept, made again":   {ensure().Finalizer(held).OnDelete(resources.Keep).Recreate(), "create delete get list patch watch"},
		"a detached child, kept":      {ensure().Detached(held).OnDelete(resources.Keep), "create get list patch watch"},
		"a shared child":              {ensure().Share("test-config"), "create delete get list patch watch"},
		"a retired child":             {resources.Retire[*v1.MyApp, *corev1.ConfigMap]("config", resources.Background), "delete get list watch"},
		"a retired child, foreground": {resources.Retire[*v1.MyApp, *corev1.ConfigMap]("config", resources.Foreground), "delete get list watch"},
		"a retired child, orphaned":   {resources.Retire[*v1.MyApp, *corev1.ConfigMap]("config", resources.Orphan), "get list patch watch"},
		"a retired child, kept":       {resources.Retire[*v1.MyApp, *corev1.ConfigMap]("config", resources.Keep), "get list patch watch"},
		"a reference":                 {resources.Reference(secret), "list watch"},
		"a reference past the cache":  {resources.Reference(anything).Kind(thing), "get list watch"},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			about := test.step.Describe()
			if about.Err != nil {
				t.Fatal(about.Err)
			}
			if len(about.Access) != 1 {
				t.Fatalf("access %v", about.Access)
			}
			verbs := slices.Sorted(slices.Values(about.Access[0].Verbs))
			if diff := cmp.Diff(test.want, strings.Join(verbs, " ")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
