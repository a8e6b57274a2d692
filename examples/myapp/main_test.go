package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/examples/myapp/internal/stage"
	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/steptest"
)

// The API server alone is enough to see an operator start and write.
func TestMain(m *testing.M) {
	cluster.Main(m, cluster.Options{Flags: stage.StrictFlags()})
}

// TestInstalled installs config/default and runs the operator as it would run
// then: with the arguments of the installed Deployment, as its service account.
func TestInstalled(t *testing.T) {
	s := newSite(t, "config/default")
	deployment := &appsv1.Deployment{}
	s.get("myapp-controller-manager", deployment)
	s.checkPod(deployment)
	s.start(deployment.Spec.Template.Spec.Containers[0].Args)

	for _, path := range []string{"/healthz", "/readyz"} {
		s.await("the operator answers "+path, func() error {
			return s.expect(http.StatusOK, "http://"+s.probes+path, "")
		})
	}
	lease := &coordinationv1.Lease{}
	s.await("the operator leads", func() error {
		if err := s.client.Get(s.ctx, client.ObjectKey{Namespace: stage.Namespace, Name: "myapp.apps.example.com"}, lease); err != nil {
			return err
		}
		if lease.Spec.HolderIdentity == nil || *lease.Spec.HolderIdentity == "" {
			return fmt.Errorf("nobody has the lease")
		}
		return nil
	})
	s.checkMetrics()
	s.await("the operator is ready", func() error { return s.expect(http.StatusOK, "http://"+s.probes+"/readyz", "") })

	app := &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"}, Spec: v1.MyAppSpec{Image: "img:1"}}
	s.must(s.client.Create(s.ctx, app))
	for _, child := range []client.Object{&appsv1.Deployment{}, &corev1.Service{}} {
		s.await(fmt.Sprintf("there is a %T", child), func() error {
			return s.client.Get(s.ctx, client.ObjectKeyFromObject(app), child)
		})
	}

	s.must(s.stop())
	s.get("myapp.apps.example.com", lease)
	if holder := *lease.Spec.HolderIdentity; holder != "" {
		t.Errorf("the lease was not given back: %s has it", holder)
	}
	if denied := s.requests.All(func(r steptest.Request) bool { return r.Code == http.StatusForbidden }); len(denied) > 0 {
		t.Errorf("the installed roles lack %v", denied)
	}
}

// checkPod makes sure that the installed namespace admits the operator's pod,
// which enforces the restricted standard.
func (s *site) checkPod(deployment *appsv1.Deployment) {
	s.Helper()
	pod := &corev1.Pod{ObjectMeta: deployment.Spec.Template.ObjectMeta, Spec: deployment.Spec.Template.Spec}
	pod.Namespace, pod.Name = deployment.Namespace, "trial"
	s.must(s.client.Create(s.ctx, pod, client.DryRunAll))

	pod.ResourceVersion, pod.UID = "", ""
	pod.Spec.SecurityContext.RunAsNonRoot = nil
	if err := s.client.Create(s.ctx, pod, client.DryRunAll); err == nil || !strings.Contains(err.Error(), "restricted") {
		s.Errorf("a pod that may run as root: the API server answered %v", err)
	}
}

// checkMetrics makes sure that metrics are for those who may read them.
func (s *site) checkMetrics() {
	s.Helper()
	url := "https://" + s.metrics + "/metrics"
	stranger, reader := s.token("stranger"), s.token("reader", "myapp-metrics-reader")
	for _, test := range []struct {
		who, token string
		want       int
	}{
		{"nobody", "", http.StatusUnauthorized},
		{"a service account without the role", stranger, http.StatusForbidden},
		{"a service account with the role", reader, http.StatusOK},
	} {
		s.await("the metrics for "+test.who, func() error { return s.expect(test.want, url, test.token) })
	}
}

func TestFailsWithoutCluster(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	config := cluster.Shared(t).Config()
	config.Host = "https://127.0.0.1:1"
	if err := run(ctx, config, options{metricsAddress: "0", probeAddress: "0"}); err == nil {
		t.Error("nothing is wrong with a cluster that is not there")
	}
}
