// Program myapp is an operator: it keeps a Deployment, a Service and a DNS
// record for each MyApp of a cluster.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	_ "k8s.io/client-go/plugin/pkg/client/auth" // to run outside of a cluster too
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	v2 "github.com/trueup-dev/trueup/examples/myapp/api/v2"
	"github.com/trueup-dev/trueup/examples/myapp/internal/controller"
	"github.com/trueup-dev/trueup/examples/myapp/internal/dns"
)

func main() {
	options, err := parse(flag.CommandLine, os.Args[1:])
	if err != nil {
		os.Exit(2) // the flag set has told
	}
	if options.printRBAC {
		if err := printRBAC(os.Stdout, options.namespaces); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	ctrl.SetLogger(zap.New(zap.UseFlagOptions(&options.log)))
	config, err := ctrl.GetConfig()
	if err == nil {
		err = run(ctrl.SetupSignalHandler(), config, options)
	}
	if err != nil {
		ctrl.Log.Error(err, "the operator has failed")
		os.Exit(1)
	}
}

// run runs the operator until the context is done: then it waits for the passes
// that go on to end, after which it writes nothing but that the lease is free.
func run(ctx context.Context, config *rest.Config, options options) error {
	scheme, err := newScheme()
	if err != nil {
		return err
	}
	zone := dns.NewZone()
	if options.dryRun {
		config = dryRun(config, ctrl.Log.WithName("dry-run"))
		options.withoutWebhooks(ctrl.Log.WithName("dry-run"))
		zone = dns.DryRun(func(change string) { ctrl.Log.WithName("dry-run").Info("would write", "dns", change) })
	}
	server, keeper, err := options.webhookServer()
	if err != nil {
		return err
	}
	manager := options.manager(scheme)
	manager.WebhookServer = server
	if manager.LeaderElection {
		(&fence{term: options.term()}).put(config, &manager)
	}
	mgr, err := ctrl.NewManager(config, manager)
	if err != nil {
		return fmt.Errorf("make manager: %w", err)
	}
	if err := controller.NewPipeline(zone).SetupWithManager(mgr); err != nil {
		return err
	}
	if options.webhooks {
		if err := setUpWebhooks(mgr, keeper); err != nil {
			return err
		}
	}
	if err := addChecks(mgr, options.webhooks); err != nil {
		return err
	}
	if err := mgr.Start(ctx); err != nil {
		return fmt.Errorf("run manager: %w", err)
	}
	return nil
}

// newScheme returns a scheme that knows the kinds of Kubernetes and MyApp, and
// CRDs, of which the certificate of the webhooks is kept in one.
func newScheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clientgoscheme.AddToScheme, apiextensionsv1.AddToScheme, v1.AddToScheme, v2.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			return nil, fmt.Errorf("make scheme: %w", err)
		}
	}
	return scheme, nil
}
