package finalizer_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/finalizer"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/steptest"
)

type run = *reconcile.Run[*v1.MyApp]

// outside is what is beyond the garbage collector.
type outside struct {
	taken   bool
	calls   []string
	failure error
}

func (o *outside) acquire(_ context.Context, r run) (reconcile.Result, error) {
	o.calls = append(o.calls, "acquire")
	if !slices.Contains(r.Object().Finalizers, "apps.example.com/dns") {
		return reconcile.Result{}, errors.New("an effect without the finalizer that guards it")
	}
	o.taken = true
	return reconcile.Continue, nil
}

func (o *outside) release(context.Context, run) (reconcile.Result, error) {
	o.calls = append(o.calls, "release")
	if o.failure != nil {
		return reconcile.Result{}, o.failure
	}
	o.taken = false
	return reconcile.Continue, nil
}

func TestFuncGuardsAnEffectFromBeginningToEnd(t *testing.T) {
	shared := cluster.Shared(t)
	namespace := shared.Namespace(t)
	scheme := runtime.NewScheme()
	if err := v1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	effect := &outside{}
	pipeline := reconcile.NewPipeline("test", finalizer.Func("apps.example.com/dns", effect.release).Acquire(effect.acquire))
	live := steptest.StartLive[*v1.MyApp](t, shared.Config(), scheme, []string{namespace}, "test")
	if err := pipeline.Setup(live.Environment); err != nil {
		t.Fatal(err)
	}
	app := &v1.MyApp{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: namespace, Finalizers: []string{"example.com/theirs"}},
		Spec:       v1.MyAppSpec{Image: "img:1"},
	}
	if err := live.User.Create(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	key := client.ObjectKeyFromObject(app)
	pass := func(wantErr error) {
		t.Helper()
		live.CaughtUp(t, app)
		if _, err := pipeline.Reconcile(t.Context(), ctrl.Request{NamespacedName: key}); !errors.Is(err, wantErr) {
			t.Fatalf("err = %v, want %v", err, wantErr)
		}
	}
	quiet := func(wantErr error) {
		t.Helper()
		live.CaughtUp(t, app)
		live.Requests.Reset()
		pass(wantErr)
		if diff := cmp.Diff([]steptest.Request(nil), live.Requests.All()); diff != "" {
			t.Errorf("a second pass sent (-want +got):\n%s", diff)
		}
	}
	finalizers := func(want ...string) {
		t.Helper()
		if err := live.User.Get(t.Context(), key, app); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, app.Finalizers); diff != "" {
			t.Errorf("finalizers (-want +got):\n%s", diff)
		}
	}

	pass(nil)
	if !effect.taken {
		t.Error("the effect did not come about")
	}
	finalizers("example.com/theirs", "apps.example.com/dns")
	quiet(nil)

	if err := live.User.Delete(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	effect.failure = errors.New("zone is locked")
	pass(effect.failure)
	finalizers("example.com/theirs", "apps.example.com/dns")
	quiet(effect.failure)

	effect.failure = nil
	pass(nil)
	if effect.taken {
		t.Error("the effect was not released")
	}
	finalizers("example.com/theirs")
	quiet(nil)
	if last := effect.calls[len(effect.calls)-1]; last != "release" {
		t.Errorf("calls = %v: the effect came about again", effect.calls)
	}

	app.Finalizers = nil
	if err := live.User.Update(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	quiet(nil)
}

func TestFuncDescribesItself(t *testing.T) {
	effect := &outside{}
	about := finalizer.Func("apps.example.com/dns", effect.release).Describe()
	if about.Name != "dns" || about.Condition != "" || !slices.Equal(about.Finalizers, []string{"apps.example.com/dns"}) {
		t.Errorf("without Acquire: %+v", about)
	}
	about = finalizer.Func("apps.example.com/dns", effect.release).Acquire(effect.acquire).Describe()
	if about.Condition != "DnsReady" {
		t.Errorf("with Acquire: %+v", about)
	}
}

func TestMisuseIsToldAtSetup(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := v1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	pipeline := reconcile.NewPipeline("test", finalizer.Func[*v1.MyApp]("dns", nil))
	err := pipeline.Setup(reconcile.Environment{Client: fake.NewClientBuilder().WithScheme(scheme).Build()})
	for _, want := range []string{
		`step "dns": the function that releases is nil`,
		`step "dns": finalizer "dns": must be a domain and a name`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %s: %v", want, err)
		}
	}
}
