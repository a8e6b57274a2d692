package cluster

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/trueup-dev/trueup/testing/cluster/internal/pki"
)

// contextName is the name of everything in a kubeconfig file.
const contextName = "trueup"

// WriteKubeconfig writes a kubeconfig file for a configuration of this package
// (of [Cluster.Config], [Cluster.User], [Cluster.ServiceAccount]) to path,
// readable for the current user only. A file that is there is replaced at once.
func WriteKubeconfig(path string, config *rest.Config) error {
	content, err := clientcmd.Write(clientcmdapi.Config{
		CurrentContext: contextName,
		Clusters: map[string]*clientcmdapi.Cluster{contextName: {
			Server: config.Host, CertificateAuthorityData: config.CAData,
		}},
		AuthInfos: map[string]*clientcmdapi.AuthInfo{contextName: {
			ClientCertificateData: config.CertData, ClientKeyData: config.KeyData, Token: config.BearerToken,
		}},
		Contexts: map[string]*clientcmdapi.Context{contextName: {Cluster: contextName, AuthInfo: contextName}},
	})
	if err != nil {
		return fmt.Errorf("write kubeconfig: %w", err)
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".kubeconfig-*") // with mode 0600
	if err != nil {
		return fmt.Errorf("write kubeconfig: %w", err)
	}
	_, err = file.Write(content)
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("write kubeconfig: %w", errors.Join(err, os.Remove(file.Name())))
	}
	return nil
}

// clientConfig is the configuration of a client that has a certificate.
func (c *Cluster) clientConfig(host string, pair pki.Pair) *rest.Config {
	return &rest.Config{
		Host: host,
		TLSClientConfig: rest.TLSClientConfig{
			CAData: c.authority.Certificate(), CertData: pair.Certificate, KeyData: pair.Key,
		},
		QPS: -1, // no rate limit
	}
}

// writeComponentKubeconfig writes the kubeconfig of a component that acts as
// user, and returns its path.
func (c *Cluster) writeComponentKubeconfig(component Component, user string, groups ...string) (string, error) {
	config, err := c.User(user, groups...)
	if err != nil {
		return "", err
	}
	path := c.path(string(component) + ".kubeconfig")
	return path, WriteKubeconfig(path, config)
}
