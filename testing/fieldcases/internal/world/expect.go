package world

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/trueup-dev/trueup/testing/steptest"
)

// Condition expects a condition of the app at its latest generation, and returns
// it.
func (w *World) Condition(step string, app *App, kind string, status metav1.ConditionStatus, reason Reason) metav1.Condition {
	w.t.Helper()
	now := app.Get()
	is := meta.FindStatusCondition(now.Status.Conditions, kind)
	if is == nil {
		w.Fault("%s: there is no condition %s", step, kind)
		return metav1.Condition{}
	}
	if is.Status != status || reason != Any && !slices.Contains(append(reasons[reason], string(reason)), is.Reason) {
		w.Fault("%s: %s is %s (%s: %s), want %s (%s)", step, kind, is.Status, is.Reason, is.Message, status, reason)
	}
	if is.ObservedGeneration != now.Generation {
		w.Fault("%s: %s is about generation %d, want %d", step, kind, is.ObservedGeneration, now.Generation)
	}
	return *is
}

// Writes returns what the operator has sent to change something since the last
// Mark, in words.
func (w *World) Writes() []string {
	var words []string
	for _, request := range w.Requests.Writes() {
		words = append(words, strings.ReplaceAll(request.String(), w.Namespace+"/", ""))
	}
	const shown = 12
	if more := len(words) - shown; more > 0 {
		words = append(words[:shown], fmt.Sprintf("and %d more", more))
	}
	return words
}

// Some stands for a number of writes that does not matter, and AtMost for a limit.
const Some = -1

// AtMost stands for a number of writes from 0 to n.
func AtMost(n int) int { return -1 - n }

// Wrote expects numbers of writes by resource since the last Mark, and none to any
// other resource.
func (w *World) Wrote(step string, want map[string]int) {
	w.t.Helper()
	got := map[string]int{}
	for _, request := range w.Requests.Writes() {
		got[request.Resource]++
	}
	for resource, n := range got {
		switch wanted, ok := want[resource]; {
		case !ok:
			w.Fault("%s: %d writes to %s, want none: %v", step, n, resource, w.Writes())
		case wanted == Some:
		case wanted < 0 && n > -1-wanted:
			w.Fault("%s: %d writes to %s, want at most %d: %v", step, n, resource, -1-wanted, w.Writes())
		case wanted >= 0 && n != wanted:
			w.Fault("%s: %d writes to %s, want %d: %v", step, n, resource, wanted, w.Writes())
		}
	}
	for resource, wanted := range want {
		if wanted > 0 && got[resource] == 0 {
			w.Fault("%s: no write to %s, want %d", step, resource, wanted)
		}
	}
}

// Count returns how many requests since the last Mark match all filters.
func (w *World) Count(filters ...func(steptest.Request) bool) int {
	return len(w.Requests.All(filters...))
}

// Verb matches requests by their verb.
func Verb(verbs ...string) func(steptest.Request) bool {
	return func(request steptest.Request) bool { return slices.Contains(verbs, verbOf(request)) }
}

// Accepted matches requests that the server has done.
func Accepted(request steptest.Request) bool { return request.Code >= 200 && request.Code < 300 }

// Rejected matches those that it has answered with 4xx other than 404 and 409.
func Rejected(request steptest.Request) bool {
	return request.Code >= 400 && request.Code < 500 && request.Code != 404 && request.Code != 409
}

// verbOf names the verb, and that of an apply.
func verbOf(request steptest.Request) string {
	if request.Apply {
		return "apply"
	}
	return request.Verb
}

// Same expects two values to be equal.
func (w *World) Same(step string, want, got any, options ...cmp.Option) {
	w.t.Helper()
	if diff := cmp.Diff(want, got, options...); diff != "" {
		w.Fault("%s (-want +got):\n%s", step, diff)
	}
}

// Deletion is a request to delete an object.
type Deletion struct {
	Name   string
	UID    string // precondition, "" for none
	Policy string // "" for the default
	Code   int
}

// Deletions returns the requests of the operator to delete objects of a resource.
func (w *World) Deletions(resource string) []Deletion {
	w.t.Helper()
	requests := w.Requests.All(WritesTo(resource), Verb("delete"))
	all := make([]Deletion, 0, len(requests))
	for _, request := range requests {
		asked := metav1.DeleteOptions{}
		if request.Body != "" {
			w.Must(json.Unmarshal([]byte(request.Body), &asked))
		}
		deletion := Deletion{Name: request.Name, Code: request.Code}
		if asked.Preconditions != nil && asked.Preconditions.UID != nil {
			deletion.UID = string(*asked.Preconditions.UID)
		}
		if asked.PropagationPolicy != nil {
			deletion.Policy = string(*asked.PropagationPolicy)
		}
		all = append(all, deletion)
	}
	return all
}
