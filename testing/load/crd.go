package main

import (
	"context"
	"fmt"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/yaml"

	"github.com/trueup-dev/trueup/examples/myapp/config"
)

// crdTimeout bounds how long a CRD may take to go.
const crdTimeout = time.Minute

// installCRD installs the CRD of MyApps unless it is there. It returns what
// removes it again, also after an error, nil if there is nothing to remove.
func installCRD(ctx context.Context, server *rest.Config) (remove func() error, err error) {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.Unmarshal(config.CRD, crd); err != nil {
		return nil, err
	}
	client, err := clientset.NewForConfig(server)
	if err != nil {
		return nil, err
	}
	_, err = client.ApiextensionsV1().CustomResourceDefinitions().Get(ctx, crd.Name, metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		return nil, err
	}
	_, err = envtest.InstallCRDs(server, envtest.CRDInstallOptions{
		CRDs: []*apiextensionsv1.CustomResourceDefinition{crd},
	})
	return func() error { return removeCRD(ctx, client, crd.Name) }, err
}

// removeCRD removes a CRD, also when the context is done, and waits until it is
// gone.
func removeCRD(ctx context.Context, client clientset.Interface, name string) error {
	ctx = context.WithoutCancel(ctx)
	crds := client.ApiextensionsV1().CustomResourceDefinitions()
	err := crds.Delete(ctx, name, metav1.DeleteOptions{})
	if err == nil {
		err = wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, crdTimeout, true,
			func(ctx context.Context) (bool, error) {
				_, err := crds.Get(ctx, name, metav1.GetOptions{})
				if apierrors.IsNotFound(err) {
					return true, nil
				}
				return false, err
			})
	}
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("remove CRD %s: %w", name, err)
	}
	return nil
}
