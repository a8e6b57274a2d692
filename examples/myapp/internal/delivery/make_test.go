package delivery_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/trueup-dev/trueup/testing/cluster"
)

func TestMain(m *testing.M) { cluster.Main(m, cluster.Full()) }

const (
	app  = "../.."       // examples/myapp
	root = "../../../.." // the module
)

// make runs make in a directory.
func runMake(t *testing.T, directory string, env []string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "make", args...)
	cmd.Dir, cmd.Env = directory, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("make %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// Each target that users of kubebuilder expect is there, and does what it is for.
func TestMakeSaysWhatItWouldDo(t *testing.T) {
	for target, want := range map[string]string{
		"manifests":     "go generate .",
		"generate":      "go generate .",
		"fmt":           "go fmt ./...",
		"vet":           "go vet ./...",
		"test":          "go test -timeout 30m ./...",
		"build":         "go build -o ",
		"run":           "go run . --leader-election-namespace=default",
		"docker-build":  "docker build -t example.com/myapp:v1 -f Dockerfile ",
		"docker-buildx": "docker buildx build --push --platform=linux/amd64,linux/arm64 -t example.com/myapp:v1 -f Dockerfile ",
		"install":       "kubectl apply --server-side -k config/crd",
		"uninstall":     "kubectl delete --ignore-not-found -k config/crd",
		"deploy":        "kubectl apply --server-side -f -",
		"undeploy":      "kubectl delete --ignore-not-found -k config/default",
	} {
		if got := runMake(t, app, nil, "-n", target, "IMG=example.com/myapp:v1"); !strings.Contains(got, want) {
			t.Errorf("make %s would do %q, want %q", target, got, want)
		}
	}
}

// What is generated can be lost: make makes it anew, and the same.
func TestMakeGenerates(t *testing.T) {
	copied := filepath.Join(t.TempDir(), "trueup")
	if err := os.CopyFS(copied, withoutGit{os.DirFS(root)}); err != nil {
		t.Fatal(err)
	}
	generated := []string{
		"api/v1/zz_generated.deepcopy.go", "api/v2/zz_generated.deepcopy.go",
		"config/crd/bases/apps.example.com_myapps.yaml", "config/rbac/role.yaml", "config/namespaced/role.yaml",
		"config/webhook/manifests.yaml",
	}
	for _, name := range generated {
		if name == "config/crd/bases/apps.example.com_myapps.yaml" || name == "config/rbac/role.yaml" {
			if err := os.WriteFile(filepath.Join(copied, "examples/myapp", name), nil, 0o600); err != nil { // it is embedded
				t.Fatal(err)
			}
			continue
		}
		if err := os.Remove(filepath.Join(copied, "examples/myapp", name)); err != nil {
			t.Fatal(err)
		}
	}
	runMake(t, filepath.Join(copied, "examples/myapp"), nil, "manifests", "generate")
	for _, name := range generated {
		want, err := os.ReadFile(filepath.Join(app, name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(copied, "examples/myapp", name))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s (-here +generated):\n%s", name, diff)
		}
	}
}

// withoutGit is a file system without its dotfiles.
type withoutGit struct{ fs.FS }

// ReadDir implements [fs.ReadDirFS].
func (f withoutGit) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(f.FS, name)
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return strings.HasPrefix(e.Name(), ".") }), err
}

// The operator is installed by make with the image that is given, and leaves nothing when
// it is taken away.
func TestMakeDeploys(t *testing.T) {
	admin := newAdmin(t)
	definition := &apiextensionsv1.CustomResourceDefinition{}
	const crd = "myapps.apps.example.com"

	runMake(t, app, admin.env, "install")
	if !admin.there(definition, "", crd) {
		t.Fatal("the CRD is not installed")
	}
	runMake(t, app, admin.env, "uninstall")
	if admin.there(definition, "", crd) {
		t.Error("the CRD is there after it was uninstalled")
	}
	admin.kubectl("apply", "-f", "testdata/cert-manager.yaml")
	admin.kubectl("wait", "--for=condition=Established", "-f", "testdata/cert-manager.yaml")
	for _, config := range []string{"default", "with-cert-manager", "without-webhooks", "namespaced"} {
		runMake(t, app, admin.env, "deploy", "CONFIG="+config, "IMG=example.com/myapp:v1")
		deployment := &appsv1.Deployment{}
		if !admin.there(deployment, "myapp-system", "myapp-controller-manager") || !admin.there(definition, "", crd) {
			t.Fatalf("%s is not deployed", config)
		}
		if image := deployment.Spec.Template.Spec.Containers[0].Image; image != "example.com/myapp:v1" {
			t.Errorf("%s has the image %s", config, image)
		}
		admin.kubectl("rollout", "status", "--namespace=myapp-system", "--timeout=2m", "deployment/myapp-controller-manager")
		runMake(t, app, admin.env, "undeploy", "CONFIG="+config)
		if admin.there(&corev1.Namespace{}, "", "myapp-system") || admin.there(definition, "", crd) {
			t.Errorf("%s has left something", config)
		}
	}
}
