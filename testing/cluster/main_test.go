package cluster

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// TestMain shares one whole cluster among the tests of this package, and makes
// the test binary a program that starts a cluster and ends badly when another
// test runs it as one.
func TestMain(m *testing.M) {
	if ending := os.Getenv(endingVariable); ending != "" {
		endBadly(ending)
	}
	if when := os.Getenv(loggingVariable); when != "" {
		logSomething(when)
		return
	}
	whole, api := Full(), Options{}
	for _, options := range []*Options{&whole, &api} {
		options.CRDPaths = []string{"testdata"}
		options.CRDs = []*apiextensionsv1.CustomResourceDefinition{gadgetDefinition}
	}
	api.Webhooks = envtest.WebhookInstallOptions{
		ValidatingWebhooks: []*admissionregistrationv1.ValidatingWebhookConfiguration{secretWebhook},
	}
	Main(tests(func() int { return sharedAPI.run(m, api) }), whole)
}

// sharedAPI is an API server alone that the tests of this package share, beside
// the whole cluster of [Shared].
var sharedAPI sharing

// apiServer returns the API server of sharedAPI.
func apiServer(t *testing.T) *Cluster {
	t.Helper()
	ctx, cancel := testContext(t)
	defer cancel()
	c, err := sharedAPI.get(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// startForTest starts a cluster that stops after the test.
func startForTest(t *testing.T, options Options) *Cluster {
	t.Helper()
	ctx, cancel := testContext(t)
	defer cancel()
	c, err := Start(ctx, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func clientFor(t *testing.T, config *rest.Config) kubernetes.Interface {
	t.Helper()
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// processesIn returns the command lines of the processes that have the
// directory in theirs: those of a cluster, and its watchdog.
func processesIn(t *testing.T, directory string) []string {
	t.Helper()
	listed, err := exec.Command("ps", "-A", "-ww", "-o", "args=").Output()
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for line := range strings.Lines(string(listed)) {
		if strings.Contains(line, directory) {
			found = append(found, strings.TrimSpace(line))
		}
	}
	return found
}

func eventually(t *testing.T, what string, condition func(ctx context.Context) (bool, error)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var last error
	if err := wait.PollUntilContextCancel(ctx, 20*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		done, err := condition(ctx)
		if err != nil {
			last = err
		}
		return done, nil
	}); err != nil {
		t.Fatalf("never happened: %s (last error: %v)", what, last)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// temporaryDirectory makes a directory whose name is short enough for sockets
// below it, and makes it the one for temporary files.
func temporaryDirectory(t *testing.T) string {
	t.Helper()
	directory, err := os.MkdirTemp("", "trueup-test-") //nolint:usetesting // whose names are too long for sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(directory) })
	return directory
}

// clusterDirectories returns the directories of clusters below parent.
func clusterDirectories(parent string) []string {
	found, _ := filepath.Glob(filepath.Join(parent, "trueup-cluster-*"))
	return found
}

func describe(lines []string) string {
	return fmt.Sprintf("%d:\n%s", len(lines), strings.Join(lines, "\n"))
}
