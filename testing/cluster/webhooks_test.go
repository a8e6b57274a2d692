package cluster

import (
	"context"
	"net/http"
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// secretWebhook is asked about Secrets that are created.
var secretWebhook = &admissionregistrationv1.ValidatingWebhookConfiguration{
	ObjectMeta: metav1.ObjectMeta{Name: "validate.example.com"},
	Webhooks: []admissionregistrationv1.ValidatingWebhook{{
		Name:                    "validate.example.com",
		AdmissionReviewVersions: []string{"v1"},
		SideEffects:             ptr.To(admissionregistrationv1.SideEffectClassNone),
		ClientConfig: admissionregistrationv1.WebhookClientConfig{
			Service: &admissionregistrationv1.ServiceReference{Namespace: "default", Name: "webhook", Path: ptr.To("validate")},
		},
		Rules: []admissionregistrationv1.RuleWithOperations{{
			Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create},
			Rule:       admissionregistrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"secrets"}},
		}},
	}},
}

func TestWebhooks(t *testing.T) {
	c := apiServer(t)
	if secretWebhook.Webhooks[0].ClientConfig.Service == nil {
		t.Error("the object in the options should not change")
	}
	options := c.Webhooks()
	if !strings.HasPrefix(options.LocalServingCertDir, c.Directory()) {
		t.Errorf("the certificate should be in the cluster's directory, is in %s", options.LocalServingCertDir)
	}

	server := webhook.NewServer(webhook.Options{
		Host: options.LocalServingHost, Port: options.LocalServingPort, CertDir: options.LocalServingCertDir,
	})
	server.Register("/validate", &webhook.Admission{Handler: admission.HandlerFunc(func(context.Context, admission.Request) admission.Response {
		return admission.Denied("no secrets here")
	})})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- server.Start(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	eventually(t, "the webhook is served", func(context.Context) (bool, error) {
		err := server.StartedChecker()(&http.Request{})
		return err == nil, err
	})

	client := clientFor(t, c.Config()).CoreV1()
	namespace := c.Namespace(t)
	if _, err := client.Secrets(namespace).Create(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "secret"}}, metav1.CreateOptions{}); err == nil || !strings.Contains(err.Error(), "no secrets here") {
		t.Errorf("the webhook should deny secrets, got %v", err)
	}
	if _, err := client.ConfigMaps(namespace).Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "config"}}, metav1.CreateOptions{}); err != nil {
		t.Errorf("the webhook should not be asked about ConfigMaps, got %v", err)
	}
}
