package reconcile_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/go-logr/logr"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/steptest"
)

// described is a step that says of itself what a test wants.
type described struct{ about reconcile.Description }

func (d described) Describe() reconcile.Description { return d.about }
func (d described) Reconcile(context.Context, appRun) (reconcile.Result, error) {
	return reconcile.Continue, nil
}
func (d described) Finalize(context.Context, appRun) (reconcile.Result, error) {
	return reconcile.Continue, nil
}

func TestSetupTellsEveryFaultAtOnce(t *testing.T) {
	unknown := &unstructured.Unstructured{}
	pipeline := reconcile.NewPipeline("My_App",
		nil,
		(*reconcile.FuncStep[app])(nil),
		described{reconcile.Description{Name: "lookup", Kind: "test", Watches: []reconcile.Watch{{
			Object: &corev1.Secret{}, Index: "missing", Values: func(client.Object) []string { return nil },
		}}}},
		reconcile.Func[app]("", nothing),
		reconcile.Func[app]("no function", nil),
		reconcile.Func("twice", nothing),
		reconcile.All(reconcile.Func("twice", nothing)),
		reconcile.Func("dns-record", nothing),
		reconcile.Func("dns.record", nothing),
		described{reconcile.Description{Name: "ready", Kind: "test", Condition: "Ready"}},
		described{reconcile.Description{Name: "own", Kind: "test", Owns: []client.Object{unknown}}},
		described{reconcile.Description{Name: "watch", Kind: "test", Watches: []reconcile.Watch{{Object: &corev1.Secret{}}}}},
		described{reconcile.Description{Name: "index", Kind: "test", Indexes: []reconcile.Index{{Object: &corev1.Secret{}}}}},
		described{reconcile.Description{Name: "verbs", Kind: "test", Access: []reconcile.Access{{Object: &corev1.Secret{}}}}},
		described{reconcile.Description{Name: "f1", Kind: "test", Finalizers: []string{"bare", "example.com/a"}}},
		described{reconcile.Description{Name: "f2", Kind: "test", Finalizers: []string{"example.com/a"}}},
		described{reconcile.Description{Name: strings.Repeat("long", 20), Kind: "test"}},
		described{reconcile.Description{Name: "bad", Kind: "test", Err: errors.New("its option is wrong")}},
	)
	err := pipeline.Setup(reconcile.Environment{Client: fake.NewClientBuilder().WithScheme(scheme(t)).Build()})
	if err == nil {
		t.Fatal("everything was accepted")
	}
	for _, want := range []string{
		`pipeline "My_App": name: `,
		`step "nil": the step is nil` + "\n",
		`step "nil": the step is nil, a *reconcile.FuncStep`,
		`step "lookup": no step declares the index "missing" of the reconciled kind`,
		`a step of kind Func has no name`,
		`step "no function": the function is nil`,
		`step "twice": the name is taken`,
		`step "dns.record": condition type "DnsRecordReady" is that of step "dns-record"`,
		`step "ready": condition type "Ready" speaks for the whole object`,
		`step "own": owned kind: `,
		`step "watch": a watch needs a handler, or an index`,
		`step "index": an index needs a name`,
		`step "verbs": access without verbs`,
		`step "f1": finalizer "bare": must be a domain and a name`,
		`step "f2": finalizer "example.com/a" is that of step "f1"`,
		`must be no more than 63`,
		`step "bad": its option is wrong`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %s:\n%v", want, err)
		}
	}
}

func TestSetupNeedsAKnownKind(t *testing.T) {
	pipeline := reconcile.NewPipeline("test", reconcile.Func("a", nothing))
	err := pipeline.Setup(reconcile.Environment{Client: fake.NewClientBuilder().Build()})
	if err == nil || !strings.Contains(err.Error(), "the reconciled type: no kind is registered") {
		t.Errorf("err = %v, want it to say that the scheme lacks MyApp", err)
	}
}

func TestSetupNeedsAPointerToAStruct(t *testing.T) {
	pipeline := reconcile.NewPipeline[client.Object]("test").For(&v1.MyApp{})
	err := pipeline.Setup(reconcile.Environment{Client: fake.NewClientBuilder().WithScheme(scheme(t)).Build()})
	if err == nil || !strings.Contains(err.Error(), "must be a pointer to a struct") {
		t.Errorf("err = %v, want an interface refused", err)
	}
}

func TestSetupWithManagerRefusesANilCustomization(t *testing.T) {
	mgr, err := ctrl.NewManager(cluster.Shared(t).Config(), manager.Options{
		Scheme: scheme(t), Logger: logr.Discard(), Metrics: metricsserver.Options{BindAddress: "0"},
	})
	if err != nil {
		t.Fatal(err)
	}
	err = reconcile.NewPipeline("customized", reconcile.Func("a", nothing)).SetupWithManager(mgr, nil)
	if err == nil || !strings.Contains(err.Error(), "customize: the function is nil") {
		t.Errorf("err = %v, want it to say so", err)
	}
}

func TestSetupNeedsAClient(t *testing.T) {
	pipeline := reconcile.NewPipeline("test", reconcile.Func("a", nothing))
	if err := pipeline.Setup(reconcile.Environment{}); err == nil || !strings.Contains(err.Error(), "Client is required") {
		t.Errorf("err = %v, want it to name the field", err)
	}
}

func TestSetupRefusesAnOwnerReferenceThatCannotHold(t *testing.T) {
	live := steptest.StartLive[app](t, cluster.Shared(t).Config(), scheme(t), []string{"default"}, "test")
	pipeline := reconcile.NewPipeline("test",
		described{reconcile.Description{Name: "role", Kind: "test", Owns: []client.Object{&rbacv1.ClusterRole{}}}},
		described{reconcile.Description{Name: "config", Kind: "test", Owns: []client.Object{&corev1.ConfigMap{}}}},
	)
	err := pipeline.Setup(live.Environment)
	if err == nil || !strings.Contains(err.Error(), `step "role": *v1.ClusterRole is cluster-scoped`) || strings.Contains(err.Error(), "config") {
		t.Errorf("err = %v, want the ClusterRole refused (C35)", err)
	}
}

func TestSetupOnlyOnce(t *testing.T) {
	pipeline := reconcile.NewPipeline("test", reconcile.Func("a", nothing))
	env := reconcile.Environment{Client: fake.NewClientBuilder().WithScheme(scheme(t)).Build()}
	if err := pipeline.Setup(env); err != nil {
		t.Fatal(err)
	}
	if err := pipeline.Setup(env); err == nil {
		t.Error("a second setup was accepted")
	}
}

// The controller is woken by the object, by what its steps own, and by what
// they watch; steps read by the indexes they declare.
func TestSetupWithManagerDerivesTheWiring(t *testing.T) {
	shared := cluster.Shared(t)
	namespace := shared.Namespace(t)
	mgr := steptest.NewManager(t, shared.Config(), scheme(t), namespace)
	passes := make(chan int, 100)
	secretsOf := reconcile.Index{Object: &corev1.Secret{}, Name: "type", Values: func(object client.Object) []string {
		return []string{string(object.(*corev1.Secret).Type)}
	}}
	step := reconcile.Func("count", func(ctx context.Context, run appRun) (reconcile.Result, error) {
		secrets := &corev1.SecretList{}
		err := run.Cache().List(ctx, secrets, client.InNamespace(namespace), run.Matching("type", "example.com/x"))
		passes <- len(secrets.Items)
		return reconcile.Continue, err
	}).Indexed(secretsOf, secretsOf).Watching(reconcile.Watch{
		Object: &corev1.Secret{},
		Handler: func(client.Reader) handler.EventHandler {
			return handler.EnqueueRequestsFromMapFunc(func(context.Context, client.Object) []ctrl.Request {
				return []ctrl.Request{{NamespacedName: types.NamespacedName{Namespace: namespace, Name: "web"}}}
			})
		},
	})
	owner := described{reconcile.Description{Name: "own", Kind: "test", Owns: []client.Object{&corev1.ConfigMap{}, &corev1.ConfigMap{}}}}
	customized := false
	pipeline := reconcile.NewPipeline("wiring", step, owner)
	err := pipeline.SetupWithManager(mgr, func(b *builder.Builder) {
		customized = true
		b.WithOptions(controller.Options{MaxConcurrentReconciles: 2})
	})
	if err != nil || !customized {
		t.Fatalf("setup: %v, customized %v", err, customized)
	}
	steptest.StartManager(t, mgr)
	next := func(why string, want int) {
		t.Helper()
		deadline := time.After(30 * time.Second)
		for {
			select {
			case got := <-passes:
				if got == want {
					return
				}
			case <-deadline:
				t.Fatalf("no pass with %d secrets after %s", want, why)
			}
		}
	}
	user := mgr.GetClient()
	app := &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: namespace}, Spec: v1.MyAppSpec{Image: "img:1"}}
	if err := user.Create(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	next("the object was created", 0)
	child := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Name: "child", Namespace: namespace,
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(app, v1.GroupVersion.WithKind("MyApp"))},
	}}
	if err := user.Create(t.Context(), child); err != nil {
		t.Fatal(err)
	}
	next("a child was created", 0)
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "s", Namespace: namespace}, Type: "example.com/x"}
	if err := user.Create(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	next("a watched secret was created", 1)
}

// Steps that run by hand under one name tell what they have made by their own names.
func TestIndexesOfStepsOfOneNameAreRefused(t *testing.T) {
	config := func(name string) func(*v1.MyApp) (*corev1.ConfigMap, error) {
		return func(*v1.MyApp) (*corev1.ConfigMap, error) {
			return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, nil
		}
	}
	shared := cluster.Shared(t)
	mgr := steptest.NewManager(t, shared.Config(), scheme(t), shared.Namespace(t))
	a, b := resources.Ensure(config("a")), resources.Ensure(config("b"))
	err := reconcile.RegisterIndexes[*v1.MyApp](mgr, "hand", a, b)
	if want := `pipeline "hand": step "ConfigMap": the name is taken by another step; give one of them its own, with Named`; textOf(err) != want {
		t.Errorf("err = %v, want %s", err, want)
	}
	if err := reconcile.RegisterIndexes[*v1.MyApp](mgr, "hand", a, b.Named("other")); err != nil {
		t.Error(err)
	}
}
