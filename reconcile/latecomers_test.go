package reconcile

import (
	"context"
	"errors"
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// shakyManager cannot be reached for as long as it has errors.
type shakyManager struct {
	manager.Manager
	meta.RESTMapper
	lookups, indexing []error
	indexed           []string
}

func (m *shakyManager) GetRESTMapper() meta.RESTMapper       { return m }
func (m *shakyManager) GetFieldIndexer() client.FieldIndexer { return m }
func (m *shakyManager) GetLogger() logr.Logger               { return logr.Discard() }

func (m *shakyManager) RESTMapping(schema.GroupKind, ...string) (*meta.RESTMapping, error) {
	return nil, next(&m.lookups)
}

func (m *shakyManager) IndexField(_ context.Context, _ client.Object, name string, _ client.IndexerFunc) error {
	if err := next(&m.indexing); err != nil {
		return err
	}
	m.indexed = append(m.indexed, name)
	return nil
}

func next(errs *[]error) error {
	if len(*errs) == 0 {
		return nil
	}
	err := (*errs)[0]
	*errs = (*errs)[1:]
	return err
}

// A moment without the API server ends neither the manager nor the search, and
// nothing is set up twice.
func TestALatecomerIsLookedForUntilItIsWired(t *testing.T) {
	refused := errors.New("connection refused")
	absent := &meta.NoKindMatchError{}
	mgr := &shakyManager{lookups: []error{absent, refused}, indexing: []error{nil, refused}}
	late := &latecomers{mgr: mgr, wires: []*wire{{home: mgr, indexes: []wiredIndex{{name: "a"}, {name: "b"}}}}}
	for look, indexed := range []int{0, 0, 1} {
		late.look(t.Context())
		if len(late.wires) != 1 || len(mgr.indexed) != indexed {
			t.Fatalf("look %d: %d wires are left, indexed %v; want the wire kept and %d indexes", look, len(late.wires), mgr.indexed, indexed)
		}
	}
	late.look(t.Context())
	if len(late.wires) != 0 || len(mgr.indexed) != 2 || mgr.indexed[1] != "b" {
		t.Errorf("%d wires are left, indexed %v; want each index once", len(late.wires), mgr.indexed)
	}
	late.search(t.Context()) // ends: there is nothing to look for
}
