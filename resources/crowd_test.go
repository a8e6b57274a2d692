package resources_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
)

// stores reads from the stores of informers, as a cache does without deep
// copies.
type stores struct {
	client.Client
	byType map[reflect.Type]cache.Indexer
}

func newStores(c client.Client) *stores {
	return &stores{Client: c, byType: map[reflect.Type]cache.Indexer{}}
}

func (s *stores) of(object client.Object) cache.Indexer {
	kind := reflect.TypeOf(object)
	if s.byType[kind] == nil {
		s.byType[kind] = cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	}
	return s.byType[kind]
}

func (s *stores) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	found, ok, err := s.of(into).GetByKey(key.String())
	if err != nil || !ok {
		return apierrors.NewNotFound(schema.GroupResource{}, key.Name)
	}
	reflect.ValueOf(into).Elem().Set(reflect.ValueOf(found).Elem())
	return nil
}

// crowd is many MyApps, over which a pipeline goes in turn.
type crowd struct {
	pipeline *reconcile.Pipeline[*v1.MyApp]
	requests []ctrl.Request
	next     int
}

// following returns the request that is next, as it comes from the queue: of
// strings that an event has just made.
func (m *crowd) following() ctrl.Request {
	request := m.requests[m.next%len(m.requests)]
	m.next++
	request.Namespace, request.Name = strings.Clone(request.Namespace), strings.Clone(request.Name)
	return request
}

// pass makes a pass over the next MyApp.
func (m *crowd) pass(t testing.TB) {
	t.Helper()
	m.reconcile(t, m.following())
}

func (m *crowd) reconcile(t testing.TB, request ctrl.Request) {
	t.Helper()
	if result, err := m.pipeline.Reconcile(t.Context(), request); err != nil || !result.IsZero() {
		t.Fatalf("%s: %v, %v", request, result, err)
	}
}

// crowd returns MyApps that are as c.app, each with memory of its own, and gives
// their objects to add.
func (c *converged) crowd(
	t testing.TB, apps int, environment reconcile.Environment, add func(client.Object) error,
) *crowd {
	t.Helper()
	many := &crowd{pipeline: reconcile.NewPipeline("bench", c.steps()...)}
	for i := range apps {
		name := fmt.Sprintf("app-%05d", i)
		for _, object := range c.objects {
			if err := add(c.clone(t, object, i, name)); err != nil {
				t.Fatal(err)
			}
		}
		many.requests = append(many.requests, ctrl.Request{
			NamespacedName: client.ObjectKey{Namespace: strings.Clone(c.app.Namespace), Name: name},
		})
	}
	if err := many.pipeline.Setup(environment); err != nil {
		t.Fatal(err)
	}
	return many
}

// clone decodes an object of another MyApp, as an informer does.
func (c *converged) clone(t testing.TB, object client.Object, i int, name string) client.Object {
	t.Helper()
	data, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	others := []string{`"web"`, `"` + name + `"`, `=web"`, `=` + name + `"`}
	for _, object := range c.objects {
		uid := string(object.GetUID())
		others = append(others, uid, fmt.Sprintf("%08x%s", i, uid[8:]))
	}
	clone := reflect.New(reflect.TypeOf(object).Elem()).Interface().(client.Object)
	if err := json.Unmarshal([]byte(strings.NewReplacer(others...).Replace(string(data))), clone); err != nil {
		t.Fatal(err)
	}
	return clone
}
