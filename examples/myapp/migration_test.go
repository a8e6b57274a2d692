package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v2 "github.com/trueup-dev/trueup/examples/myapp/api/v2"
	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/steptest"
)

// TestStoredVersionMigration does what UPGRADING.md says, with kubectl, and then starts
// the API server and the operator anew, as after a power cut: nobody can read a MyApp
// in the version that the operator watches before it has been called.
func TestStoredVersionMigration(t *testing.T) {
	buildKubectl(t)
	s := newGuarded(t)
	s.must(s.patch("old", `{"port":9090}`))
	commands := upgrading(t, "A new version of the API")
	if len(commands) != 2 {
		t.Fatalf("there are %d commands", len(commands))
	}
	s.store("v2", commands[0])
	s.must(s.shell(commands[1]))
	if stored := s.definition().Status.StoredVersions; len(stored) != 1 || stored[0] != "v2" {
		t.Errorf("stored are %v", stored)
	}
	app := s.app("old", "")
	s.must(s.client.Get(s.ctx, client.ObjectKeyFromObject(app), app))
	if app.Spec.Port != 9090 || app.Spec.Image != "Img" {
		t.Errorf("v1 says %+v", app.Spec)
	}

	s.must(s.stop())
	s.must(s.env.RestartAPIServer(s.ctx, nil)) // which knew all in both versions
	s.start(s.arguments())
	s.awaitReady()
	s.must(s.patch("old", `{"port":9091,"image":"img:1","nodeSelector":null}`))
	s.await("the change is rolled out", func() error {
		deployment := &appsv1.Deployment{}
		if err := s.client.Get(s.ctx, client.ObjectKeyFromObject(app), deployment); err != nil {
			return err
		}
		if port := deployment.Spec.Template.Spec.Containers[0].Ports[0].ContainerPort; port != 9091 {
			return fmt.Errorf("the port is %d", port)
		}
		return nil
	})
	s.store("v1", commands[0])
	s.must(s.shell(strings.ReplaceAll(commands[1], "v2", "v1")))
	s.must(s.stop())
	s.checkRights()
}

// store changes which version is stored, as another "+kubebuilder:storageversion" does,
// and has every object stored anew by a command.
func (s *site) store(version, command string) {
	s.Helper()
	_, err := s.requests.Quiet(s.ctx, func(r steptest.Request) bool { return !isLease(r) })
	s.must(err)
	before := s.versions()
	crd := s.definition()
	for i := range crd.Spec.Versions {
		crd.Spec.Versions[i].Storage = crd.Spec.Versions[i].Name == version
	}
	s.must(s.client.Update(s.ctx, crd))
	s.await("every object is stored anew", func() error { // the API server takes a moment to do so
		if err := s.shell(command); err != nil {
			return err
		}
		for uid, last := range s.versions() {
			if last == before[uid] {
				return fmt.Errorf("%s is still as it was", uid)
			}
		}
		return nil
	})
}

func (s *site) definition() *apiextensionsv1.CustomResourceDefinition {
	s.Helper()
	crd := &apiextensionsv1.CustomResourceDefinition{}
	s.must(s.client.Get(s.ctx, client.ObjectKey{Name: trust.Definition}, crd))
	return crd
}

// versions returns the resource version of each MyApp, by its UID.
func (s *site) versions() map[string]string {
	s.Helper()
	apps := &v2.MyAppList{}
	s.must(s.client.List(s.ctx, apps))
	versions := map[string]string{}
	for _, app := range apps.Items {
		versions[string(app.UID)] = app.ResourceVersion
	}
	return versions
}

var blocks = regexp.MustCompile("(?sm)^ *```sh\n(.*?)^ *```$")

// upgrading returns the commands of a section of UPGRADING.md.
func upgrading(t *testing.T, section string) []string {
	t.Helper()
	page, err := os.ReadFile("UPGRADING.md")
	if err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile(`(?sm)^## ` + section + `$(.*?)(^## |\z)`).Find(page)
	var commands []string
	for _, block := range blocks.FindAllSubmatch(text, -1) {
		commands = append(commands, string(block[1]))
	}
	return commands
}

// tools are the programs that users have, where this example is in its repository.
const tools = "../internal/tools"

// buildKubectl builds kubectl where [site.shell] finds it, unless the user has to have
// it. The first time on a machine that takes some minutes.
func buildKubectl(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(tools); os.IsNotExist(err) {
		return
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-C", tools, "-ldflags=-s -w", "-o", bin(cluster.Shared(t)), "./kubectl")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build kubectl: %v: %s", err, out)
	}
}

// bin is a directory that goes away with the cluster.
func bin(env *cluster.Cluster) string { return filepath.Join(env.Directory(), "bin") + "/" }

// shell runs commands as the administrator.
func (s *site) shell(commands string) error {
	cmd := exec.CommandContext(s.ctx, "sh", "-ec", commands)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+s.env.Kubeconfig(), "PATH="+bin(s.env)+":"+os.Getenv("PATH"))
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", commands, err, out)
	}
	return nil
}
