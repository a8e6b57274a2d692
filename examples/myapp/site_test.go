package main

import (
	"context"
	"crypto/tls"
	"flag"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/examples/myapp/internal/overlay"
	"github.com/trueup-dev/trueup/examples/myapp/internal/stage"
	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/steptest"
)

// site is a cluster on which a directory of config/ is installed.
type site struct {
	*testing.T
	ctx             context.Context
	env             *cluster.Cluster
	client          client.Client // the administrator's
	requests        *steptest.Requests
	probes, metrics string // where the operator serves them
	webhooks        *relay // what the API server calls webhooks through, nil unless they are installed
	cancel          context.CancelFunc
	done            chan error
}

func newSite(t *testing.T, directory string) *site {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	s := &site{T: t, ctx: ctx, env: cluster.Shared(t), requests: &steptest.Requests{}}
	scheme, err := newScheme()
	s.must(err)
	s.client, err = client.New(s.env.Config(), client.Options{Scheme: scheme, FieldOwner: "administrator"})
	s.must(err)
	s.install(directory)
	return s
}

// install does what "kubectl apply --server-side -k" does.
func (s *site) install(directory string) {
	s.Helper()
	objects, err := overlay.Build(directory)
	s.must(err)
	for _, object := range objects {
		s.reroute(object)
		s.must(overlay.Apply(s.ctx, s.client, object))
		if object.GroupVersionKind().Group == "admissionregistration.k8s.io" {
			s.Cleanup(func() { _ = s.client.Delete(context.Background(), object) }) // it concerns other tests too
		}
		if _, ok, _ := unstructured.NestedFieldNoCopy(object.Object, "spec", "conversion"); ok {
			s.Cleanup(func() { s.unconvert(object) })
		}
	}
	s.await("MyApps are served", func() error { return s.client.List(s.ctx, &v1.MyAppList{}) })
}

// unconvert does what UPGRADING.md says of taking the webhooks away: what the
// operator has written into the CRD is nobody else's to leave out.
func (s *site) unconvert(crd *unstructured.Unstructured) {
	s.Helper()
	none := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"conversion":{"strategy":"None","webhook":null}}}`))
	if err := s.client.Patch(context.Background(), crd, none); err != nil {
		s.Error(err)
	}
}

// start runs the operator as the installed service account. Only where it serves
// differs from the arguments: on free ports, for this machine only.
func (s *site) start(args []string) {
	s.Helper()
	o, err := parse(flag.NewFlagSet("myapp", flag.ContinueOnError), args)
	s.must(err)
	s.probes, s.metrics = freeAddress(s.T), freeAddress(s.T)
	o.probeAddress, o.metricsAddress, o.leaderNamespace = s.probes, s.metrics, stage.Namespace
	o.again = true
	if s.webhooks != nil {
		ready := "http://" + s.probes + "/readyz"
		o.webhookPort = s.webhooks.add(s.T, func() error { return s.expect(http.StatusOK, ready, "") })
	}
	account, err := s.env.ServiceAccount(s.ctx, stage.Namespace, stage.ServiceAccount)
	s.must(err)
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel, s.done = cancel, make(chan error, 1)
	go func() { s.done <- run(ctx, s.requests.Attach(account), o) }()
	s.Cleanup(cancel)
}

// stop interrupts the operator and returns what it returned.
func (s *site) stop() error {
	s.cancel()
	select {
	case err := <-s.done:
		return err
	case <-s.ctx.Done():
		return fmt.Errorf("wait until the operator has ended: %w", s.ctx.Err())
	}
}

// token returns the token of a new service account that is bound to ClusterRoles.
func (s *site) token(name string, roles ...string) string {
	s.Helper()
	s.must(s.client.Create(s.ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}}))
	for _, role := range roles {
		s.must(s.client.Create(s.ctx, &rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: name + "-" + role},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: "default", Name: name}},
		}))
	}
	config, err := s.env.ServiceAccount(s.ctx, "default", name)
	s.must(err)
	return config.BearerToken
}

// expect asks for a page, of a server whose certificate is its own and that is
// offered HTTP/2, and returns an error if the answer is another one, or HTTP/2.
func (s *site) expect(code int, url, token string) error {
	request, err := http.NewRequestWithContext(s.ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	transport := &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	defer transport.CloseIdleConnections()
	response, err := transport.RoundTrip(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != code || response.ProtoMajor != 1 {
		return fmt.Errorf("%s %s: %s", response.Proto, response.Status, text)
	}
	return nil
}

// get reads an object of the operator's namespace.
func (s *site) get(name string, object client.Object) {
	s.Helper()
	s.must(s.client.Get(s.ctx, client.ObjectKey{Namespace: stage.Namespace, Name: name}, object))
}

func (s *site) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *site) await(what string, check func() error) {
	s.Helper()
	s.must(stage.Await(s.ctx, what, func(context.Context) error { return check() }))
}

// freeAddress returns an address of this machine on which nobody listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	address, err := stage.FreeAddress(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return address
}
