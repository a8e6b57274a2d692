package cluster

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

func TestInvalidOptions(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		options Options
		want    []string
	}{
		"Nodes":     {Options{Nodes: -1}, []string{"Options.Nodes: -1 is not between 0 and 5000"}},
		"ManyNodes": {Options{Nodes: 5001}, []string{"Options.Nodes: 5001"}},
		"Port":      {Options{Port: 70000}, []string{"Options.Port: 70000 is not between 0 and 65535"}},
		"CRDPaths":  {Options{CRDPaths: []string{"testdata", "none"}}, []string{"Options.CRDPaths[1]: ", "none: no such file"}},
		"CRDs":      {Options{CRDs: []*apiextensionsv1.CustomResourceDefinition{nil}}, []string{"Options.CRDs[0]: is nil"}},
		"Webhooks":  {Options{Webhooks: envtest.WebhookInstallOptions{Paths: []string{"none"}}}, []string{"Options.Webhooks.Paths[0]: "}},
		"Flags":     {Options{Flags: map[Component][]string{"kubelet": nil}}, []string{`Options.Flags: there is no component "kubelet"`}},
		"Logs":      {Options{Logs: file}, []string{"Options.Logs: ", "is not a directory"}},
		"All":       {Options{Nodes: -1, Port: -1}, []string{"Options.Nodes: ", "Options.Port: "}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := Start(t.Context(), tc.options)
			for _, want := range append(tc.want, "start cluster: ") {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("want an error with %q, got %v", want, err)
				}
			}
		})
	}
}

func TestComponents(t *testing.T) {
	cases := map[string]struct {
		options Options
		want    []Component
	}{
		"Zero":  {Options{}, []Component{Etcd, APIServer}},
		"Nodes": {Options{Nodes: 1}, []Component{Etcd, APIServer, Kwok}},
		"Full":  {Full(), []Component{Etcd, APIServer, ControllerManager, Scheduler, Kwok}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if err := tc.options.validate(); err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(tc.want, tc.options.components()); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}
