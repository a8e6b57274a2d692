package main

import (
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook"

	"github.com/trueup-dev/trueup/examples/myapp/internal/admission"
	"github.com/trueup-dev/trueup/examples/myapp/internal/certs"
)

// What config/webhook makes, with the prefix of config/default.
const (
	webhookService  = "myapp-webhook-service"
	certificateName = "myapp-webhook-server-cert"
)

// trust is what has to trust the certificate of the webhooks.
var trust = certs.Trust{
	Mutating:   "myapp-mutating-webhook-configuration",
	Validating: "myapp-validating-webhook-configuration",
	Definition: "myapps.apps.example.com",
}

// webhookFlags declares what concerns the webhooks.
func (o *options) webhookFlags(flags *flag.FlagSet) {
	flags.BoolVar(&o.webhooks, "webhooks", false, "default, validate and convert MyApps for the API server; see config/webhook")
	flags.IntVar(&o.webhookPort, "webhook-port", webhook.DefaultPort, "where to serve the webhooks")
	flags.StringVar(&o.webhookCertPath, "webhook-cert-path", "",
		"the `directory` of tls.crt and tls.key, which somebody else keeps (default a certificate that the operator keeps itself)")
	flags.DurationVar(&o.webhookCertLifetime, "webhook-cert-lifetime", 90*24*time.Hour,
		"how long a certificate that the operator keeps itself is valid")
}

// webhookServer returns what serves the webhooks, and what keeps its certificate
// unless somebody else does.
func (o options) webhookServer() (webhook.Server, *certs.Keeper, error) {
	serve := webhook.Options{Port: o.webhookPort, CertDir: o.webhookCertPath, TLSOpts: []func(*tls.Config){o.limitHTTP}}
	if !o.webhooks || o.webhookCertPath != "" {
		return webhook.NewServer(serve), nil, nil
	}
	namespace, err := o.home()
	if err != nil {
		return nil, nil, err
	}
	keeper := &certs.Keeper{
		Secret:   client.ObjectKey{Namespace: namespace, Name: certificateName},
		Hosts:    []string{webhookService + "." + namespace + ".svc"},
		Trust:    trust,
		Lifetime: o.webhookCertLifetime,
	}
	serve.TLSOpts = append(serve.TLSOpts, func(c *tls.Config) { c.GetCertificate = keeper.Certificate })
	return keeper.Serve(webhook.NewServer(serve)), keeper, nil
}

// setUpWebhooks adds the webhooks to the manager.
func setUpWebhooks(mgr ctrl.Manager, keeper *certs.Keeper) error {
	if err := admission.SetupWithManager(mgr); err != nil {
		return err
	}
	if err := mgr.AddReadyzCheck("webhooks", mgr.GetWebhookServer().StartedChecker()); err != nil {
		return fmt.Errorf("add readiness check: %w", err)
	}
	if keeper == nil {
		return nil
	}
	var err error
	// The manager's client would cache all Secrets to read one.
	if keeper.Client, err = client.New(mgr.GetConfig(), client.Options{Scheme: mgr.GetScheme(), Mapper: mgr.GetRESTMapper()}); err != nil {
		return fmt.Errorf("make client for certificates: %w", err)
	}
	if err := mgr.AddReadyzCheck("certificate", keeper.Check); err != nil {
		return fmt.Errorf("add readiness check: %w", err)
	}
	return nil
}

// namespaceFile is where a pod finds the name of its namespace.
const namespaceFile = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

// home returns the namespace that the operator itself is in.
func (o options) home() (string, error) {
	if o.leaderNamespace != "" {
		return o.leaderNamespace, nil
	}
	name, err := os.ReadFile(namespaceFile)
	if errors.Is(err, os.ErrNotExist) {
		return "", errors.New("outside of a cluster --leader-election-namespace is needed")
	}
	return strings.TrimSpace(string(name)), err
}
