package main

import (
	"crypto/tls"
	"flag"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/filters"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// options are what the command line says.
type options struct {
	metricsAddress, probeAddress           string
	pprofAddress                           string
	dryRun                                 bool
	lease, renew, retry                    time.Duration // of leader election
	leaderElect, metricsSecure, allowHTTP2 bool
	leaderNamespace                        string // of the lease; empty is the pod's own
	namespaces                             []string
	workers                                int
	printRBAC                              bool
	webhooks                               bool
	webhookPort                            int
	webhookCertPath                        string        // where cert-manager's certificate is; empty is the operator's own
	webhookCertLifetime                    time.Duration // of the operator's own
	again                                  bool          // in a process that runs it several times, as a test may
	log                                    zap.Options
}

// parse reads the command line.
func parse(flags *flag.FlagSet, args []string) (options, error) {
	var o options
	flags.StringVar(&o.metricsAddress, "metrics-bind-address", "0",
		"where to serve metrics: :8443 for HTTPS, :8080 for HTTP, 0 for not at all")
	flags.StringVar(&o.probeAddress, "health-probe-bind-address", ":8081", "where to serve /healthz and /readyz")
	flags.BoolVar(&o.leaderElect, "leader-elect", false, "let only one of several replicas act at a time")
	flags.StringVar(&o.leaderNamespace, "leader-election-namespace", "",
		"the `namespace` of the lease and of the webhooks' certificate; required outside of a cluster (default the pod's own)")
	flags.DurationVar(&o.lease, "leader-elect-lease-duration", 15*time.Second,
		"how long others wait before they take over from a leader that is not heard of")
	flags.DurationVar(&o.renew, "leader-elect-renew-deadline", 10*time.Second,
		"how long the leader tries to renew its lease before it gives up")
	flags.DurationVar(&o.retry, "leader-elect-retry-period", 2*time.Second, "how often to try to get or to renew the lease")
	flags.StringVar(&o.pprofAddress, "pprof-bind-address", "0",
		"where to serve profiles, to whoever can reach it: better localhost:6060 than :6060; 0 for not at all")
	flags.BoolVar(&o.dryRun, "dry-run", false,
		"write nothing: have the API server try every write, and log it; without leader election and webhooks")
	flags.BoolVar(&o.metricsSecure, "metrics-secure", true,
		"serve metrics over HTTPS, to whom the cluster allows it; false for plain HTTP, to everybody")
	flags.BoolVar(&o.allowHTTP2, "enable-http2", false, "serve metrics and webhooks over HTTP/2 too")
	flags.Func("namespaces", "look after the MyApps of these `namespaces` only, separated by commas (default all)",
		func(list string) error {
			o.namespaces = strings.Split(list, ",")
			for _, name := range o.namespaces {
				if problems := validation.IsDNS1123Label(name); len(problems) > 0 {
					return fmt.Errorf("%q: %s", name, strings.Join(problems, "; "))
				}
			}
			return nil
		})
	flags.IntVar(&o.workers, "max-concurrent-reconciles", 4, "how many MyApps to look after at a time")
	flags.BoolVar(&o.printRBAC, "print-rbac", false,
		"print the ClusterRole that the operator needs, or with --namespaces the Roles, and exit")
	o.webhookFlags(flags)
	o.log.BindFlags(flags)
	return o, flags.Parse(args)
}

// manager returns the options of the manager.
func (o options) manager(scheme *runtime.Scheme) ctrl.Options {
	metrics := metricsserver.Options{BindAddress: o.metricsAddress, SecureServing: o.metricsSecure}
	if o.metricsSecure {
		// Without it, whoever reaches the pod reads the metrics. The rights that it
		// takes are in config/rbac/metrics_auth_role.yaml.
		metrics.FilterProvider = filters.WithAuthenticationAndAuthorization
	}
	metrics.TLSOpts = append(metrics.TLSOpts, o.limitHTTP)
	return ctrl.Options{
		Scheme:                  scheme,
		Controller:              config.Controller{SkipNameValidation: &o.again, MaxConcurrentReconciles: o.workers},
		Cache:                   cache.Options{DefaultNamespaces: o.cached()},
		Metrics:                 metrics,
		HealthProbeBindAddress:  o.probeAddress,
		PprofBindAddress:        o.pprofAddress,
		LeaderElection:          o.leaderElect && !o.dryRun,
		LeaseDuration:           &o.lease,
		RenewDeadline:           &o.renew,
		RetryPeriod:             &o.retry,
		LeaderElectionID:        "myapp.apps.example.com",
		LeaderElectionNamespace: o.leaderNamespace,
		// The process ends when the manager does, so the next leader need not wait
		// for the lease to run out.
		LeaderElectionReleaseOnCancel: true,
	}
}

// term returns how long a renewal of the lease lets a replica write: until it would give
// up, and a second less than the lease lasts at most, as that much of it may be missing
// for others. They tell renewals apart by the second, so that the time of theirs may
// begin with an earlier one.
func (o options) term() time.Duration { return min(o.renew, o.lease-time.Second) }

// limitHTTP turns HTTP/2 off unless it is allowed: it lets a client make a server
// work and cancel, over and over (CVE-2023-44487, CVE-2023-39325).
func (o options) limitHTTP(c *tls.Config) {
	if !o.allowHTTP2 {
		c.NextProtos = []string{"http/1.1"}
	}
}

// cached returns the namespaces to watch, nil for all.
func (o options) cached() map[string]cache.Config {
	if len(o.namespaces) == 0 {
		return nil
	}
	namespaces := map[string]cache.Config{}
	for _, name := range o.namespaces {
		namespaces[name] = cache.Config{}
	}
	return namespaces
}
