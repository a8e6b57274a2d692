package main

import (
	"context"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
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

// TestCertManager installs config/with-cert-manager and plays cert-manager: what it
// is asked for, by the names that it is asked for, is enough for the webhooks. When it
// renews the certificate, the running operator serves the renewed one.
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

	renewed := s.issue(secretName, directory)
	s.inject(renewed)
	s.await("the API server meets the renewed certificate and no other", func() error {
		s.webhooks.turn("up") // which cuts the connections that know the last one
		if err := s.client.List(s.ctx, &v2.MyAppList{}); err != nil {
			return err
		}
		return s.try("trial", "img:1")
	})
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

// write replaces files as the kubelet does in a volume: all at once, by a link to the
// directory that they are in.
func (p place) write(files map[string][]byte) error {
	const data = "..data"
	last, _ := os.Readlink(filepath.Join(p.here, data))
	directory, err := os.MkdirTemp(p.here, "..")
	if err != nil {
		return err
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(directory, name), content, 0o600); err != nil {
			return err
		}
		if err := os.Symlink(filepath.Join(data, name), filepath.Join(p.here, name)); err != nil && !os.IsExist(err) {
			return err
		}
	}
	next := filepath.Join(p.here, data+"_tmp")
	if err := errors.Join(os.Symlink(filepath.Base(directory), next), os.Rename(next, filepath.Join(p.here, data))); err != nil || last == "" {
		return err
	}
	return os.RemoveAll(filepath.Join(p.here, last))
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
		s.must(where.write(map[string][]byte{"tls.crt": chain, "tls.key": key}))
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
