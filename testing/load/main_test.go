package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/load/internal/measure"
)

func TestMain(m *testing.M) {
	log.SetLogger(logr.Discard())
	cluster.Main(m, cluster.Options{})
}

// onShared is the command line for the cluster that the tests share.
func onShared(t *testing.T, more ...string) []string {
	t.Helper()
	return append([]string{"--kubeconfig", cluster.Shared(t).Kubeconfig(), "--api-only", "--rounds", "1"}, more...)
}

// TestCounts holds the implementations to the numbers that do not depend on how
// fast the machine is.
func TestCounts(t *testing.T) {
	const apps = 5
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), onShared(t, "--apps", "5", "--json"), &stdout, &stderr); code != 0 {
		t.Fatalf("exit code %d\n%s", code, &stderr)
	}
	of := map[string]measure.Result{}
	for _, result := range results(t, &stdout) {
		if result.Apps != apps {
			t.Errorf("not of %d MyApps: %+v", apps, result)
		}
		of[result.Implementation] = result
	}
	if len(of) != 3 {
		t.Fatalf("got results of %d implementations, want 3:\n%+v", len(of), of)
	}
	trueup, handwritten, apply := of["trueup"], of["createorupdate"], of["apply"]

	type exact struct {
		NoopRequests                   float64
		RestartRequests, RestartWrites int
	}
	exactly := func(r measure.Result) exact { return exact{r.Requests, r.RestartRequests, r.RestartWrites} }
	if diff := cmp.Diff(exact{}, exactly(trueup)); diff != "" {
		t.Errorf("trueup over converged objects (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(exact{}, exactly(handwritten)); diff != "" {
		t.Errorf("createorupdate is not the careful loop that it should be (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(exact{2, 2 * apps, 2 * apps}, exactly(apply)); diff != "" {
		t.Errorf("apply does not apply both children in every pass (-want +got):\n%s", diff)
	}
	if trueup.WritesPerApp > handwritten.WritesPerApp {
		t.Errorf("trueup wrote %.2f times for each MyApp, the handwritten loop %.2f", trueup.WritesPerApp, handwritten.WritesPerApp)
	}
	// The finalizer, the two children, and the status before and after the rollout.
	if trueup.WritesPerApp != 5 {
		t.Errorf("trueup wrote %.2f times for each MyApp, want 5", trueup.WritesPerApp)
	}
	if trueup.Allocs > handwritten.Allocs/2 {
		t.Errorf("a pass that has nothing to do allocates %.0f times, the handwritten loop's %.0f times", trueup.Allocs, handwritten.Allocs)
	}
	nothingIsLeft(t)
}

// results returns the lines of an output, in which all is measured.
func results(t *testing.T, output io.Reader) []measure.Result {
	t.Helper()
	var all []measure.Result
	for lines := json.NewDecoder(output); ; {
		var result measure.Result
		err := lines.Decode(&result)
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if result.Convergence == nil || result.Noop == nil || result.Restart == nil || result.Records == nil {
			t.Fatalf("not measured: %+v", result)
		}
		if result.Seconds <= 0 || result.Nanoseconds <= 0 || result.Allocs <= 0 || result.Bytes <= 0 {
			t.Errorf("not measured: %+v", result)
		}
		all = append(all, result)
	}
}

// TestOnAClusterOfItsOwn has the tool start what it needs, and several numbers of MyApps.
func TestOnAClusterOfItsOwn(t *testing.T) {
	for name, args := range map[string][]string{
		"API server alone": {"--apps", "1,2", "--impl", "trueup,createorupdate"},
		"with controllers": {"--apps", "2", "--full", "--impl", "trueup"},
	} {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			if code := run(t.Context(), append(args, "--json", "--rounds", "1"), &stdout, &stderr); code != 0 {
				t.Fatalf("exit code %d\n%s", code, &stderr)
			}
			var got []string
			for _, result := range results(t, &stdout) {
				got = append(got, fmt.Sprint(result.Apps, " ", result.Implementation))
			}
			want := []string{"1 trueup", "1 createorupdate", "2 trueup", "2 createorupdate"}
			if name == "with controllers" {
				want = []string{"2 trueup"}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
		})
	}
}

// interrupter ends a context when something is written that contains a word.
type interrupter struct {
	io.Writer
	word      string
	interrupt func()
}

func (i *interrupter) Write(text []byte) (int, error) {
	if strings.Contains(string(text), i.word) {
		i.interrupt()
	}
	return i.Writer.Write(text)
}

func TestInterrupted(t *testing.T) {
	for name, tt := range map[string]struct {
		reason string
		word   string
	}{
		"Converging": {reason: "namespaces of an unfinished round are removed", word: "warming up"},
		"Running":    {reason: "operators that run are stopped", word: "restarted"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			var stdout, stderr bytes.Buffer
			code := run(ctx, onShared(t, "--apps", "2"), &stdout, &interrupter{Writer: &stderr, word: tt.word, interrupt: cancel})
			if code != 1 || !strings.Contains(stderr.String(), "interrupted: ") {
				t.Errorf("%s: exit code %d\n%s", tt.reason, code, &stderr)
			}
			if stdout.Len() > 0 {
				t.Errorf("%s: printed\n%s", tt.reason, &stdout)
			}
			nothingIsLeft(t)
		})
	}
}

// nothingIsLeft checks that the tool took everything away that it made.
func nothingIsLeft(t *testing.T) {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, apiextensionsv1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	c, err := client.New(cluster.Shared(t).Config(), client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	namespaces := &corev1.NamespaceList{}
	if err := c.List(t.Context(), namespaces); err != nil {
		t.Fatal(err)
	}
	for i := range namespaces.Items {
		if name := namespaces.Items[i].Name; strings.HasPrefix(name, "load-") {
			t.Errorf("namespace %s is left", name)
		}
	}
	crds := &apiextensionsv1.CustomResourceDefinitionList{}
	if err := c.List(t.Context(), crds); err != nil {
		t.Fatal(err)
	}
	for i := range crds.Items {
		t.Errorf("CRD %s is left", crds.Items[i].Name)
	}
}
