package resources_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/trueup-dev/trueup/resources"
	"github.com/trueup-dev/trueup/testing/cluster"
)

// play is what happens to an object on a real API server: it is created, and
// its status is written as its controller would, from state to state.
type play struct {
	object client.Object
	before string // what is said of it when it has just been created; after a slash, without a Go type
	states []state
}

type state struct {
	reason string
	change func() error // changes the spec of the object first, nil for nothing
	write  func()       // changes the status of the object
	want   string
}

// perform judges the object in every state, as the server gives it, with a Go
// type and without.
func (p play) perform(t *testing.T) {
	t.Helper()
	shared := cluster.Shared(t)
	user, err := client.New(shared.Config(), client.Options{Scheme: scheme(t)})
	if err != nil {
		t.Fatal(err)
	}
	p.object.SetNamespace(shared.Namespace(t))
	if err := user.Create(t.Context(), p.object); err != nil {
		t.Fatal(err)
	}
	p.judge(t, user, "it was just created", p.before)
	for _, state := range p.states {
		if state.change != nil {
			if err := state.change(); err != nil {
				t.Fatal(err)
			}
			if err := user.Update(t.Context(), p.object); err != nil {
				t.Fatalf("%s: %v", state.reason, err)
			}
		}
		if state.write != nil {
			state.write()
			if err := user.Status().Update(t.Context(), p.object); err != nil {
				t.Fatalf("%s: %v", state.reason, err)
			}
		}
		p.judge(t, user, state.reason, state.want)
	}
}

func (p play) judge(t *testing.T, user client.Client, reason, want string) {
	t.Helper()
	if err := user.Get(t.Context(), client.ObjectKeyFromObject(p.object), p.object); err != nil {
		t.Fatal(err)
	}
	gvk, err := apiutil.GVKForObject(p.object, user.Scheme())
	if err != nil {
		t.Fatal(err)
	}
	untyped := &unstructured.Unstructured{}
	untyped.SetGroupVersionKind(gvk)
	if err := user.Get(t.Context(), client.ObjectKeyFromObject(p.object), untyped); err != nil {
		t.Fatal(err)
	}
	want, wantUntyped, differs := strings.Cut(want, "/")
	got := resources.ReadinessOf(p.object)
	if said(got) != want {
		t.Errorf("%s: got %+v, want %s", reason, got, want)
	}
	gotUntyped := resources.ReadinessOf(untyped)
	if differs {
		if said(gotUntyped) != wantUntyped {
			t.Errorf("%s: got %+v without a Go type, want %s", reason, gotUntyped, wantUntyped)
		}
		return
	}
	if diff := cmp.Diff(got, gotUntyped); diff != "" {
		t.Errorf("%s: an unstructured object is judged otherwise (-typed +unstructured):\n%s", reason, diff)
	}
}

// said tells a judgement in a word, with a "!" for a failure.
func said(got resources.Readiness) string {
	switch {
	case got.Ready:
		return "ready"
	case got.Failed:
		return got.Reason + "!"
	}
	return got.Reason
}

// pods is a template that the API server takes.
func pods(labels map[string]string, restart corev1.RestartPolicy) corev1.PodTemplateSpec {
	template := corev1.PodTemplateSpec{Spec: corev1.PodSpec{
		RestartPolicy: restart,
		Containers:    []corev1.Container{{Name: "app", Image: "img:1"}},
	}}
	template.Labels = labels
	return template
}
