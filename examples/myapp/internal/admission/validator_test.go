package admission

import (
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
)

func TestValidator(t *testing.T) {
	spec := func(image string, nodes map[string]string) *v1.MyApp {
		return &v1.MyApp{Spec: v1.MyAppSpec{Image: image, NodeSelector: nodes}}
	}
	bad := map[string]string{"disk": "very fast"}
	cases := map[string]struct {
		reason   string
		old, new *v1.MyApp
		want     []string // in the error
		warn     string
	}{
		"good":            {"there is nothing to say", nil, spec("registry.example.com:5000/team/img:1", map[string]string{"disk": "ssd"}), nil, ""},
		"digest":          {"nothing says more exactly which", nil, spec("img@sha256:"+strings.Repeat("0", 64), nil), nil, ""},
		"no tag":          {"it changes under the app", nil, spec("img", nil), nil, "whatever is pushed last"},
		"latest":          {"so does this", nil, spec("img:latest", nil), nil, "whatever is pushed last"},
		"upper case":      {"no registry has it", nil, spec("Img:1", nil), []string{"spec.image: Invalid value"}, ""},
		"both wrong":      {"everything is told at once", nil, spec("a b", bad), []string{"spec.image", `spec.nodeSelector: Invalid value: "very fast"`}, ""},
		"bad label":       {"no node has it", nil, spec("img:1", map[string]string{"a b": ""}), []string{`"a b"`}, ""},
		"old and bad":     {"what is stored already stays changeable", spec("Img", bad), spec("Img", bad), nil, ""},
		"old, and better": {"only what is new is judged", spec("Img", bad), spec("img:2", bad), nil, ""},
		"old, and worse":  {"what is new is judged", spec("Img", nil), spec("Img", bad), []string{"very fast"}, ""},
		"old, trimmed":    {"the defaulter did that, and not who changes the app", spec(" Img\n", nil), spec("Img", nil), nil, ""},
		"key kept":        {"a new value is new", spec("img:1", map[string]string{"disk": "ssd"}), spec("img:1", bad), []string{"very fast"}, ""},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			before := test.new.DeepCopy()
			warnings, err := validator{}.ValidateCreate(t.Context(), test.new)
			if test.old != nil {
				warnings, err = validator{}.ValidateUpdate(t.Context(), test.old, test.new)
			}
			if len(test.want) > 0 != apierrors.IsInvalid(err) || len(test.want) == 0 && err != nil {
				t.Fatalf("%s: the answer is %v", test.reason, err)
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%s: %q lacks %q", test.reason, err, want)
				}
			}
			if got := strings.Join(warnings, "\n"); (got != "") != (test.warn != "") || !strings.Contains(got, test.warn) {
				t.Errorf("%s: warned %q", test.reason, got)
			}
			if before.Spec.Image != test.new.Spec.Image {
				t.Error("the app was changed")
			}
		})
	}
}

// An app that the webhook refuses has a name for everything that is wrong, and
// the same each time.
func TestDeterministic(t *testing.T) {
	app := &v1.MyApp{Spec: v1.MyAppSpec{Image: "img:1", NodeSelector: map[string]string{"a": "1 1", "b": "2 2", "c": "3 3"}}}
	var answers []string
	for range 50 {
		_, err := validator{}.ValidateCreate(t.Context(), app)
		answers = append(answers, err.Error())
	}
	if len(slices.Compact(answers)) != 1 {
		t.Error("the same app is answered in different words")
	}
}
