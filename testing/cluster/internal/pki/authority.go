package pki

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"time"

	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
)

// lifetime is longer than any cluster of this package lives.
const lifetime = 365 * 24 * time.Hour

// skew is how far before now a certificate begins to be valid.
const skew = time.Hour

// Pair is a certificate and its key, PEM-encoded.
type Pair struct {
	Certificate, Key []byte
}

// Authority signs the certificates of one cluster. It is safe for concurrent
// use.
type Authority struct {
	certificate *x509.Certificate
	key         crypto.Signer
}

// NewAuthority makes an authority with a key of its own.
func NewAuthority(name string) (*Authority, error) {
	key, err := newKey()
	if err != nil {
		return nil, err
	}
	certificate, err := cert.NewSelfSignedCACert(cert.Config{CommonName: name, NotBefore: time.Now().Add(-skew)}, key)
	if err != nil {
		return nil, fmt.Errorf("sign certificate authority: %w", err)
	}
	return &Authority{certificate: certificate, key: key}, nil
}

// Pair returns the authority's own certificate and key.
func (a *Authority) Pair() (Pair, error) { return encode(a.certificate.Raw, a.key) }

// Certificate returns the authority's own certificate, PEM-encoded.
func (a *Authority) Certificate() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: cert.CertificateBlockType, Bytes: a.certificate.Raw})
}

// Client returns a client certificate for a user in groups.
func (a *Authority) Client(user string, groups ...string) (Pair, error) {
	return a.sign(&x509.Certificate{
		Subject:     pkix.Name{CommonName: user, Organization: groups},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
}

// Server returns a serving certificate for names and addresses.
func (a *Authority) Server(names []string, addresses []net.IP) (Pair, error) {
	return a.sign(&x509.Certificate{
		Subject:     pkix.Name{CommonName: names[0]},
		DNSNames:    names,
		IPAddresses: addresses,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	})
}

func (a *Authority) sign(template *x509.Certificate) (Pair, error) {
	key, err := newKey()
	if err != nil {
		return Pair{}, err
	}
	template.SerialNumber, err = rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return Pair{}, fmt.Errorf("choose serial number: %w", err)
	}
	template.NotBefore = time.Now().Add(-skew)
	template.NotAfter = time.Now().Add(lifetime)
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.BasicConstraintsValid = true
	signed, err := x509.CreateCertificate(rand.Reader, template, a.certificate, key.Public(), a.key)
	if err != nil {
		return Pair{}, fmt.Errorf("sign certificate for %s: %w", template.Subject.CommonName, err)
	}
	return encode(signed, key)
}

// SigningKey returns a new private key, PEM-encoded, for signing service account
// tokens. The components read the public key from it as well.
func SigningKey() ([]byte, error) {
	key, err := keyutil.MakeEllipticPrivateKeyPEM()
	if err != nil {
		return nil, fmt.Errorf("make service account key: %w", err)
	}
	return key, nil
}

func newKey() (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make private key: %w", err)
	}
	return key, nil
}

func encode(certificate []byte, key crypto.PrivateKey) (Pair, error) {
	encodedKey, err := keyutil.MarshalPrivateKeyToPEM(key)
	if err != nil {
		return Pair{}, fmt.Errorf("encode private key: %w", err)
	}
	block := &pem.Block{Type: cert.CertificateBlockType, Bytes: certificate}
	return Pair{Certificate: pem.EncodeToMemory(block), Key: encodedKey}, nil
}
