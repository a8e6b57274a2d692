package cluster

import (
	"context"
	"errors"
	"fmt"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// tokenLifetime is longer than any test takes.
const tokenLifetime = 24 * 60 * 60

// User returns a configuration that acts as a user in groups, by a client
// certificate. RBAC decides what it may do: nothing much, until it is bound to
// a role. The name must not be empty.
func (c *Cluster) User(name string, groups ...string) (*rest.Config, error) {
	if name == "" {
		return nil, errors.New("make configuration of user: the name is empty")
	}
	pair, err := c.authority.Client(name, groups...)
	if err != nil {
		return nil, fmt.Errorf("make configuration of user %s: %w", name, err)
	}
	return c.clientConfig(c.config.Host, pair), nil
}

// ServiceAccount returns a configuration that acts as a service account, which
// must exist, by a token that the API server has issued for it (TokenRequest)
// and that is valid for a day, or until the account is deleted. RBAC decides
// what it may do.
func (c *Cluster) ServiceAccount(ctx context.Context, namespace, name string) (*rest.Config, error) {
	seconds := int64(tokenLifetime)
	request, err := c.client.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, name,
		&authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &seconds}},
		metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("request token of service account %s/%s: %w", namespace, name, err)
	}
	return &rest.Config{
		Host:            c.config.Host,
		TLSClientConfig: rest.TLSClientConfig{CAData: c.authority.Certificate()},
		BearerToken:     request.Status.Token,
		QPS:             -1,
	}, nil
}
