package reconcile_test

import (
	"context"
	"maps"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/examples/myapp/config"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/testing/faults"
	"github.com/trueup-dev/trueup/testing/steptest/memory"
)

// Whatever goes wrong at whichever request, what was done for an item that went is
// undone in the end, in the cluster and outside of it.
func TestForEachSurvivesEveryFault(t *testing.T) {
	web := &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: v1.MyAppSpec{Image: "img:1", NodeSelector: map[string]string{"a": "x", "b": "x"}}}
	change := func(body string) func(context.Context, client.Client) error {
		return func(ctx context.Context, user client.Client) error {
			return user.Patch(ctx, web.DeepCopy(), client.RawPatch(types.MergePatchType, []byte(body)))
		}
	}
	faults.Sweep{
		Kinds: myAppKinds(t), Given: []client.Object{web},
		New: func() faults.Subject {
			places := newPlaces()
			return faults.Subject{
				Setup: func(mgr ctrl.Manager) error {
					shards := reconcile.ForEach[app]("shards", shardsOf, guarded{places.step(), ourFinalizer}, shardConfig())
					return reconcile.NewPipeline("test", shards).SetupWithManager(mgr)
				},
				Outside: func() any {
					places.mu.Lock()
					defer places.mu.Unlock()
					return slices.Sorted(maps.Keys(places.taken))
				},
			}
		},
		Changes: []faults.Change{
			{Name: "a goes, c comes", Do: change(`{"spec":{"nodeSelector":{"a":null,"c":"x"}}}`)},
			{Name: "delete", Do: func(ctx context.Context, user client.Client) error { return user.Delete(ctx, web.DeepCopy()) }},
		},
	}.Check(t)
}

// myAppKinds are the kinds that an API server in memory has.
func myAppKinds(t *testing.T) *memory.Kinds {
	t.Helper()
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.Unmarshal(config.CRD, crd); err != nil {
		t.Fatal(err)
	}
	kinds, err := memory.NewKinds(scheme(t), crd)
	if err != nil {
		t.Fatal(err)
	}
	return kinds
}
