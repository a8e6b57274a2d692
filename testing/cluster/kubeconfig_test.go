package cluster

import (
	"os"
	"path/filepath"
	"testing"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

func TestKubeconfig(t *testing.T) {
	c := Shared(t)
	jane, err := c.User("jane")
	if err != nil {
		t.Fatal(err)
	}
	account, err := c.ServiceAccount(t.Context(), "default", "default")
	if err != nil {
		t.Fatal(err)
	}
	written := func(config *rest.Config) string {
		path := filepath.Join(t.TempDir(), "kubeconfig")
		if err := os.WriteFile(path, []byte("replaced"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := WriteKubeconfig(path, config); err != nil {
			t.Fatal(err)
		}
		return path
	}
	cases := map[string]struct {
		path string
		user string
	}{
		"Admin":          {path: c.Kubeconfig(), user: "trueup-admin"},
		"User":           {path: written(jane), user: "jane"},
		"ServiceAccount": {path: written(account), user: "system:serviceaccount:default:default"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			info, err := os.Stat(tc.path)
			if err != nil {
				t.Fatal(err)
			}
			if info.Mode().Perm() != 0o600 {
				t.Errorf("want mode 0600, got %s", info.Mode())
			}
			config, err := clientcmd.BuildConfigFromFlags("", tc.path)
			if err != nil {
				t.Fatal(err)
			}
			if got := whoAmI(t, config).Username; got != tc.user {
				t.Errorf("user: want %s, got %s", tc.user, got)
			}
		})
	}
	if err := WriteKubeconfig(filepath.Join(t.TempDir(), "none", "kubeconfig"), jane); err == nil {
		t.Error("a directory that does not exist should be an error")
	}
}

// TestConfigIsACopy changes what one caller got.
func TestConfigIsACopy(t *testing.T) {
	c := Shared(t)
	c.Config().Host = "changed"
	if got := c.Config().Host; got == "changed" {
		t.Error("changing one configuration should not change the next")
	}
	if got := c.Config().QPS; got >= 0 {
		t.Errorf("the client should not limit its rate, QPS is %v", got)
	}
}
