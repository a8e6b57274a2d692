package certs

import (
	"bytes"
	"context"
	"fmt"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Trust names the objects by which the API server knows whom to trust.
type Trust struct {
	// Mutating and Validating are webhook configurations.
	Mutating, Validating string
	// Definition is a CRD. If it does not convert by a webhook it is left alone.
	Definition string
}

// publish puts a bundle into each of them where it is not yet, and reports
// whether it was missing anywhere.
func (t Trust) publish(ctx context.Context, c client.Client, bundle []byte) (told bool, err error) {
	mutating := &admissionregistrationv1.MutatingWebhookConfiguration{}
	validating := &admissionregistrationv1.ValidatingWebhookConfiguration{}
	definition := &apiextensionsv1.CustomResourceDefinition{}
	for _, place := range []struct {
		name   string
		object client.Object
		slots  func() []*[]byte
	}{
		{t.Mutating, mutating, func() (slots []*[]byte) {
			for i := range mutating.Webhooks {
				slots = append(slots, &mutating.Webhooks[i].ClientConfig.CABundle)
			}
			return slots
		}},
		{t.Validating, validating, func() (slots []*[]byte) {
			for i := range validating.Webhooks {
				slots = append(slots, &validating.Webhooks[i].ClientConfig.CABundle)
			}
			return slots
		}},
		{t.Definition, definition, func() []*[]byte {
			conversion := definition.Spec.Conversion
			if conversion == nil || conversion.Webhook == nil || conversion.Webhook.ClientConfig == nil {
				return nil
			}
			return []*[]byte{&conversion.Webhook.ClientConfig.CABundle}
		}},
	} {
		if err := c.Get(ctx, client.ObjectKey{Name: place.name}, place.object); err != nil {
			return told, fmt.Errorf("read whom the API server trusts: %w", err)
		}
		before, missing := place.object.DeepCopyObject().(client.Object), false
		for _, slot := range place.slots() {
			if !bytes.Equal(*slot, bundle) {
				*slot, missing = bundle, true
			}
		}
		if !missing {
			continue
		}
		told = true
		lock := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
		if err := c.Patch(ctx, place.object, lock); err != nil {
			return told, fmt.Errorf("tell the API server whom to trust: %w", err)
		}
	}
	return told, nil
}
