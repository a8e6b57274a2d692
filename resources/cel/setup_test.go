package cel_test

import (
	"os/exec"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
	"github.com/trueup-dev/trueup/resources/cel"
)

func TestFaultsOfARule(t *testing.T) {
	for name, test := range map[string]struct {
		reason string
		rule   cel.Rule
		want   []string
	}{
		"nothing":           {"it says nothing", cel.Rule{}, []string{"the expression is empty"}},
		"syntax":            {"a bracket is open", cel.Rule{Expression: "self.a == ("}, []string{`expression "self.a == ("`, "Syntax error", "<input>:1:"}},
		"unknown name":      {"only self is known", cel.Rule{Expression: "object.a"}, []string{`expression "object.a"`, "undeclared reference to 'object'"}},
		"not a truth":       {"it can only be a number", cel.Rule{Expression: "1 + 1"}, []string{`expression "1 + 1": is of type int, not bool`}},
		"not a text":        {"it can only be a truth", cel.Rule{Expression: "true", MessageExpression: "1 == 1"}, []string{`expression "1 == 1": is of type bool, not string`}},
		"both of them":      {"all faults are told", cel.Rule{Expression: "a", MessageExpression: "b"}, []string{`expression "a"`, `expression "b"`}},
		"unknown function":  {"there is none", cel.Rule{Expression: "frobnicate(self)"}, []string{"undeclared reference to 'frobnicate'"}},
		"bad regular expr.": {"it is a constant", cel.Rule{Expression: "self.a.matches('(')"}, []string{`expression "self.a.matches('(')"`}},
	} {
		t.Run(name, func(t *testing.T) {
			judge, err := cel.Test[*corev1.Secret](test.rule)
			if err == nil || judge != nil {
				t.Fatalf("%s: it was accepted", test.reason)
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%s: the error does not say %s: %v", test.reason, want, err)
				}
			}
		})
	}
}

// A step takes the error along, and setup tells whose it is.
func TestFaultsAreToldAtSetup(t *testing.T) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	pipeline := reconcile.NewPipeline("test", resources.Reference(func(*v1.MyApp) *corev1.Secret { return nil }).
		ReadyWhen(cel.Expression[*corev1.Secret]("self.data.size( > 0")))
	err := pipeline.Setup(reconcile.Environment{Client: fake.NewClientBuilder().WithScheme(scheme).Build()})
	if err == nil || !strings.Contains(err.Error(), `step "Secret": ReadyWhen: expression "self.data.size( > 0"`) {
		t.Errorf("err = %v, want it to name the step and the expression", err)
	}
}

// Who does not use this package does not pay for it.
func TestResourcesDoNotNeedCEL(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "github.com/trueup-dev/trueup/resources").Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := strings.Fields(string(out))
	if len(packages) < 100 {
		t.Fatalf("go list gave %d packages", len(packages))
	}
	for _, name := range packages {
		if strings.Contains(name, "cel-go") || strings.HasPrefix(name, "k8s.io/apiserver/") {
			t.Errorf("package resources depends on %s", name)
		}
	}
}
