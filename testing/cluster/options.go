package cluster

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// maxNodes keeps a slip of the finger from starting a million nodes.
const maxNodes = 5000

// Options choose the parts of a cluster. The zero value is the API server
// alone. [Start] never changes what an option points to.
type Options struct {
	// Controllers starts kube-controller-manager: Deployments get pods, owners
	// take their children with them, namespaces get a default service account
	// and go away when deleted. Without it the API server admits pods that have
	// no service account. Defaults to false.
	//
	// The garbage collector learns of custom resources that are installed after
	// the start within half a minute; those of CRDs and CRDPaths it knows.
	Controllers bool

	// Scheduler starts kube-scheduler, which binds pods to nodes. Defaults to
	// false.
	Scheduler bool

	// Nodes is how many kwok nodes there are, named node-0 and so on. Pods that
	// are bound to one become Ready at once, and those of Jobs complete.
	// Defaults to none, and then kwok is not started.
	Nodes int

	// CRDPaths are files and directories of CustomResourceDefinitions that are
	// installed and established before any controller starts. A path that does
	// not exist is an error. Defaults to none.
	CRDPaths []string

	// CRDs are further CustomResourceDefinitions. Defaults to none.
	CRDs []*apiextensionsv1.CustomResourceDefinition

	// Webhooks are the admission webhook configurations that are installed last
	// of all. Their client configurations are pointed at LocalServingHost and
	// LocalServingPort, which are chosen unless they are set; serve there with
	// the certificate in LocalServingCertDir: see [Cluster.Webhooks]. Defaults
	// to none.
	Webhooks envtest.WebhookInstallOptions

	// Flags are appended to the command line of a component and win over those
	// of this package: {APIServer: {"--v=4"}}. They are not passed to
	// components that are not started. Defaults to none.
	Flags map[Component][]string

	// Port is what the API server listens on. Defaults to a free one.
	Port int

	// Logs is a directory, made when it does not exist, to which each component
	// writes its log, <component>.log; what is there already is appended to.
	// Defaults to logs in the cluster's own directory, which [Cluster.Stop]
	// removes.
	Logs string

	// KeepDirectory keeps the cluster's own directory (certificates, data,
	// logs) when it stops. Defaults to false.
	KeepDirectory bool

	// Progress is told what takes long: building the programs the first time,
	// and waiting for another process that does. Defaults to os.Stderr.
	Progress io.Writer
}

// Full returns the options of a whole cluster: controllers, scheduler and two
// nodes.
func Full() Options { return Options{Controllers: true, Scheduler: true, Nodes: 2} }

// components returns what the options start, in order.
func (o Options) components() []Component {
	components := []Component{Etcd, APIServer}
	if o.Controllers {
		components = append(components, ControllerManager)
	}
	if o.Scheduler {
		components = append(components, Scheduler)
	}
	if o.Nodes > 0 {
		components = append(components, Kwok)
	}
	return components
}

// validate returns every mistake in the options at once.
func (o Options) validate() error {
	var errs []error
	invalid := func(field, format string, arguments ...any) {
		errs = append(errs, fmt.Errorf("Options."+field+": "+format, arguments...))
	}
	if o.Nodes < 0 || o.Nodes > maxNodes {
		invalid("Nodes", "%d is not between 0 and %d", o.Nodes, maxNodes)
	}
	if o.Port < 0 || o.Port > 65535 {
		invalid("Port", "%d is not between 0 and 65535", o.Port)
	}
	for i, path := range o.CRDPaths {
		if _, err := os.Stat(path); err != nil {
			invalid(fmt.Sprintf("CRDPaths[%d]", i), "%w", err)
		}
	}
	for i, crd := range o.CRDs {
		if crd == nil {
			invalid(fmt.Sprintf("CRDs[%d]", i), "is nil")
		}
	}
	for i, path := range o.Webhooks.Paths {
		if _, err := os.Stat(path); err != nil && !o.Webhooks.IgnoreErrorIfPathMissing {
			invalid(fmt.Sprintf("Webhooks.Paths[%d]", i), "%w", err)
		}
	}
	if slices.Contains(o.Webhooks.MutatingWebhooks, nil) {
		invalid("Webhooks.MutatingWebhooks", "one of them is nil")
	}
	if slices.Contains(o.Webhooks.ValidatingWebhooks, nil) {
		invalid("Webhooks.ValidatingWebhooks", "one of them is nil")
	}
	for _, component := range slices.Sorted(maps.Keys(o.Flags)) {
		if !slices.Contains([]Component{Etcd, APIServer, ControllerManager, Scheduler, Kwok}, component) {
			invalid("Flags", "there is no component %q", component)
		}
	}
	if o.Logs != "" {
		if info, err := os.Stat(o.Logs); err == nil && !info.IsDir() {
			invalid("Logs", "%s is not a directory", o.Logs)
		}
	}
	return errors.Join(errs...)
}
