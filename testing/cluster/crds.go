package cluster

import (
	"context"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// installCRDs installs the CustomResourceDefinitions of the options and waits
// until they are served.
func (c *Cluster) installCRDs(context.Context) error {
	if len(c.options.CRDPaths)+len(c.options.CRDs) == 0 {
		return nil
	}
	crds := make([]*apiextensionsv1.CustomResourceDefinition, 0, len(c.options.CRDs))
	for _, crd := range c.options.CRDs {
		crds = append(crds, crd.DeepCopy())
	}
	if _, err := envtest.InstallCRDs(c.Config(), envtest.CRDInstallOptions{
		Paths:              c.options.CRDPaths,
		CRDs:               crds,
		ErrorIfPathMissing: true,
		WebhookOptions:     c.webhooks,
	}); err != nil {
		return fmt.Errorf("install CRDs: %w", err)
	}
	return nil
}
