package steptest

import (
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// told returns a request as a case tells it.
func (b *bench) told(request Request) Request {
	if request.Namespace == b.namespace {
		request.Namespace = given
	}
	return request
}

func (b *bench) words(requests []Request) []string {
	words := make([]string, 0, len(requests))
	for _, request := range requests {
		word := b.told(request).String()
		if request.DryRun {
			word += " (dry run)"
		}
		words = append(words, word)
	}
	return words
}

// inOrder returns texts in the order in which they are compared: as they came in
// memory, where it is the same each time, and sorted on a real API server.
func (b *bench) inOrder(texts []string) []string {
	texts = append([]string{}, texts...) // none is nil to some and empty to others
	if b.real {
		slices.Sort(texts)
	}
	return texts
}

// texts returns texts as a case tells them.
func (b *bench) texts(texts []string) []string {
	told := make([]string, 0, len(texts))
	for _, text := range texts {
		told = append(told, strings.ReplaceAll(text, b.namespace, given))
	}
	return told
}

// compare compares a pass with what is wanted.
func (b *bench) compare(want Want) {
	b.t.Helper()
	if diff := cmp.Diff(b.inOrder(want.Writes), b.inOrder(b.words(b.requests.Writes()))); diff != "" {
		b.fault("writes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(b.inOrder(want.Events), b.inOrder(b.texts(b.events.All()))); diff != "" {
		b.fault("events (-want +got):\n%s", diff)
	}
	told := strings.Join(b.texts(b.failed), "\n")
	if (want.Error == "") != (told == "") || !strings.Contains(told, want.Error) {
		b.fault("the error is %q, want %q", told, want.Error)
	}
	b.again(want, told != "")
	if diff := cmp.Diff(want.Conditions, b.conditions(want)); diff != "" {
		b.fault("conditions (-want +got):\n%s", diff)
	}
	b.objects(want.Objects, want.Gone)
	if want.Golden != "" {
		b.golden(want.Golden)
	}
}

// again compares when a pass is made again.
func (b *bench) again(want Want, failed bool) {
	if retried := b.operator.Retrying(); failed && retried == want.Terminal {
		b.fault("the error is retried: %t, want %t", retried, !want.Terminal)
		return
	}
	after, _ := b.operator.Later()
	if after = max(0, after-b.waited); failed && !want.Terminal && want.After == 0 {
		return
	}
	if after > want.After || after < want.After-b.slack() {
		b.fault("looks again after %s, want %s", after, want.After)
	}
}

// slack is how much less an operator may ask to wait where time goes by.
func (b *bench) slack() time.Duration {
	if b.real {
		return 10 * time.Second
	}
	return 0
}

// kind returns the kind of an object.
func (b *bench) kind(object client.Object) schema.GroupVersionKind {
	b.t.Helper()
	gvk, err := apiutil.GVKForObject(object, b.Kinds.Scheme())
	if err != nil {
		b.t.Fatal(err)
	}
	return gvk
}

// conditions returns the conditions of the first object that was given that are
// wanted.
func (b *bench) conditions(want Want) map[string]string {
	b.t.Helper()
	if len(want.Conditions) == 0 || len(b.Given) == 0 {
		return want.Conditions
	}
	gvk := b.kind(b.Given[0])
	got := map[string]string{}
	for _, object := range b.ground.All() {
		if object.GroupVersionKind() != gvk || object.GetName() != b.Given[0].GetName() {
			continue
		}
		status := struct {
			Status struct {
				Conditions []metav1.Condition `json:"conditions"`
			} `json:"status"`
		}{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &status); err != nil {
			b.t.Fatal(err)
		}
		for name := range want.Conditions {
			if found := meta.FindStatusCondition(status.Status.Conditions, name); found != nil {
				got[name] = string(found.Status) + " " + found.Reason
			}
		}
	}
	return got
}
