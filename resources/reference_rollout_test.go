package resources_test

import (
	"context"
	"sync"
	"testing"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
	"github.com/trueup-dev/trueup/status"
	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/steptest"
)

// rollout is an operator whose Deployment rolls out when a Secret changes.
type rollout struct {
	*bench
	mu     sync.Mutex
	passes map[string]int
	nudges map[string]string // the last that a pass has seen
}

// newRollout starts the operator. The hash goes from the reference to what is
// desired through a map, by the owner's UID.
func newRollout(t *testing.T) *rollout {
	t.Helper()
	shared := cluster.Shared(t)
	r := &rollout{bench: &bench{T: t, namespace: shared.Namespace(t)}, passes: map[string]int{}, nudges: map[string]string{}}
	requests := &steptest.Requests{}
	mgr, err := ctrl.NewManager(requests.Attach(shared.Config()), manager.Options{
		Scheme: scheme(t), Logger: logr.Discard(), Metrics: metricsserver.Options{BindAddress: "0"},
		Cache: cache.Options{DefaultNamespaces: map[string]cache.Config{r.namespace: {}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	user, err := client.New(shared.Config(), client.Options{Scheme: scheme(t)})
	if err != nil {
		t.Fatal(err)
	}
	r.Live = &steptest.Live{Requests: requests, User: user, Environment: reconcile.Environment{Cache: mgr.GetCache()}}

	secret := resources.Reference(secretOf)
	pipeline := reconcile.NewPipeline("rollout-"+r.namespace[len(r.namespace)-5:],
		secret,
		resources.EnsureFrom(func(app *v1.MyApp, run *reconcile.Run[*v1.MyApp]) (*appsv1.Deployment, error) {
			deployment, err := desiredDeployment(app)
			hash, _ := secret.Hash(run)
			deployment.Spec.Template.Annotations = map[string]string{"hash": hash}
			return deployment, err
		}).ReadyWhen(func(*appsv1.Deployment) resources.Readiness { return resources.Readiness{Ready: true} }),
		status.Func(func(app *v1.MyApp, _ *reconcile.Run[*v1.MyApp]) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.passes[app.Name]++
			r.nudges[app.Name] = app.Labels["nudge"]
		}),
		status.Summarize(func(app *v1.MyApp) *[]metav1.Condition { return &app.Status.Conditions }),
	)
	if err := pipeline.SetupWithManager(mgr); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- mgr.Start(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return r
}

func (r *rollout) app(name, secret string) *v1.MyApp {
	r.Helper()
	app := &v1.MyApp{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: r.namespace, Annotations: map[string]string{"secret": secret}},
		Spec:       v1.MyAppSpec{Image: "img:1"},
	}
	r.create(app)
	return app
}

// says waits until the object's condition of the reference says something.
func (r *rollout) says(app *v1.MyApp, reason string) {
	r.Helper()
	r.eventually(app.Name+" says "+reason, func(ctx context.Context) bool {
		if err := r.User.Get(ctx, client.ObjectKeyFromObject(app), app); err != nil {
			return false
		}
		condition := meta.FindStatusCondition(app.Status.Conditions, "SecretReady")
		return condition != nil && condition.Reason == reason
	})
}

// rolledOut waits until the Deployment has another hash than it had, and
// returns the new one and the generation.
func (r *rollout) rolledOut(app *v1.MyApp, than string) (hash string, generation int64) {
	r.Helper()
	deployment := &appsv1.Deployment{}
	r.eventually(app.Name+" is rolled out", func(ctx context.Context) bool {
		err := r.User.Get(ctx, client.ObjectKeyFromObject(app), deployment)
		if err != nil && !apierrors.IsNotFound(err) {
			r.Fatal(err)
		}
		hash, generation = deployment.Spec.Template.Annotations["hash"], deployment.Generation
		return err == nil && hash != than
	})
	return hash, generation
}

func (r *rollout) passesOver(app *v1.MyApp) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.passes[app.Name]
}

// woken does something and waits until it has led to a pass over each object.
func (r *rollout) woken(what func(), apps ...*v1.MyApp) {
	r.Helper()
	before := map[*v1.MyApp]int{}
	for _, app := range apps {
		before[app] = r.passesOver(app)
	}
	what()
	for _, app := range apps {
		r.eventually(app.Name+" is woken", func(context.Context) bool { return r.passesOver(app) > before[app] })
	}
}

// idle waits until all that has happened to the objects is dealt with. The
// second nudge is for what the pass after the first has led to.
func (r *rollout) idle(apps ...*v1.MyApp) {
	r.Helper()
	for range 2 {
		for _, app := range apps {
			r.get(app)
			nudge, before := app.ResourceVersion, app.DeepCopy()
			app.Labels = map[string]string{"nudge": nudge}
			if err := r.User.Patch(r.Context(), app, client.MergeFrom(before)); err != nil {
				r.Fatal(err)
			}
			r.eventually(app.Name+" is idle", func(context.Context) bool {
				r.mu.Lock()
				defer r.mu.Unlock()
				return r.nudges[app.Name] == nudge
			})
		}
	}
}
