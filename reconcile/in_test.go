package reconcile_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	crcluster "sigs.k8s.io/controller-runtime/pkg/cluster"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/steptest"
)

// ownConfig keeps a ConfigMap in the given namespace, "" for that of the app.
func ownConfig(namespace string) *resources.Child[app, *corev1.ConfigMap] {
	return resources.Ensure(func(app *v1.MyApp) (*corev1.ConfigMap, error) {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: app.Name}, Data: map[string]string{"image": app.Spec.Image}}, nil
	})
}

// eventually waits until the server has a ConfigMap as wanted; nil for none.
func eventually(t *testing.T, user client.Client, namespace, reason string, want func(*corev1.ConfigMap) bool) {
	t.Helper()
	err := wait.PollUntilContextTimeout(t.Context(), 20*time.Millisecond, 30*time.Second, true, func(ctx context.Context) (bool, error) {
		config := &corev1.ConfigMap{}
		err := user.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "web"}, config)
		if want == nil {
			return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
		}
		return err == nil && want(config), client.IgnoreNotFound(err)
	})
	if err != nil {
		t.Fatalf("%s: %v", reason, err)
	}
}

// Everything about a child in another cluster goes there, and is watched there; the
// object stays at home.
func TestInAnotherCluster(t *testing.T) {
	shared := cluster.Shared(t)
	home, away := shared.Namespace(t), shared.Namespace(t)
	atHome, abroad := &steptest.Requests{}, &steptest.Requests{}
	mgr := steptest.NewManager(t, atHome.Attach(shared.Config()), scheme(t), home)
	member, err := crcluster.New(abroad.Attach(shared.Config()), func(o *crcluster.Options) {
		o.Scheme, o.Cache.DefaultNamespaces = scheme(t), map[string]cache.Config{away: {}}
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := mgr.Add(member); err != nil {
		t.Fatal(err)
	}
	config := ownConfig(away).Detached(ourFinalizer)
	pipeline := reconcile.NewPipeline("abroad", reconcile.In[app](reconcile.Elsewhere("member", member), config))
	if err := pipeline.SetupWithManager(mgr); err != nil {
		t.Fatal(err)
	}
	steptest.StartManager(t, mgr)
	user, err := client.New(shared.Config(), client.Options{Scheme: scheme(t)})
	if err != nil {
		t.Fatal(err)
	}
	web := &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: home}, Spec: v1.MyAppSpec{Image: "img:1"}}
	if err := user.Create(t.Context(), web); err != nil {
		t.Fatal(err)
	}
	asDesired := func(c *corev1.ConfigMap) bool { return c.Data["image"] == "img:1" }
	eventually(t, user, away, "made", asDesired)
	changed := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: away, Name: "web"}}
	if err := user.Patch(t.Context(), changed, client.RawPatch("application/merge-patch+json", []byte(`{"data":{"image":"other"}}`))); err != nil {
		t.Fatal(err)
	}
	eventually(t, user, away, "repaired, by an event of the other cluster", asDesired)
	if err := user.Delete(t.Context(), web); err != nil {
		t.Fatal(err)
	}
	eventually(t, user, away, "deleted with its owner", nil)
	for _, request := range atHome.Writes() {
		if request.Resource != "myapps" {
			t.Errorf("%s was sent at home", request)
		}
	}
	for _, request := range abroad.All() {
		if request.Resource != "configmaps" {
			t.Errorf("%s was sent abroad", request)
		}
	}
	rules, err := pipeline.PolicyRules(scheme(t), nil)
	if err != nil || strings.Contains(cmp.Diff(nil, rules), "configmaps") {
		t.Errorf("rules = %v, %v; want nothing at home of what is abroad", rules, err)
	}
}

// Writes are the user's: the server decides by what it may do, and the operator
// needs nothing but to impersonate it.
func TestInAsAnotherUser(t *testing.T) {
	shared := cluster.Shared(t)
	namespace := shared.Namespace(t)
	user, err := client.New(shared.Config(), client.Options{Scheme: scheme(t)})
	if err != nil {
		t.Fatal(err)
	}
	mgr := steptest.NewManager(t, shared.Config(), scheme(t), namespace)
	tenant := reconcile.As(mgr, rest.ImpersonationConfig{UserName: "tenant-of-" + namespace, Groups: []string{"system:authenticated"}})
	step := reconcile.In[app](tenant, ownConfig(""))
	pipeline := reconcile.NewPipeline("as", step)
	if err := reconcile.RegisterIndexes(mgr, "as", step); err != nil {
		t.Fatal(err)
	}
	if err := pipeline.Setup(reconcile.EnvironmentOf(mgr, "as")); err != nil {
		t.Fatal(err)
	}
	steptest.StartManager(t, mgr)
	web := &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: namespace}, Spec: v1.MyAppSpec{Image: "img:1"}}
	if err := user.Create(t.Context(), web); err != nil {
		t.Fatal(err)
	}
	pass := func() error {
		run := &v1.MyApp{}
		if err := wait.PollUntilContextTimeout(t.Context(), 10*time.Millisecond, 30*time.Second, true, func(ctx context.Context) (bool, error) {
			return mgr.GetCache().Get(ctx, client.ObjectKeyFromObject(web), run) == nil, nil
		}); err != nil {
			t.Fatal(err)
		}
		_, err := pipeline.Reconcile(t.Context(), requestFor(web))
		return err
	}
	if err := pass(); !apierrors.IsForbidden(err) || !strings.Contains(textOf(err), "tenant-of-"+namespace) {
		t.Errorf("err = %v, want it forbidden to the user", err)
	}

	rules, err := pipeline.PolicyRulesIn(tenant)
	if err != nil {
		t.Fatal(err)
	}
	role := reconcile.Role(namespace, "tenant", rules)
	binding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "tenant"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "tenant"},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: "tenant-of-" + namespace}},
	}
	for _, object := range []client.Object{role, binding} {
		if err := user.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	err = wait.PollUntilContextTimeout(t.Context(), 20*time.Millisecond, 30*time.Second, true, func(context.Context) (bool, error) {
		return pass() == nil, nil
	})
	if err != nil {
		t.Fatalf("what PolicyRulesIn asks for does not suffice: %v", pass())
	}
	eventually(t, user, namespace, "made", func(c *corev1.ConfigMap) bool { return metav1.IsControlledBy(c, web) })

	mine, err := pipeline.PolicyRules(scheme(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []rbacv1.PolicyRule{
		rule("", "configmaps", "get", "list", "watch"),
		rule("apps.example.com", "myapps", "get", "list", "watch"),
		rule("apps.example.com", "myapps/finalizers", "update"),
		rule("events.k8s.io", "events", "create", "patch"),
		{APIGroups: []string{""}, Resources: []string{"users"}, ResourceNames: []string{"tenant-of-" + namespace}, Verbs: []string{"impersonate"}},
		{APIGroups: []string{""}, Resources: []string{"groups"}, ResourceNames: []string{"system:authenticated"}, Verbs: []string{"impersonate"}},
	}
	if diff := cmp.Diff(want, mine); diff != "" {
		t.Errorf("rules of the operator (-want +got):\n%s", diff)
	}
}

func TestInIsCheckedAtSetup(t *testing.T) {
	mgr := steptest.NewManager(t, cluster.Shared(t).Config(), scheme(t), "default")
	other, err := crcluster.New(cluster.Shared(t).Config()) // whose scheme does not know MyApp
	if err != nil {
		t.Fatal(err)
	}
	pipeline := reconcile.NewPipeline("test",
		reconcile.In[app](nil),
		reconcile.In[app](reconcile.Elsewhere("nowhere", nil)),
		reconcile.In[app](reconcile.As(mgr, rest.ImpersonationConfig{})),
		reconcile.In[app](reconcile.Elsewhere("member", other), ownConfig(""), reconcile.Func("reads", nothing).Needs(
			reconcile.Access{Object: &v1.MyApp{}, Verbs: []string{"get"}})),
	)
	err = pipeline.Setup(reconcile.Environment{Client: fake.NewClientBuilder().WithScheme(scheme(t)).Build()})
	for _, want := range []string{
		"the place is nil", "nowhere: the cluster is nil", "As: a cluster and the name of a user are needed",
		`step "ConfigMap": an owner reference does not reach from member to the object; see Detached`,
		`step "reads": accessed kind: no kind is registered`,
	} {
		if !strings.Contains(textOf(err), want) {
			t.Errorf("the error does not say %s:\n%v", want, err)
		}
	}
}

func requestFor(object client.Object) ctrl.Request {
	return ctrl.Request{NamespacedName: client.ObjectKeyFromObject(object)}
}
