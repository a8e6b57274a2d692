package stage

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
)

func TestReadiness(t *testing.T) {
	app := func(name string, generation, observed int64, status metav1.ConditionStatus) *v1.MyApp {
		return &v1.MyApp{
			ObjectMeta: metav1.ObjectMeta{Name: name, Generation: generation},
			Status: v1.MyAppStatus{Conditions: []metav1.Condition{
				{Type: "Ready", Status: status, ObservedGeneration: observed},
			}},
		}
	}
	r := &readiness{ready: map[string]bool{}, want: 2, met: make(chan struct{})}
	for _, step := range []struct {
		reason string
		app    *v1.MyApp
		count  int
		met    bool
	}{
		{"one that has no conditions is not", &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, 0, false},
		{"one that is not Ready is not", app("a", 1, 1, metav1.ConditionFalse), 0, false},
		{"one that was Ready at another generation is not", app("a", 2, 1, metav1.ConditionTrue), 0, false},
		{"one that is, is", app("a", 2, 2, metav1.ConditionTrue), 1, false},
		{"each counts once", app("a", 2, 2, metav1.ConditionTrue), 1, false},
		{"all are", app("b", 1, 1, metav1.ConditionTrue), 2, true},
		{"one can cease to be", app("a", 3, 2, metav1.ConditionTrue), 1, true},
		{"and be again, which is no news", app("a", 3, 3, metav1.ConditionTrue), 2, true},
	} {
		r.see(step.app)
		if got := r.count(); got != step.count {
			t.Errorf("%s: %d are Ready, want %d", step.reason, got, step.count)
		}
		met := false
		select {
		case <-r.met:
			met = true
		default:
		}
		if met != step.met {
			t.Errorf("%s: met is %t, want %t", step.reason, met, step.met)
		}
	}
	if r.when.IsZero() {
		t.Error("it is not known when")
	}
}
