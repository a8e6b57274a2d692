package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/trueup-dev/trueup/testing/cluster/internal/pki"
	"github.com/trueup-dev/trueup/testing/cluster/internal/process"
)

// Cluster is a running Kubernetes. Its methods may be called concurrently.
type Cluster struct {
	options   Options
	programs  map[string]string
	directory string
	logs      string
	watchdog  *process.Watchdog
	authority *pki.Authority
	config    *rest.Config
	client    kubernetes.Interface
	webhooks  envtest.WebhookInstallOptions

	choosePort func(wanted int) (int, error) // replaced by tests
	done       chan struct{}
	stop       sync.Once
	stopErr    error
	mu         sync.Mutex
	running    []running
	stopping   bool
	keep       bool // the directory, for its logs
	err        error
	abort      context.CancelCauseFunc // ends a start that goes on
}

// running is a component's process.
type running struct {
	component Component
	process   *process.Process
}

// Start starts what the options choose and returns when it can be relied on:
// the API server is ready, CRDs are established, the default service account is
// there, the garbage collector collects, the scheduler schedules, nodes are
// Ready, webhooks are installed.
//
// The context bounds the start, a build included, and nothing afterwards: the
// cluster runs until [Cluster.Stop], or until the program that started it ends.
//
// Options that make no sense are an error that names them. A component that
// ends while the cluster starts is a [ComponentError], at once; its directory
// is kept for its logs. Whatever the error, no process is left.
func Start(ctx context.Context, options Options) (*Cluster, error) {
	if err := options.validate(); err != nil {
		return nil, fmt.Errorf("start cluster: %w", err)
	}
	programs, err := find(ctx, options)
	if err != nil {
		return nil, fmt.Errorf("start cluster: %w", err)
	}
	c := newCluster(options, programs)
	if err := c.start(ctx); err != nil {
		return nil, err
	}
	return c, nil
}

func newCluster(options Options, programs map[string]string) *Cluster {
	return &Cluster{options: options, programs: programs, choosePort: choosePort, done: make(chan struct{})}
}

// Config returns a copy of the configuration of the cluster's administrator,
// who is in system:masters. Like all configurations of this package it does no
// rate limiting on the client's side.
func (c *Cluster) Config() *rest.Config { return rest.CopyConfig(c.config) }

// Kubeconfig returns the path of the administrator's kubeconfig file, which is
// readable for the current user only and removed when the cluster stops.
func (c *Cluster) Kubeconfig() string { return filepath.Join(c.directory, adminKubeconfig) }

// Directory returns the cluster's own directory.
func (c *Cluster) Directory() string { return c.directory }

// Logs returns the directory of the components' logs, <component>.log.
func (c *Cluster) Logs() string { return c.logs }

// Webhooks returns the options of the webhooks as they were installed: where to
// serve them (LocalServingHost, LocalServingPort) and with what certificate
// (LocalServingCertDir).
func (c *Cluster) Webhooks() envtest.WebhookInstallOptions { return c.webhooks }

// Done is closed when the cluster has stopped, or when a component has ended
// that should not have: then [Cluster.Err] says which.
func (c *Cluster) Done() <-chan struct{} { return c.done }

// Err returns the [ComponentError] of the first component that ended although
// nobody asked it to, and nil while all is well and after a regular stop.
func (c *Cluster) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// ended reports whether the cluster has stopped or failed.
func (c *Cluster) ended() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// Stop stops the components, kwok first and etcd last, each with some time
// before it is killed, and removes the cluster's directory, unless the options
// keep it or a component has failed. Stopping again does nothing and returns
// the same; the error of a component is [Cluster.Err]'s to tell, not Stop's.
func (c *Cluster) Stop() error {
	c.stop.Do(func() { c.stopErr = c.shutDown() })
	return c.stopErr
}

func (c *Cluster) shutDown() error {
	c.mu.Lock()
	c.stopping = true
	processes := c.running
	failed, keep := c.err != nil, c.keep || c.options.KeepDirectory
	c.mu.Unlock()

	for _, r := range slices.Backward(processes) {
		limit := grace[r.component]
		if failed {
			limit = failedGrace
		}
		r.process.Stop(limit)
	}
	var errs []error
	if c.watchdog != nil {
		errs = append(errs, c.watchdog.Release())
	}
	if c.directory != "" && !keep {
		errs = append(errs, os.RemoveAll(c.directory))
	}
	if !failed {
		close(c.done)
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("stop cluster: %w", err)
	}
	return nil
}
