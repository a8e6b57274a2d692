package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/trueup-dev/trueup/testing/cluster/internal/process"
)

const (
	// serviceRange has room for a million Services. The /24 that envtest uses
	// runs out at 254.
	serviceRange   = "10.96.0.0/12"
	firstServiceIP = "10.96.0.1"

	// portAttempts is how many free ports are tried when somebody else takes
	// them between their being chosen and the API server's listening.
	portAttempts = 5
)

// startAPIServer starts the API server, waits until it is ready, and makes the
// administrator's configuration.
func (c *Cluster) startAPIServer(ctx context.Context) error {
	for attempt := 1; ; attempt++ {
		port, err := c.choosePort(c.options.Port)
		if err != nil {
			return err
		}
		p, err := c.launch(APIServer, c.apiServerFlags(port))
		if err != nil {
			return err
		}
		err = c.connect(ctx, port, p)
		if err == nil {
			c.guard(APIServer, p)
			return nil
		}
		failure := (*ComponentError)(nil)
		if !errors.As(err, &failure) || !failure.portTaken {
			return err
		}
		if c.options.Port != 0 {
			return fmt.Errorf("Options.Port: %d is in use: %w", port, err)
		}
		if attempt == portAttempts {
			return fmt.Errorf("no free port in %d attempts: %w", attempt, err)
		}
		c.discard(p)
	}
}

func (c *Cluster) apiServerFlags(port int) []string {
	flags := []string{
		"--etcd-servers=unix://" + c.path(etcdClientSocket),
		"--bind-address=" + loopback,
		"--advertise-address=" + loopback,
		"--endpoint-reconciler-type=none", // which would refuse a loopback address
		"--secure-port=" + strconv.Itoa(port),
		"--tls-cert-file=" + c.path(servingCertificate),
		"--tls-private-key-file=" + c.path(servingKey),
		"--client-ca-file=" + c.path(authorityCertificate),
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + c.path(serviceAccountKeyFile),
		"--service-account-signing-key-file=" + c.path(serviceAccountKeyFile),
		"--service-cluster-ip-range=" + serviceRange,
		"--authorization-mode=Node,RBAC",
		"--enable-admission-plugins=NodeRestriction",
		"--allow-privileged=true",
	}
	if !c.options.Controllers {
		// Nobody makes service accounts then, and without one no pod is admitted.
		flags = append(flags, "--disable-admission-plugins=ServiceAccount")
	}
	return flags
}

// connect makes the administrator's configuration for the port and waits until
// the API server is ready or has ended, which is a [ComponentError].
func (c *Cluster) connect(ctx context.Context, port int, p *process.Process) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-p.Done():
			cancel(newComponentError(APIServer, p))
		case <-ctx.Done():
		}
	}()

	pair, err := c.authority.Client("trueup-admin", "system:masters")
	if err != nil {
		return err
	}
	c.config = c.clientConfig("https://"+net.JoinHostPort(loopback, strconv.Itoa(port)), pair)
	if c.client, err = kubernetes.NewForConfig(c.config); err != nil {
		return fmt.Errorf("make client: %w", err)
	}
	if err := WriteKubeconfig(c.Kubeconfig(), c.config); err != nil {
		return err
	}
	if err := waitFor(ctx, "the API server", func(ctx context.Context) (bool, error) {
		_, err := c.client.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
		return err == nil, err
	}); err != nil {
		return err
	}
	return waitFor(ctx, "the default namespace", func(ctx context.Context) (bool, error) {
		_, err := c.client.CoreV1().Namespaces().Get(ctx, metav1.NamespaceDefault, metav1.GetOptions{})
		return err == nil, err
	})
}
