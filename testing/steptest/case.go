package steptest

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/trueup-dev/trueup/testing/steptest/memory"
	"github.com/trueup-dev/trueup/testing/steptest/operator"
)

// A Case is one pass of an operator over given objects, in memory, and what is wanted
// of it: see [Case.Run]. It is for tables.
type Case struct {
	// Reason says what the case is about. It is part of each failure.
	Reason string
	// Kinds are what the API server serves. Required.
	Kinds *memory.Kinds
	// Setup adds the controllers to a manager, as in production. Required.
	Setup func(ctrl.Manager) error
	// Given are the objects that there are, with their status. Those without a
	// namespace are put into "demo".
	Given []client.Object
	// Unseen are objects of the kinds of which the cache shows none of what is given.
	Unseen []client.Object
	// Refuse are requests that are not let through, as [Request.String] tells them, each
	// with the code that answers them.
	Refuse map[string]int
	// Want is what is wanted.
	Want Want
}

// Want is what is wanted of a pass.
type Want struct {
	// Writes are the requests that change something, or would have, as [Request.String]
	// tells them.
	Writes []string
	// Events are those that are told, as [Events.All] tells them.
	Events []string
	// Conditions are those of the first object that is given, by their type, each as
	// "True Ready": the status and the reason. Those that are not named may be whatever.
	Conditions map[string]string
	// Error is a part of the error of the pass. Empty means that there is none.
	Error string
	// After is when the operator asked to look again, 0 for never. It is not looked at
	// if the pass failed.
	After time.Duration
	// Golden is a file with all objects as they are after the pass. It is written when
	// the test is run with -steptest.update. Defaults to none.
	Golden string
	// Restless says that a second pass over what the first has left may write
	// something. The default is that it must not.
	Restless bool
}

// Run makes the pass and compares. Time stands still meanwhile, at midnight on
// 1 January 2000 UTC, the clock of testing/synctest, so that times can be part of what
// is wanted.
func (c Case) Run(t *testing.T) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c.run(t)
	})
}

func (c Case) run(t *testing.T) {
	t.Helper()
	server := c.Kinds.NewServer()
	user := server.As("user")
	for _, object := range c.Given {
		if err := give(t.Context(), user, object); err != nil {
			t.Fatalf("%s: give %T: %v", c.Reason, object, err)
		}
	}
	requests, events := &Requests{}, &Events{}
	var failed []string
	o, err := operator.Start(t.Context(), operator.Options{
		Setup: c.Setup, Source: c.source(t, server), Kinds: c.Kinds, Recorder: events,
		Config: requests.Attach(c.refusing(server.Config())),
		Logged: func(err error, _ string) { failed = append(failed, err.Error()) },
	})
	if err != nil {
		t.Fatalf("%s: %v", c.Reason, err)
	}
	defer o.Stop()
	o.Pass()
	c.compare(t, server, requests, events, failed, o)
	if len(failed) > 0 || c.Want.Restless {
		return
	}
	requests.Reset()
	o.Cache().Sync()
	for range 2 {
		o.Pass()
	}
	if diff := cmp.Diff([]string{}, words(requests.Writes())); diff != "" {
		t.Errorf("%s: a second pass wrote (-want +got):\n%s", c.Reason, diff)
	}
}

// give creates an object, and writes its status if it has one.
func give(ctx context.Context, user client.Client, object client.Object) error {
	made := object.DeepCopyObject().(client.Object)
	namespaced, err := user.IsObjectNamespaced(made)
	if err != nil {
		return err
	}
	if namespaced && made.GetNamespace() == "" {
		made.SetNamespace("demo")
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(made)
	if err != nil {
		return err
	}
	status, ok := content["status"].(map[string]any)
	if err := user.Create(ctx, made); err != nil || !ok || len(status) == 0 {
		return err
	}
	after, err := runtime.DefaultUnstructuredConverter.ToUnstructured(made)
	if err != nil {
		return err
	}
	after["status"] = status
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(after, made); err != nil {
		return err
	}
	return user.Status().Update(ctx, made)
}

// source returns where the cache hears of objects.
func (c Case) source(t *testing.T, server *memory.Server) operator.Source {
	t.Helper()
	hiding := hiding{Server: server, upTo: server.Revision()}
	for _, object := range c.Unseen {
		gvk, err := apiutil.GVKForObject(object, c.Kinds.Scheme())
		if err != nil {
			t.Fatal(err)
		}
		hiding.kinds = append(hiding.kinds, gvk.Kind)
	}
	return hiding
}

// hiding is a server that does not tell of some kinds what was given.
type hiding struct {
	*memory.Server
	kinds []string
	upTo  uint64
}

func (h hiding) Since(revision uint64) []memory.Event {
	return slices.DeleteFunc(slices.Clone(h.Server.Since(revision)), func(event memory.Event) bool {
		return event.Revision <= h.upTo && slices.Contains(h.kinds, event.Object.GetKind())
	})
}

// refusing returns a configuration through which some requests do not come.
func (c Case) refusing(config *rest.Config) *rest.Config {
	if len(c.Refuse) == 0 {
		return config
	}
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(sent *http.Request) (*http.Response, error) {
			request, ok := Describe(sent)
			code, refused := c.Refuse[request.String()]
			if !ok || !refused {
				return next.RoundTrip(sent)
			}
			return Refusal(sent, code), nil
		})
	})
	return config
}

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
