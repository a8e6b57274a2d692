package certs

import (
	"bytes"
	"crypto/x509"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

const host = "myapp-webhook-service.myapp-system.svc"

// stage is a cluster in memory with what has to trust the certificate.
type stage struct {
	*testing.T
	client client.Client
}

func newStage(t *testing.T) *stage {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, apiextensionsv1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	named := metav1.ObjectMeta{Name: "myapp"}
	return &stage{t, fake.NewClientBuilder().WithScheme(scheme).WithObjects(
		&admissionregistrationv1.MutatingWebhookConfiguration{ObjectMeta: named, Webhooks: []admissionregistrationv1.MutatingWebhook{{Name: "a"}}},
		&admissionregistrationv1.ValidatingWebhookConfiguration{ObjectMeta: named, Webhooks: []admissionregistrationv1.ValidatingWebhook{{Name: "a"}, {Name: "b"}}},
		&apiextensionsv1.CustomResourceDefinition{ObjectMeta: named, Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Conversion: &apiextensionsv1.CustomResourceConversion{
				Strategy: apiextensionsv1.WebhookConverter,
				Webhook:  &apiextensionsv1.WebhookConversion{ClientConfig: &apiextensionsv1.WebhookClientConfig{}},
			},
		}},
	).Build()}
}

// replica returns a keeper of which several share the stage.
func (s *stage) replica(lifetime time.Duration) *Keeper {
	return &Keeper{
		Client: s.client, Secret: client.ObjectKey{Namespace: "myapp-system", Name: "cert"},
		Hosts: []string{host}, Trust: Trust{"myapp", "myapp", "myapp"}, Lifetime: lifetime,
	}
}

func (s *stage) round(k *Keeper) {
	s.Helper()
	if err := k.round(s.Context()); err != nil {
		s.Fatal(err)
	}
	s.check(k)
}

// check makes sure that whatever the replica serves with is trusted everywhere.
func (s *stage) check(k *Keeper) {
	s.Helper()
	certificate, err := k.Certificate(nil)
	if err != nil {
		return // it serves nothing
	}
	for _, bundle := range s.bundles() {
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(bundle)
		if _, err := certificate.Leaf.Verify(x509.VerifyOptions{DNSName: host, Roots: pool}); err != nil {
			s.Errorf("it serves what is not trusted: %v", err)
		}
	}
}

func (s *stage) bundles() [][]byte {
	s.Helper()
	mutating, validating := &admissionregistrationv1.MutatingWebhookConfiguration{}, &admissionregistrationv1.ValidatingWebhookConfiguration{}
	definition := &apiextensionsv1.CustomResourceDefinition{}
	for _, object := range []client.Object{mutating, validating, definition} {
		if err := s.client.Get(s.Context(), client.ObjectKey{Name: "myapp"}, object); err != nil {
			s.Fatal(err)
		}
	}
	return [][]byte{
		mutating.Webhooks[0].ClientConfig.CABundle, validating.Webhooks[0].ClientConfig.CABundle,
		validating.Webhooks[1].ClientConfig.CABundle, definition.Spec.Conversion.Webhook.ClientConfig.CABundle,
	}
}

func (s *stage) secret() *corev1.Secret {
	s.Helper()
	secret := &corev1.Secret{}
	if err := s.client.Get(s.Context(), client.ObjectKey{Namespace: "myapp-system", Name: "cert"}, secret); err != nil {
		s.Fatal(err)
	}
	return secret
}

// Two replicas take a certificate through all stages, with the second always
// behind, and what either serves is always trusted.
func TestRotation(t *testing.T) {
	s := newStage(t)
	long, short := s.replica(time.Hour), s.replica(time.Hour)
	s.round(long)
	s.round(short)
	first := s.secret().Data[corev1.TLSCertKey]
	s.round(long)
	if !bytes.Equal(first, s.secret().Data[corev1.TLSCertKey]) {
		t.Fatal("a fresh certificate was replaced")
	}

	long.Lifetime, short.Lifetime = 4*time.Hour, 4*time.Hour // of which the second half has begun
	for range 4 {
		s.round(long)
		s.check(short)
	}
	if bytes.Equal(first, s.secret().Data[corev1.TLSCertKey]) {
		t.Fatal("the certificate was not replaced")
	}
	if served, err := short.Certificate(nil); err != nil || served.Leaf.NotAfter.After(time.Now().Add(2*time.Hour)) {
		t.Fatalf("the second replica should serve the former certificate still: %v", err)
	}
	s.round(short)
	if served, err := short.Certificate(nil); err != nil || served.Leaf.NotAfter.Before(time.Now().Add(2*time.Hour)) {
		t.Fatalf("the second replica should serve the new certificate: %v", err)
	}
}

// What one replica has told the API servers, another one does not rely on at once.
func TestTrustTakesTime(t *testing.T) {
	s := newStage(t)
	one, other := s.replica(time.Hour), s.replica(time.Hour)
	s.round(one)
	s.round(other)
	one.Lifetime, other.Lifetime = 4*time.Hour, 4*time.Hour // of which the second half has begun
	first := s.secret().Data[corev1.TLSCertKey]
	s.round(one) // tells of a successor
	for round, want := range []bool{false, true} {
		s.round(other)
		if got := !bytes.Equal(first, s.secret().Data[corev1.TLSCertKey]); got != want {
			t.Errorf("succeeded after round %d of the other replica: %t", round+1, got)
		}
	}
}

func TestMended(t *testing.T) {
	cases := map[string]struct {
		reason string
		spoil  func(*corev1.Secret)
	}{
		"rubbish":    {"somebody has edited it", func(secret *corev1.Secret) { secret.Data[corev1.TLSCertKey] = []byte("rubbish") }},
		"empty":      {"as an empty manifest makes it", func(secret *corev1.Secret) { secret.Data = nil }},
		"other host": {"the service has moved", func(secret *corev1.Secret) { set(t, secret, "other", time.Hour) }},
		"expired":    {"nobody was there for too long", func(secret *corev1.Secret) { set(t, secret, host, -time.Minute) }},
		"bad successor": {"half of it is as good as none", func(secret *corev1.Secret) {
			secret.Data[nextCertificate], secret.Data[nextKey] = secret.Data[corev1.TLSCertKey], []byte("rubbish")
		}},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			s.round(s.replica(time.Hour))
			secret := s.secret()
			test.spoil(secret)
			if err := s.client.Update(t.Context(), secret); err != nil {
				t.Fatal(err)
			}
			k := s.replica(time.Hour)
			for range 3 {
				s.round(k)
			}
			if err := k.Check(nil); err != nil {
				t.Errorf("%s: %v", test.reason, err)
			}
			if _, err := currentOf(s.secret()).load([]string{host}, time.Now()); err != nil {
				t.Errorf("%s: what is kept is still wrong: %v", test.reason, err)
			}
		})
	}
}

func set(t *testing.T, secret *corev1.Secret, host string, lifetime time.Duration) {
	t.Helper()
	made, err := issue([]string{host}, time.Now(), lifetime)
	if err != nil {
		t.Fatal(err)
	}
	secret.Data[corev1.TLSCertKey], secret.Data[corev1.TLSPrivateKeyKey] = made.certificate, made.key
}

// Without a certificate a replica is not ready, and says why.
func TestNotReady(t *testing.T) {
	k := newStage(t).replica(time.Hour)
	k.Trust.Definition = "gone"
	if err := k.round(t.Context()); err == nil {
		t.Error("nothing is wrong with a CRD that is not there")
	}
	if err := k.Check(nil); err == nil {
		t.Error("it is ready without a certificate")
	}
	if _, err := k.Certificate(nil); err == nil {
		t.Error("it serves without a certificate")
	}
}
