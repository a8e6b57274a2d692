package delivery_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/examples/internal/toolbox"
	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/testing/cluster"
)

// admin is who installs the operator on a cluster, with kubectl.
type admin struct {
	*testing.T
	client client.Client
	bin    string   // where kubectl is
	env    []string // with which it finds the cluster
}

func newAdmin(t *testing.T) *admin {
	t.Helper()
	env := cluster.Shared(t)
	scheme := runtime.NewScheme()
	kinds := runtime.NewSchemeBuilder(clientgoscheme.AddToScheme, apiextensionsv1.AddToScheme, v1.AddToScheme)
	if err := kinds.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	c, err := client.New(env.Config(), client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	bin := toolbox.Build(t, "kubectl")
	return &admin{t, c, bin, []string{"KUBECONFIG=" + env.Kubeconfig(), "PATH=" + bin + ":" + os.Getenv("PATH")}}
}

// there reads an object and reports whether it is there.
func (a *admin) there(object client.Object, namespace, name string) bool {
	a.Helper()
	err := a.client.Get(a.Context(), client.ObjectKey{Namespace: namespace, Name: name}, object)
	if err != nil && !apierrors.IsNotFound(err) {
		a.Fatal(err)
	}
	return err == nil
}

func (a *admin) kubectl(args ...string) {
	a.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(a.Context()), filepath.Join(a.bin, "kubectl"), args...) // for clean-up too
	cmd.Env = append(os.Environ(), a.env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		a.Errorf("kubectl %v: %v: %s", args, err, out)
	}
}
