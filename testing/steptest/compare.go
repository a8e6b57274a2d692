package steptest

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/trueup-dev/trueup/testing/steptest/memory"
	"github.com/trueup-dev/trueup/testing/steptest/operator"
)

func words(requests []Request) []string {
	words := make([]string, 0, len(requests))
	for _, request := range requests {
		words = append(words, request.String())
	}
	return slices.Clip(words)
}

func (c Case) compare(t *testing.T, server *memory.Server, requests *Requests, events *Events, failed []string, o *operator.Operator) {
	t.Helper()
	if diff := cmp.Diff(append([]string{}, c.Want.Writes...), words(requests.Writes())); diff != "" {
		t.Errorf("%s: writes (-want +got):\n%s", c.Reason, diff)
	}
	if diff := cmp.Diff(c.Want.Events, events.All()); diff != "" {
		t.Errorf("%s: events (-want +got):\n%s", c.Reason, diff)
	}
	told := strings.Join(failed, "\n")
	if (c.Want.Error == "") != (told == "") || !strings.Contains(told, c.Want.Error) {
		t.Errorf("%s: the error is %q, want %q", c.Reason, told, c.Want.Error)
	}
	if after, _ := o.Later(); told == "" && after != c.Want.After {
		t.Errorf("%s: looks again after %s, want %s", c.Reason, after, c.Want.After)
	}
	if diff := cmp.Diff(c.Want.Conditions, c.conditions(t, server)); diff != "" {
		t.Errorf("%s: conditions (-want +got):\n%s", c.Reason, diff)
	}
	if c.Want.Golden != "" {
		golden(t, c.Reason, c.Want.Golden, server.All())
	}
}

// conditions returns the conditions of the first object that was given that are
// wanted.
func (c Case) conditions(t *testing.T, server *memory.Server) map[string]string {
	t.Helper()
	if len(c.Want.Conditions) == 0 || len(c.Given) == 0 {
		return c.Want.Conditions
	}
	gvk, err := apiutil.GVKForObject(c.Given[0], c.Kinds.Scheme())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, object := range server.All() {
		if object.GroupVersionKind() != gvk || object.GetName() != c.Given[0].GetName() {
			continue
		}
		status := struct {
			Status struct {
				Conditions []metav1.Condition `json:"conditions"`
			} `json:"status"`
		}{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &status); err != nil {
			t.Fatal(err)
		}
		for name := range c.Want.Conditions {
			if found := meta.FindStatusCondition(status.Status.Conditions, name); found != nil {
				got[name] = string(found.Status) + " " + found.Reason
			}
		}
	}
	return got
}
