package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	v2 "github.com/trueup-dev/trueup/examples/myapp/api/v2"
	"github.com/trueup-dev/trueup/examples/myapp/internal/stage"
	"github.com/trueup-dev/trueup/testing/steptest"
)

// newGuarded returns a site with webhooks and an operator that serves them. There
// is an app, "old", from before there were webhooks, that they would refuse, and whose
// image they would have trimmed.
func newGuarded(t *testing.T, args ...string) *site {
	t.Helper()
	s := newSite(t, "config/without-webhooks")
	old := s.app("old", " Img")
	old.Spec.NodeSelector = map[string]string{"disk": "very fast"}
	s.must(s.client.Create(s.ctx, old))
	s.Cleanup(func() { s.remove(old) })

	s.install("config/default")
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: stage.Namespace, Name: certificateName}}
	s.must(client.IgnoreNotFound(s.client.Delete(s.ctx, secret)))
	s.start(append(s.arguments(), args...))
	s.awaitReady()
	s.await("the API server trusts it", func() error { return s.try("trial", "img:1") })
	return s
}

// remove deletes an app whose operator has ended, once the API server does not convert it
// any more.
func (s *site) remove(app *v1.MyApp) {
	s.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	none := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))
	if err := stage.Await(ctx, app.Name+" is gone", func(ctx context.Context) error {
		if err := s.client.Delete(ctx, app); err != nil {
			return client.IgnoreNotFound(err)
		}
		return client.IgnoreNotFound(s.client.Patch(ctx, app, none))
	}); err != nil {
		s.Error(err)
	}
}

// arguments are those of the installed Deployment.
func (s *site) arguments() []string {
	s.Helper()
	deployment := &appsv1.Deployment{}
	s.get("myapp-controller-manager", deployment)
	return deployment.Spec.Template.Spec.Containers[0].Args
}

func (s *site) awaitReady() {
	s.Helper()
	s.await("the operator is ready", func() error { return s.expect(http.StatusOK, "http://"+s.probes+"/readyz", "") })
}

func (s *site) app(name, image string) *v1.MyApp {
	return &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}, Spec: v1.MyAppSpec{Image: image}}
}

// try asks whether an app could be created.
func (s *site) try(name, image string) error {
	return s.client.Create(s.ctx, s.app(name, image), client.DryRunAll)
}

// patch changes the spec of an app.
func (s *site) patch(name, spec string) error {
	app := s.app(name, "")
	return s.client.Patch(s.ctx, app, client.RawPatch(types.MergePatchType, []byte(`{"spec":`+spec+`}`)))
}

// warnings keeps what the API server warns of.
type warnings struct {
	mu   sync.Mutex
	text string
}

func (w *warnings) HandleWarningHeaderWithContext(_ context.Context, _ int, _, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text += text
}

func TestWebhooks(t *testing.T) {
	s := newGuarded(t)
	app := s.app("pasted", " img:1 ")
	s.must(s.client.Create(s.ctx, app, client.DryRunAll))
	if app.Spec.Image != "img:1" || app.Spec.Replicas == nil || app.Spec.Port != 8080 {
		t.Errorf("defaulted to %+v", app.Spec)
	}
	if err := s.try("bad", "Img:1"); !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), "spec.image: Invalid value") {
		t.Errorf("an image that cannot be was answered %v", err)
	}

	warned := &warnings{}
	config := rest.CopyConfig(s.env.Config())
	config.WarningHandlerWithContext = warned
	warnee, err := client.New(config, client.Options{Scheme: s.client.Scheme()})
	s.must(err)
	s.must(warnee.Create(s.ctx, s.app("latest", "img"), client.DryRunAll))
	if !strings.Contains(warned.text, "whatever is pushed last") {
		t.Errorf("warned of %q", warned.text)
	}

	// What older objects hold stays, and what is new in them is judged.
	s.must(s.patch("old", `{"replicas":0}`))
	s.must(s.patch("old", `{"nodeSelector":{"disk":"very fast","zone":"a"}}`))
	if err := s.patch("old", `{"nodeSelector":{"disk":"too fast"}}`); !apierrors.IsInvalid(err) {
		t.Errorf("a bad value instead of another was answered %v", err)
	}
	s.must(s.patch("old", `{"nodeSelector":null}`))

	// The rules hold in the other version, too.
	newer := &v2.MyApp{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "newer"}, Spec: v2.MyAppSpec{Image: "Img:1", ContainerPort: 9090}}
	if err := s.client.Create(s.ctx, newer); !apierrors.IsInvalid(err) {
		t.Errorf("an image that cannot be was answered %v in v2", err)
	}
	newer.Spec.Image = "img:1"
	s.must(s.client.Create(s.ctx, newer))
	app = s.app("newer", "")
	s.must(s.client.Get(s.ctx, client.ObjectKeyFromObject(app), app))
	if app.Spec.Port != 9090 {
		t.Errorf("v1 says port %d", app.Spec.Port)
	}
	s.await("the operator has made what v2 asks for", func() error {
		deployment := &appsv1.Deployment{}
		if err := s.client.Get(s.ctx, client.ObjectKeyFromObject(app), deployment); err != nil {
			return err
		}
		if port := deployment.Spec.Template.Spec.Containers[0].Ports[0].ContainerPort; port != 9090 {
			return fmt.Errorf("the port is %d", port)
		}
		return nil
	})
	s.await("its status is told in v2", func() error {
		if err := s.client.Get(s.ctx, client.ObjectKeyFromObject(newer), newer); err != nil {
			return err
		}
		if newer.Status.ObservedGeneration == 0 {
			return errors.New("there is none")
		}
		return nil
	})
	s.must(s.client.Delete(s.ctx, newer))
	s.must(s.stop())
	s.checkRights()
}

// checkRights makes sure that nothing was asked that the installed roles forbid.
func (s *site) checkRights() {
	s.Helper()
	// Nothing can be made any more where another test has been.
	there := map[string]bool{"": true}
	namespaces := &corev1.NamespaceList{}
	s.must(s.client.List(s.ctx, namespaces))
	for _, namespace := range namespaces.Items {
		there[namespace.Name] = namespace.DeletionTimestamp == nil
	}
	if denied := s.requests.All(func(r steptest.Request) bool {
		return r.Code == http.StatusForbidden && there[r.Namespace]
	}); len(denied) > 0 {
		s.Errorf("the installed roles lack %v", denied)
	}
}

// A webhook that does not answer keeps bad apps out, and nothing else up: what is
// there can be scaled, is looked after, and can be deleted.
func TestWebhookDownAndSlow(t *testing.T) {
	s := newGuarded(t)
	for state, words := range map[string]string{"down": "failed calling webhook", "slow": "failed calling webhook"} {
		s.must(s.client.Create(s.ctx, s.app(state, "img:1")))
		app := s.app(state, "")
		s.await("the app has its finalizer", func() error {
			if err := s.client.Get(s.ctx, client.ObjectKeyFromObject(app), app); err != nil || len(app.Finalizers) == 0 {
				return fmt.Errorf("there is none: %w", err)
			}
			return nil
		})

		s.webhooks.turn(state)
		if err := s.try("trial", "img:1"); !apierrors.IsInternalError(err) || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: a new app was answered %v", state, err)
		}
		scale := &autoscalingv1.Scale{Spec: autoscalingv1.ScaleSpec{Replicas: 3}}
		s.must(s.client.SubResource("scale").Update(s.ctx, app, client.WithSubResourceBody(scale)))
		s.await("the Deployment is scaled", func() error {
			deployment := &appsv1.Deployment{}
			if err := s.client.Get(s.ctx, client.ObjectKeyFromObject(app), deployment); err != nil || *deployment.Spec.Replicas != 3 {
				return fmt.Errorf("replicas are %v: %w", deployment.Spec.Replicas, err)
			}
			return nil
		})
		s.must(s.client.Delete(s.ctx, app))
		s.await("the app is gone", func() error {
			err := s.client.Get(s.ctx, client.ObjectKeyFromObject(app), app)
			if err == nil {
				return fmt.Errorf("it has the finalizers %v", app.Finalizers)
			}
			return client.IgnoreNotFound(err)
		})
		s.webhooks.turn("up")
		s.await("the webhook is called again", func() error { return s.try("trial", "img:1") })
	}
	s.must(s.stop())
}

// While two replicas replace their certificate again and again, and with each new
// connection of the API server meeting the newest of either in turn, no call fails.
func TestCertificateRotation(t *testing.T) {
	const brief = "--webhook-cert-lifetime=3s"
	s := newGuarded(t, brief)
	other := s.replica()
	other.start(append(s.arguments(), brief))
	other.awaitReady()
	secret, last, rotations, calls := &corev1.Secret{}, []byte(nil), -1, 0
	for rotations < 3 {
		s.get(certificateName, secret)
		if !bytes.Equal(last, secret.Data[corev1.TLSCertKey]) {
			last, rotations = secret.Data[corev1.TLSCertKey], rotations+1
		}
		s.webhooks.turn("up") // which cuts the connections
		if err := s.try("trial", "img:1"); torn(err) {
			continue // the API server had not noticed that yet
		} else if err != nil {
			t.Fatal(err)
		}
		calls++
		s.must(s.ctx.Err())
	}
	t.Logf("%d certificates, %d calls, none failed", rotations+1, calls)
	for _, replica := range []*site{s, other} {
		s.must(replica.stop())
		replica.checkRights()
	}
}

// torn reports whether an error is of a connection that was cut while it was used.
func torn(err error) bool {
	return err != nil && (strings.Contains(err.Error(), "broken pipe") ||
		strings.Contains(err.Error(), "connection reset") || strings.HasSuffix(err.Error(), "EOF"))
}
