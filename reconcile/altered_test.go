package reconcile_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
)

// lending reads everything as a cache does without deep copies: what a MyApp or a
// ConfigMap points to is shared by all readers.
type lending struct {
	client.Client
	app    *v1.MyApp
	config *corev1.ConfigMap
}

func (l *lending) Get(_ context.Context, _ client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	switch into := into.(type) {
	case *v1.MyApp:
		*into = *l.app
	case *corev1.ConfigMap:
		*into = *l.config
	}
	return nil
}

// A step that changes the spec, or an object of the cache, is named, with the field.
func TestAStepThatChangesWhatItMayOnlyReadIsCaught(t *testing.T) {
	peek := func(ctx context.Context, run appRun) *corev1.ConfigMap {
		config := &corev1.ConfigMap{}
		if err := run.Peek(ctx, client.ObjectKey{Namespace: "demo", Name: "config"}, config); err != nil {
			t.Error(err)
		}
		return config
	}
	for name, test := range map[string]struct {
		act  func(context.Context, appRun)
		want string // the field
	}{
		"nothing":              {func(ctx context.Context, run appRun) { peek(ctx, run) }, ""},
		"the status":           {func(_ context.Context, run appRun) { run.Object().Status.Replicas++ }, ""},
		"the struct of a read": {func(ctx context.Context, run appRun) { peek(ctx, run).Data = nil }, ""},
		"the spec":             {func(_ context.Context, run appRun) { run.Object().Spec.Image = "other" }, "Image"},
		"the labels":           {func(_ context.Context, run appRun) { run.Object().Labels["a"] = "2" }, "Labels"},
		"the original":         {func(_ context.Context, run appRun) { run.Original().Labels["a"] = "2" }, "Labels"},
		"a cached object":      {func(ctx context.Context, run appRun) { peek(ctx, run).Data["a"] = "2" }, "Data"},
	} {
		t.Run(name, func(t *testing.T) {
			labels := map[string]string{"a": "1"}
			server := &lending{
				app:    &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "demo", UID: "uid", Labels: labels}},
				config: &corev1.ConfigMap{Data: map[string]string{"a": "1"}},
			}
			server.Client = fake.NewClientBuilder().WithScheme(scheme(t)).WithObjects(server.app).WithStatusSubresource(server.app).Build()
			var told []string
			pipeline := reconcile.NewPipeline("test",
				reconcile.Func("innocent", nothing),
				reconcile.Func("culprit", func(ctx context.Context, run appRun) (reconcile.Result, error) {
					test.act(ctx, run)
					return reconcile.Continue, nil
				}),
				reconcile.Func("later", nothing))
			if err := pipeline.Setup(reconcile.Environment{Client: server, Altered: func(step string, was, is client.Object) {
				told = append(told, step)
				if diff := cmp.Diff(was, is); !strings.Contains(diff, test.want) {
					t.Errorf("the difference does not name %s:\n%s", test.want, diff)
				}
			}}); err != nil {
				t.Fatal(err)
			}
			if _, err := pipeline.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(server.app)}); err != nil {
				t.Fatal(err)
			}
			var want []string
			if test.want != "" {
				want = []string{"culprit"}
			}
			if diff := cmp.Diff(want, told); diff != "" {
				t.Errorf("told of steps (-want +got):\n%s", diff)
			}
		})
	}
}
