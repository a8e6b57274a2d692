package main

import (
	"fmt"
	"net"
	"net/http"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/features"
	featurestesting "k8s.io/client-go/features/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/examples/myapp/internal/stage"
	"github.com/trueup-dev/trueup/testing/steptest"
)

// brisk are arguments of an operator that does not wait long for the lease.
var brisk = []string{
	"--leader-elect", "--leader-elect-lease-duration=3s", "--leader-elect-renew-deadline=2s", "--leader-elect-retry-period=200ms",
	"--metrics-bind-address=0",
}

// create creates apps, which are gone after the test, whoever runs then.
func (s *site) create(namespace string, names ...string) []*v1.MyApp {
	s.Helper()
	apps := make([]*v1.MyApp, 0, len(names))
	for _, name := range names {
		app := &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Spec: v1.MyAppSpec{Image: "img:1"}}
		s.must(s.client.Create(s.ctx, app))
		apps = append(apps, app)
	}
	return apps
}

// awaitDeployment waits until an app has a Deployment as it should be.
func (s *site) awaitDeployment(app *v1.MyApp, replicas int32) *appsv1.Deployment {
	s.Helper()
	deployment := &appsv1.Deployment{}
	s.await(app.Name+" has its Deployment", func() error {
		if err := s.client.Get(s.ctx, client.ObjectKeyFromObject(app), deployment); err != nil {
			return err
		}
		if *deployment.Spec.Replicas != replicas {
			return fmt.Errorf("it has %d replicas", *deployment.Spec.Replicas)
		}
		return nil
	})
	return deployment
}

// replica returns another place for the same operator to run at.
func (s *site) replica() *site {
	other := *s
	other.requests = &steptest.Requests{}
	return &other
}

func (s *site) holder() string {
	lease := &coordinationv1.Lease{}
	if err := s.client.Get(s.ctx, client.ObjectKey{Namespace: stage.Namespace, Name: "myapp.apps.example.com"}, lease); err != nil || lease.Spec.HolderIdentity == nil {
		return ""
	}
	return *lease.Spec.HolderIdentity
}

func isLease(request steptest.Request) bool { return request.Resource == "leases" }

// A new replica of the operator takes over from the old one, as it does in a
// rolling upgrade, and has nothing to write over what is as it should be, nor to tell,
// whatever the apps have.
func TestTakeOverWritesNothing(t *testing.T) {
	s := newSite(t, "config/without-webhooks")
	namespace := s.env.Namespace(t)
	s.must(s.client.Create(s.ctx, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "settings"}, StringData: map[string]string{"TOKEN": "1"},
	}))
	apps := s.create(namespace, "a", "b", "c", "d", "e")
	for i, app := range apps {
		replicas := int32(i + 1)
		s.edit(app, func() { app.Spec.Replicas = &replicas })
	}
	s.start(brisk)
	for i, app := range apps {
		s.awaitDeployment(app, int32(i+1))
		s.edit(app, func() { full(&app.Spec) }) // and the replicas are the autoscaler's
		for _, part := range parts() {
			s.await(fmt.Sprintf("there is a %T", part), func() error { return s.client.Get(s.ctx, client.ObjectKeyFromObject(app), part) })
		}
		deployment := s.awaitDeployment(app, int32(i+1))
		deployment.Status = appsv1.DeploymentStatus{
			ObservedGeneration: deployment.Generation, Replicas: 1, UpdatedReplicas: 1, ReadyReplicas: 1, AvailableReplicas: 1,
		}
		s.must(s.client.Status().Update(s.ctx, deployment))
	}
	here := func(request steptest.Request) bool { return request.Namespace == namespace }
	_, err := s.requests.Quiet(s.ctx, here)
	s.must(err)

	next := s.replica()
	next.start(brisk)
	next.await("the new replica is ready", func() error { return s.expect(http.StatusOK, "http://"+next.probes+"/readyz", "") })
	before := s.holder()
	s.must(s.stop())
	s.await("the new replica leads", func() error {
		if holder := s.holder(); holder == before || holder == "" {
			return fmt.Errorf("%q does", holder)
		}
		return nil
	})
	// It works, and is through with what it found.
	s.edit(apps[0], func() { apps[0].Spec.Image = "img:2" })
	s.await("the new replica works", func() error {
		deployment := s.awaitDeployment(apps[0], 1)
		if image := deployment.Spec.Template.Spec.Containers[0].Image; image != "img:2" {
			return fmt.Errorf("the image is %s", image)
		}
		return nil
	})
	_, err = next.requests.Quiet(s.ctx, here)
	s.must(err)
	if wrote := next.requests.All(here, func(r steptest.Request) bool { return r.Write() && r.Name != "a" }); len(wrote) > 0 {
		t.Errorf("the new replica has sent %v", wrote)
	}
	if told := next.requests.All(here, steptest.Request.Event); len(told) != 1 {
		t.Errorf("the new replica has told more or less than of the new image: %v", told)
	}
	s.must(next.stop())
}

// An operator that is told to end while it has much to do ends, and the last that
// it writes is that the lease is free.
func TestStopUnderLoad(t *testing.T) {
	s := newSite(t, "config/without-webhooks")
	namespace := s.env.Namespace(t)
	s.start(brisk)
	names := make([]string, 60)
	for i := range names {
		names[i] = fmt.Sprintf("app-%d", i)
	}
	apps := s.create(namespace, names...)
	s.must(s.stop()) // in the middle of it
	sent := s.requests.All(func(r steptest.Request) bool { return (r.Write() || isLease(r)) && r.Code < 300 })
	if len(sent) == 0 || !isLease(sent[len(sent)-1]) {
		t.Errorf("the last of %d writes is not that the lease is free: %v", len(sent), sent[max(0, len(sent)-1):])
	}
	if holder := s.holder(); holder != "" {
		t.Errorf("%s has the lease", holder)
	}
	applied := func(r steptest.Request) bool { return r.Apply && r.Resource == "services" }
	if n := len(s.requests.All(applied)); n == len(apps) {
		t.Error("it was not in the middle of anything")
	}

	next := s.replica()
	next.start(brisk)
	for _, app := range apps {
		next.awaitDeployment(app, 1)
	}
	s.must(next.stop())
}

// A dry run of what is installed has the API server try every write of an app with
// everything, and leaves all as it was. It serves no webhooks.
func TestDryRun(t *testing.T) {
	s := newSite(t, "config/without-webhooks")
	namespace := s.env.Namespace(t)
	app := s.app("web", "img:1")
	app.Namespace = namespace
	full(&app.Spec)
	s.must(s.client.Create(s.ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: app.Spec.SecretName}}))
	s.must(s.client.Create(s.ctx, app))
	before := app.ResourceVersion
	s.install("config/default")
	s.start(append(s.arguments(), "--dry-run", "--namespaces="+namespace))
	wanted := []string{
		"myapps/status", "deployments", "services", "events", "configmaps", "serviceaccounts", "ingresses", "networkpolicies",
		"horizontalpodautoscalers", "poddisruptionbudgets",
	}
	s.await("every write was tried", func() error {
		for _, resource := range wanted {
			if !slices.ContainsFunc(s.requests.All(), func(r steptest.Request) bool { return r.DryRun && r.Resource == resource && r.Code < 300 }) {
				return fmt.Errorf("nobody has tried to write %s: %v", resource, s.requests.All())
			}
		}
		return nil
	})
	s.awaitReady()
	if _, err := net.Dial("tcp", s.webhooks.replicas[0].address); err == nil {
		t.Error("it serves webhooks")
	}
	count, err := s.requests.Quiet(s.ctx)
	s.must(err)
	if count > 60 {
		t.Errorf("%d requests for one app", count)
	}
	s.must(s.stop())
	for _, request := range s.requests.All() {
		if (request.Write() || request.Event() || isLease(request)) && !request.DryRun {
			t.Errorf("%s was sent in earnest", request)
		}
	}
	s.must(s.client.Get(s.ctx, client.ObjectKeyFromObject(app), app))
	if app.ResourceVersion != before {
		t.Errorf("the app was written: %+v", app.ManagedFields)
	}
	for _, child := range append(parts(), &appsv1.Deployment{}, &corev1.Service{}) {
		if err := s.client.Get(s.ctx, client.ObjectKeyFromObject(app), child); !apierrors.IsNotFound(err) {
			t.Errorf("there is a %T: %v", child, err)
		}
	}
}

// Alive is not ready: an operator that cannot fill its caches says so, and is not
// restarted for it.
func TestNotReadyWithoutCaches(t *testing.T) {
	s := newSite(t, "config/without-webhooks")
	featurestesting.SetFeatureDuringTest(t, features.WatchListClient, false) // so that a cache is filled by a list
	d := s.deprive([]right{{"", "services", "list"}})
	d.start()
	s.await("it is alive", func() error { return s.expect(http.StatusOK, "http://"+s.probes+"/healthz", "") })
	s.await("it is not ready", func() error { return s.expect(http.StatusInternalServerError, "http://"+s.probes+"/readyz", "") })
}
