package resources_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

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

func (s *stores) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	found, ok, err := s.byType[reflect.TypeOf(into)].GetByKey(key.String())
	if err != nil || !ok {
		return apierrors.NewNotFound(schema.GroupResource{}, key.Name)
	}
	reflect.ValueOf(into).Elem().Set(reflect.ValueOf(found).Elem())
	return nil
}

func (s *stores) add(object client.Object) error {
	kind := reflect.TypeOf(object)
	if s.byType[kind] == nil {
		s.byType[kind] = cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	}
	return s.byType[kind].Add(object)
}

// crowd is many MyApps as c.app, each with memory of its own, over which the
// pipeline goes in turn.
type crowd struct {
	pipeline *reconcile.Pipeline[*v1.MyApp]
	requests []ctrl.Request
	next     int
}

func (c *converged) crowd(b *testing.B, apps int) *crowd {
	b.Helper()
	s := &stores{Client: c.client, byType: map[reflect.Type]cache.Indexer{}}
	many := &crowd{pipeline: reconcile.NewPipeline("bench", c.steps()...)}
	for i := range apps {
		name := fmt.Sprintf("app-%05d", i)
		uid := fmt.Sprintf("%08x%s", i, c.app.UID[8:])
		for _, object := range c.objects {
			data, err := json.Marshal(object)
			if err != nil {
				b.Fatal(err)
			}
			text := strings.NewReplacer(`"web"`, `"`+name+`"`, `=web"`, `=`+name+`"`, string(c.app.UID), uid).Replace(string(data))
			clone := reflect.New(reflect.TypeOf(object).Elem()).Interface().(client.Object)
			if err := json.Unmarshal([]byte(text), clone); err != nil {
				b.Fatal(err)
			}
			if err := s.add(clone); err != nil {
				b.Fatal(err)
			}
		}
		many.requests = append(many.requests, ctrl.Request{NamespacedName: client.ObjectKey{Namespace: c.app.Namespace, Name: name}})
	}
	if err := many.pipeline.Setup(reconcile.Environment{Client: s}); err != nil {
		b.Fatal(err)
	}
	for range apps {
		many.pass(b)
	}
	return many
}

func (m *crowd) pass(b *testing.B) {
	b.Helper()
	request := m.requests[m.next%len(m.requests)]
	m.next++
	if result, err := m.pipeline.Reconcile(b.Context(), request); err != nil || !result.IsZero() {
		b.Fatalf("%s: %v, %v", request, result, err)
	}
}

// BenchmarkGrowth measures how the time of a pass that has nothing to do grows
// with the number of objects, which is by how much of what it touches has left the
// processor's caches in the meantime. What it reports is the median of passes, in
// batches that take turns, so that whatever else goes on meets all sizes.
func BenchmarkGrowth(b *testing.B) {
	c := converge(b)
	sizes := []int{10, 1000, 10000}
	crowds := make([]*crowd, len(sizes))
	for i, apps := range sizes {
		crowds[i] = c.crowd(b, apps)
	}
	c.requests.Reset()
	times := make([][]time.Duration, len(sizes))
	for b.Loop() {
		for i, many := range crowds {
			for range 500 {
				begin := time.Now()
				many.pass(b)
				times[i] = append(times[i], time.Since(begin))
			}
		}
	}
	for i, apps := range sizes {
		slices.Sort(times[i])
		b.ReportMetric(float64(times[i][len(times[i])/2]), fmt.Sprintf("ns/pass-of-%d", apps))
	}
	if sent := c.requests.All(); len(sent) > 0 {
		b.Errorf("sent %v", sent)
	}
}
