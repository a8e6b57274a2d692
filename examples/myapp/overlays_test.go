package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	certutil "k8s.io/client-go/util/cert"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v2 "github.com/trueup-dev/trueup/examples/myapp/api/v2"
	"github.com/trueup-dev/trueup/examples/myapp/internal/stage"
)

// TestNamespaced installs config/namespaced, where nothing is bound to the operator
// outside of its namespace, and runs it as it would run then.
func TestNamespaced(t *testing.T) {
	s := newSite(t, "config/namespaced")
	bindings := &rbacv1.ClusterRoleBindingList{}
	s.must(s.client.List(s.ctx, bindings))
	for _, binding := range bindings.Items { // of other directories
		if slices.ContainsFunc(binding.Subjects, func(who rbacv1.Subject) bool { return who.Namespace == stage.Namespace }) {
			s.must(s.client.Delete(s.ctx, &binding))
		}
	}
	deployment := &appsv1.Deployment{}
	s.get("myapp-controller-manager", deployment)
	s.checkPod(deployment)
	var args []string
	for _, arg := range deployment.Spec.Template.Spec.Containers[0].Args {
		args = append(args, strings.ReplaceAll(arg, "$(POD_NAMESPACE)", stage.Namespace)) // as the kubelet does
	}
	elsewhere := s.create(s.env.Namespace(t), "elsewhere")[0]
	s.start(append(args, "--metrics-bind-address=0"))
	here := s.create(stage.Namespace, "here")[0]
	s.awaitDeployment(here, 1)
	s.await("the operator is ready", func() error { return s.expect(http.StatusOK, "http://"+s.probes+"/readyz", "") })
	_, err := s.requests.Quiet(s.ctx)
	s.must(err)
	if err := s.client.Get(s.ctx, client.ObjectKeyFromObject(elsewhere), deployment); !apierrors.IsNotFound(err) {
		t.Errorf("the app of another namespace was looked after: %v", err)
	}
	s.must(s.client.Delete(s.ctx, here))
	s.await("the app is gone", func() error {
		return mustBeNotFound(s.client.Get(s.ctx, client.ObjectKeyFromObject(here), here))
	})
	s.must(s.stop())
	s.checkRights()
}

func mustBeNotFound(err error) error {
	if err == nil {
		return fmt.Errorf("it is there")
	}
	return client.IgnoreNotFound(err)
}

// TestCertManager installs config/with-cert-manager and plays cert-manager: what it
// is asked for, by the names that it is asked for, is enough for the webhooks.
func TestCertManager(t *testing.T) {
	s := newSite(t, "config/without-webhooks")
	s.define("Issuer", "issuers")
	s.define("Certificate", "certificates")
	s.install("config/with-cert-manager")
	deployment := &appsv1.Deployment{}
	s.get("myapp-controller-manager", deployment)
	s.checkPod(deployment)
	directory, secretName := mountOf(t, deployment)
	trusted := s.issue(secretName, directory)
	args := deployment.Spec.Template.Spec.Containers[0].Args
	flag := "--webhook-cert-path=" + directory.pod
	if !slices.Contains(args, flag) {
		t.Fatalf("the certificate is at %s, and the arguments are %v", directory.pod, args)
	}
	s.start(append(args, "--webhook-cert-path="+directory.here))
	s.inject(trusted)
	s.await("the API server trusts the operator", func() error { return s.try("trial", "img:1") })
	if err := s.try("bad", "Img:1"); !apierrors.IsInvalid(err) {
		t.Errorf("an image that cannot be was answered %v", err)
	}
	s.must(s.client.List(s.ctx, &v2.MyAppList{}))
	s.must(s.stop())
	s.checkRights()
}

// define makes a kind of cert-manager known, without what is in it.
func (s *site) define(kind, plural string) {
	s.Helper()
	anything := &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
		Type: "object", XPreserveUnknownFields: new(true),
	}}
	crd := &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: plural + ".cert-manager.io"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "cert-manager.io", Scope: apiextensionsv1.NamespaceScoped,
			Names:    apiextensionsv1.CustomResourceDefinitionNames{Kind: kind, Plural: plural},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true, Schema: anything}},
		},
	}
	s.must(client.IgnoreAlreadyExists(s.client.Create(s.ctx, crd)))
	s.await(kind+" is served", func() error { return s.client.List(s.ctx, certManager(kind+"List")) })
}

func certManager(kind string) *unstructured.UnstructuredList {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(schema.GroupVersionKind{Group: "cert-manager.io", Version: "v1", Kind: kind})
	return list
}

// place is where a certificate is: in the pod, and in this test.
type place struct{ pod, here string }

// mountOf returns where the Deployment has a Secret, and which.
func mountOf(t *testing.T, deployment *appsv1.Deployment) (place, string) {
	t.Helper()
	pod := deployment.Spec.Template.Spec
	mount := pod.Containers[0].VolumeMounts[0]
	i := slices.IndexFunc(pod.Volumes, func(volume corev1.Volume) bool { return volume.Name == mount.Name })
	return place{mount.MountPath, t.TempDir()}, pod.Volumes[i].Secret.SecretName
}

// issue does what a Certificate asks for, if it is for the Secret, and returns by
// what name it is known and whom to trust.
func (s *site) issue(secretName string, where place) map[string][]byte {
	s.Helper()
	list, issuers := certManager("CertificateList"), certManager("IssuerList")
	s.must(s.client.List(s.ctx, list, client.InNamespace(stage.Namespace)))
	s.must(s.client.List(s.ctx, issuers, client.InNamespace(stage.Namespace)))
	trusted := map[string][]byte{}
	for _, certificate := range list.Items {
		spec := certificate.Object["spec"].(map[string]any)
		if spec["secretName"] != secretName {
			continue
		}
		if issuer := spec["issuerRef"].(map[string]any)["name"]; len(issuers.Items) != 1 || issuer != issuers.Items[0].GetName() {
			s.Fatalf("there is no issuer %v", issuer)
		}
		hosts, _, _ := unstructured.NestedStringSlice(spec, "dnsNames")
		chain, key, err := certutil.GenerateSelfSignedCertKey(hosts[0], nil, hosts[1:])
		s.must(err)
		s.must(os.WriteFile(filepath.Join(where.here, "tls.crt"), chain, 0o600))
		s.must(os.WriteFile(filepath.Join(where.here, "tls.key"), key, 0o600))
		trusted[certificate.GetNamespace()+"/"+certificate.GetName()] = chain
	}
	if len(trusted) != 1 {
		s.Fatalf("%d certificates are for the Secret %s", len(trusted), secretName)
	}
	return trusted
}

// inject tells whom to trust to what asks for it: both webhooks, and the CRD.
func (s *site) inject(trusted map[string][]byte) {
	s.Helper()
	told := 0
	for _, kind := range []schema.GroupVersionKind{
		{Group: "admissionregistration.k8s.io", Version: "v1", Kind: "MutatingWebhookConfiguration"},
		{Group: "admissionregistration.k8s.io", Version: "v1", Kind: "ValidatingWebhookConfiguration"},
		{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"},
	} {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(kind)
		s.must(s.client.List(s.ctx, list))
		for _, object := range list.Items {
			bundle := trusted[object.GetAnnotations()["cert-manager.io/inject-ca-from"]]
			if bundle == nil {
				continue
			}
			told++
			if webhook, ok, _ := unstructured.NestedMap(object.Object, "spec", "conversion", "webhook", "clientConfig"); ok {
				webhook["caBundle"] = base64.StdEncoding.EncodeToString(bundle)
				s.must(unstructured.SetNestedMap(object.Object, webhook, "spec", "conversion", "webhook", "clientConfig"))
			}
			if webhooks, ok, _ := unstructured.NestedSlice(object.Object, "webhooks"); ok {
				webhooks[0].(map[string]any)["clientConfig"].(map[string]any)["caBundle"] = base64.StdEncoding.EncodeToString(bundle)
				s.must(unstructured.SetNestedSlice(object.Object, webhooks, "webhooks"))
			}
			s.must(s.client.Update(context.Background(), &object, client.FieldOwner("cert-manager")))
		}
	}
	if told != 3 {
		s.Errorf("%d objects ask whom to trust, want 3", told)
	}
}
