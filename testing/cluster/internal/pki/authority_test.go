package pki

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
)

func newTestAuthority(t *testing.T) (*Authority, *x509.CertPool) {
	t.Helper()
	authority, err := NewAuthority("test")
	if err != nil {
		t.Fatal(err)
	}
	pool, err := cert.NewPoolFromBytes(authority.Certificate())
	if err != nil {
		t.Fatal(err)
	}
	return authority, pool
}

func leaf(t *testing.T, pair Pair) *x509.Certificate {
	t.Helper()
	parsed, err := tls.X509KeyPair(pair.Certificate, pair.Key)
	if err != nil {
		t.Fatal(err)
	}
	return parsed.Leaf
}

func TestClient(t *testing.T) {
	authority, pool := newTestAuthority(t)
	pair, err := authority.Client("jane", "developers", "testers")
	if err != nil {
		t.Fatal(err)
	}
	certificate := leaf(t, pair)
	if _, err := certificate.Verify(x509.VerifyOptions{Roots: pool, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}); err != nil {
		t.Errorf("the certificate should be good for a client: %v", err)
	}
	if _, err := certificate.Verify(x509.VerifyOptions{Roots: pool, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}); err == nil {
		t.Error("the certificate should not be good for a server")
	}
	if diff := cmp.Diff("jane", certificate.Subject.CommonName); diff != "" {
		t.Errorf("user: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"developers", "testers"}, slices.Sorted(slices.Values(certificate.Subject.Organization))); diff != "" {
		t.Errorf("groups: -want, +got:\n%s", diff)
	}
}

func TestServer(t *testing.T) {
	authority, pool := newTestAuthority(t)
	pair, err := authority.Server([]string{"localhost"}, []net.IP{net.ParseIP("127.0.0.1")})
	if err != nil {
		t.Fatal(err)
	}
	certificate := leaf(t, pair)
	for _, name := range []string{"localhost", "127.0.0.1"} {
		if _, err := certificate.Verify(x509.VerifyOptions{Roots: pool, DNSName: name}); err != nil {
			t.Errorf("the certificate should be good for %s: %v", name, err)
		}
	}
	if err := certificate.VerifyHostname("10.0.0.1"); err == nil {
		t.Error("the certificate should not be good for another address")
	}
}

func TestAuthorities(t *testing.T) {
	one, _ := newTestAuthority(t)
	_, other := newTestAuthority(t)
	pair, err := one.Client("jane")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := leaf(t, pair).Verify(x509.VerifyOptions{Roots: other, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}}); err == nil {
		t.Error("what one authority signs should not be good with another")
	}
	own, err := one.Pair()
	if err != nil {
		t.Fatal(err)
	}
	if !leaf(t, own).IsCA {
		t.Error("the authority's own certificate should be one of an authority")
	}
}

func TestSigningKey(t *testing.T) {
	key, err := SigningKey()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := keyutil.ParsePrivateKeyPEM(key); err != nil {
		t.Errorf("the key should be a private key: %v", err)
	}
	if _, err := keyutil.ParsePublicKeysPEM(key); err != nil {
		t.Errorf("the key should have its public key in it: %v", err)
	}
}
