package cluster

import (
	"context"
	"fmt"
	"os"

	admissionv1 "k8s.io/api/admissionregistration/v1"
)

// prepareWebhooks reads the webhook configurations, makes the certificate that
// they are served with, and points them at where they are served.
func (c *Cluster) prepareWebhooks(context.Context) error {
	options := c.options.Webhooks
	if len(options.Paths)+len(options.MutatingWebhooks)+len(options.ValidatingWebhooks) == 0 && !options.IgnoreSchemeConvertible {
		return nil
	}
	options.MutatingWebhooks = copies(options.MutatingWebhooks, (*admissionv1.MutatingWebhookConfiguration).DeepCopy)
	options.ValidatingWebhooks = copies(options.ValidatingWebhooks, (*admissionv1.ValidatingWebhookConfiguration).DeepCopy)
	if options.LocalServingHost == "" {
		options.LocalServingHost = loopback
	}
	if options.LocalServingPort == 0 {
		port, err := c.choosePort(0)
		if err != nil {
			return err
		}
		options.LocalServingPort = port
	}
	if err := options.PrepWithoutInstalling(); err != nil {
		return fmt.Errorf("prepare webhooks: %w", err)
	}
	// envtest makes a directory of its own, which would be left behind.
	directory := c.path("webhooks")
	if err := os.Rename(options.LocalServingCertDir, directory); err != nil {
		return fmt.Errorf("prepare webhooks: %w", err)
	}
	options.LocalServingCertDir = directory
	c.webhooks = options
	return nil
}

// installWebhooks makes the API server call the webhooks.
func (c *Cluster) installWebhooks(context.Context) error {
	if len(c.webhooks.LocalServingCAData) == 0 {
		return nil
	}
	if err := c.webhooks.Install(c.Config()); err != nil {
		return fmt.Errorf("install webhooks: %w", err)
	}
	return nil
}

func copies[T any](objects []*T, deepCopy func(*T) *T) []*T {
	copied := make([]*T, 0, len(objects))
	for _, object := range objects {
		copied = append(copied, deepCopy(object))
	}
	return copied
}
