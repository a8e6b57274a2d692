package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/examples/myapp/internal/stage"
)

// An operator that may not keep its certificate is not ready, says for what, and is not
// restarted for it.
func TestNotReadyWithoutCertificate(t *testing.T) {
	s := newSite(t, "config/default")
	for _, object := range []client.Object{
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: stage.Namespace, Name: certificateName}},
		&rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Namespace: stage.Namespace, Name: "myapp-certificate-rolebinding"}},
	} {
		s.must(client.IgnoreNotFound(s.client.Delete(s.ctx, object)))
	}
	s.start(s.arguments())
	s.await("it is alive", func() error { return s.expect(http.StatusOK, "http://"+s.probes+"/healthz", "") })
	for _, check := range []string{"certificate", "webhooks"} {
		s.await("it is not ready for its "+check, func() error {
			err := s.expect(http.StatusOK, "http://"+s.probes+"/readyz", "")
			if err == nil || !strings.Contains(err.Error(), "[-]"+check+" failed") {
				return fmt.Errorf("it answers %w", err)
			}
			return nil
		})
	}
	s.must(s.expect(http.StatusOK, "http://"+s.probes+"/healthz", ""))
	s.must(s.stop())
}
