package cluster

import (
	"context"
	"net"

	"github.com/trueup-dev/trueup/testing/cluster/internal/pki"
)

// Files in the cluster's directory.
const (
	adminKubeconfig       = "kubeconfig"
	authorityCertificate  = "ca.crt"
	authorityKey          = "ca.key"
	servingCertificate    = "apiserver.crt"
	servingKey            = "apiserver.key"
	serviceAccountKeyFile = "service-account.key"
)

// loopback is the only address that anything listens on.
const loopback = "127.0.0.1"

// makeCertificates makes the authority, which signs clients and the API server
// alike, and the files that the components read.
func (c *Cluster) makeCertificates(context.Context) error {
	authority, err := pki.NewAuthority("trueup-cluster")
	if err != nil {
		return err
	}
	own, err := authority.Pair()
	if err != nil {
		return err
	}
	serving, err := authority.Server(
		[]string{"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"},
		[]net.IP{net.ParseIP(loopback), net.ParseIP(firstServiceIP)})
	if err != nil {
		return err
	}
	signing, err := pki.SigningKey()
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{
		authorityCertificate:  own.Certificate,
		authorityKey:          own.Key,
		servingCertificate:    serving.Certificate,
		servingKey:            serving.Key,
		serviceAccountKeyFile: signing,
	} {
		if err := c.write(name, content); err != nil {
			return err
		}
	}
	c.authority = authority
	return nil
}
