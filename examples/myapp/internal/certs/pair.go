package certs

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"time"
)

// skew is how far the clock of the API server may be behind.
const skew = 5 * time.Minute

// pair is a certificate and its key, in PEM, as a Secret holds them.
type pair struct{ certificate, key []byte }

// issue makes a certificate for hosts that is its own authority: it is trusted by
// being in a bundle, so that there is no key of an authority to keep.
func issue(hosts []string, now time.Time, lifetime time.Duration) (pair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return pair{}, fmt.Errorf("make key: %w", err)
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return pair{}, fmt.Errorf("make serial number: %w", err)
	}
	template := &x509.Certificate{
		SerialNumber:          serial,
		Subject:               pkix.Name{CommonName: "myapp webhook " + serial.Text(36)},
		DNSNames:              hosts,
		NotBefore:             now.Add(-skew),
		NotAfter:              now.Add(lifetime),
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
		IsCA:                  true,
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return pair{}, fmt.Errorf("make certificate: %w", err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return pair{}, fmt.Errorf("marshal key: %w", err)
	}
	return pair{
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}),
	}, nil
}

// load returns what to serve with. It is an error if a client that trusts the
// certificate would not accept it for one of the hosts at a time.
func (p pair) load(hosts []string, now time.Time) (*tls.Certificate, error) {
	certificate, err := tls.X509KeyPair(p.certificate, p.key)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	roots.AddCert(certificate.Leaf)
	for _, host := range hosts {
		if _, err := certificate.Leaf.Verify(x509.VerifyOptions{DNSName: host, Roots: roots, CurrentTime: now}); err != nil {
			return nil, err
		}
	}
	return &certificate, nil
}
