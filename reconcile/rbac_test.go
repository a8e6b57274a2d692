package reconcile_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
)

type configRun = *reconcile.Run[*corev1.ConfigMap]

func idle(context.Context, configRun) (reconcile.Result, error) { return reconcile.Continue, nil }

// declared is a step that only says something of itself.
type declared struct{ about reconcile.Description }

func (d declared) Describe() reconcile.Description { return d.about }

func (declared) Reconcile(ctx context.Context, run configRun) (reconcile.Result, error) {
	return idle(ctx, run)
}

func (declared) Finalize(ctx context.Context, run configRun) (reconcile.Result, error) {
	return idle(ctx, run)
}

func TestPolicyRules(t *testing.T) {
	see := rule("", "configmaps", "get", "list", "watch")
	events := rule("events.k8s.io", "events", "create", "patch")
	needs := func(verbs ...string) reconcile.Step[*corev1.ConfigMap] {
		return reconcile.Func("reads", idle).Needs(reconcile.Access{Object: &corev1.Secret{}, Verbs: verbs})
	}
	cases := map[string]struct {
		reason string
		steps  []reconcile.Step[*corev1.ConfigMap]
		want   []rbacv1.PolicyRule
	}{
		"no steps": {
			reason: "a pipeline sees its objects and tells of failures",
			want:   []rbacv1.PolicyRule{see, events},
		},
		"status": {
			reason: "who reports writes the status subresource and nothing else",
			steps: []reconcile.Step[*corev1.ConfigMap]{
				declared{reconcile.Description{Name: "report", Kind: "test", Reporting: true}},
			},
			want: []rbacv1.PolicyRule{see, rule("", "configmaps/status", "patch"), events},
		},
		"finalizer": {
			reason: "a finalizer is put on the object",
			steps: []reconcile.Step[*corev1.ConfigMap]{
				declared{reconcile.Description{Name: "hold", Kind: "test", Finalizers: []string{"example.com/hold"}}},
			},
			want: []rbacv1.PolicyRule{rule("", "configmaps", "get", "list", "patch", "watch"), events},
		},
		"owned": {
			reason: "a reference that blocks the owner's deletion takes a right on its finalizers",
			steps: []reconcile.Step[*corev1.ConfigMap]{
				declared{reconcile.Description{Name: "child", Kind: "test", Owns: []client.Object{&corev1.Secret{}}}},
			},
			want: []rbacv1.PolicyRule{see, rule("", "configmaps/finalizers", "update"), events},
		},
		"wrapped": {
			reason: "what a step inside others needs is needed; what two need is said once",
			steps: []reconcile.Step[*corev1.ConfigMap]{
				reconcile.All(reconcile.Sequence(needs("get"))), needs("list", "get"),
			},
			want: []rbacv1.PolicyRule{see, rule("", "secrets", "get", "list"), events},
		},
		"same verbs": {
			reason: "resources of a group with the same verbs share a rule",
			steps:  []reconcile.Step[*corev1.ConfigMap]{needs("watch", "list", "get")},
			want: []rbacv1.PolicyRule{
				{APIGroups: []string{""}, Resources: []string{"configmaps", "secrets"}, Verbs: []string{"get", "list", "watch"}},
				events,
			},
		},
		"subresource": {
			reason: "a subresource is another resource",
			steps: []reconcile.Step[*corev1.ConfigMap]{reconcile.Func("scales", idle).Needs(reconcile.Access{
				Object: &corev1.ReplicationController{}, Subresource: "scale", Verbs: []string{"update"},
			})},
			want: []rbacv1.PolicyRule{see, rule("", "replicationcontrollers/scale", "update"), events},
		},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := reconcile.NewPipeline("test", test.steps...).PolicyRules(clientgoscheme.Scheme, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.reason, diff)
			}
		})
	}
}

func rule(group, resource string, verbs ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{resource}, Verbs: verbs}
}

// The plural of a kind can be anything: a mapper knows.
func TestPolicyRulesByMapper(t *testing.T) {
	gvk := schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Cactus"}
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.AddSpecific(gvk, gvk.GroupVersion().WithResource("cacti"), gvk.GroupVersion().WithResource("cactus"), meta.RESTScopeNamespace)
	mapper.Add(corev1.SchemeGroupVersion.WithKind("ConfigMap"), meta.RESTScopeNamespace)
	cactus := &unstructured.Unstructured{}
	cactus.SetGroupVersionKind(gvk)
	pipeline := reconcile.NewPipeline("test", reconcile.Func("waters", idle).
		Needs(reconcile.Access{Object: cactus, Verbs: []string{"patch"}}))

	rules, err := pipeline.PolicyRules(clientgoscheme.Scheme, mapper)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(rule("example.com", "cacti", "patch"), rules[2]); diff != "" {
		t.Errorf("the rule of the cactus (-want +got):\n%s", diff)
	}
	if _, err := pipeline.PolicyRules(clientgoscheme.Scheme, meta.NewDefaultRESTMapper(nil)); err == nil ||
		!strings.Contains(err.Error(), `step "waters"`) || !strings.Contains(err.Error(), "Cactus") {
		t.Errorf("a kind that the mapper does not know: %v", err)
	}
}

// Rules must not be made of a pipeline that would be refused at setup.
func TestPolicyRulesTellEveryFault(t *testing.T) {
	_, err := reconcile.NewPipeline("test",
		reconcile.Func[*corev1.ConfigMap]("no function", nil),
		reconcile.Func("reads", idle).Needs(reconcile.Access{Object: &widget{}, Verbs: []string{"get"}}),
	).PolicyRules(clientgoscheme.Scheme, nil)
	if err == nil || !strings.Contains(err.Error(), "no function") {
		t.Errorf("returned %v", err)
	}
	_, err = reconcile.NewPipeline("test",
		reconcile.Func("reads", idle).Needs(reconcile.Access{Object: &widget{}, Verbs: []string{"get"}}),
		reconcile.Func("more", idle).Needs(reconcile.Access{Verbs: []string{"get"}}),
	).PolicyRules(clientgoscheme.Scheme, nil)
	for _, word := range []string{`step "reads"`, "widget", `step "more"`, "nil"} {
		if err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("the error lacks %s: %v", word, err)
		}
	}
}

func TestMergeRulesKeepsWhatItDoesNotKnow(t *testing.T) {
	named := rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"secrets"}, Verbs: []string{"get"}, ResourceNames: []string{"tls"}}
	got := reconcile.MergeRules([]rbacv1.PolicyRule{named}, []rbacv1.PolicyRule{rule("", "secrets", "list")})
	if diff := cmp.Diff([]rbacv1.PolicyRule{rule("", "secrets", "list"), named}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
