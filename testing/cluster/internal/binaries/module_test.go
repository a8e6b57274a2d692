package binaries

import (
	"encoding/json"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// goMod is what "go mod edit -json" says that these tests want to know.
type goMod struct {
	Module  struct{ Path string }
	Go      string
	Require []struct {
		Path, Version string
		Indirect      bool
	}
	Replace []struct {
		Old, New struct{ Path, Version string }
	}
}

func readModule(t *testing.T, path string) goMod {
	t.Helper()
	output, err := exec.Command("go", "mod", "edit", "-json", path).Output()
	if err != nil {
		t.Fatalf("go mod edit: %v", err)
	}
	var parsed goMod
	if err := json.Unmarshal(output, &parsed); err != nil {
		t.Fatal(err)
	}
	return parsed
}

func (m goMod) version(path string) string {
	for _, require := range m.Require {
		if require.Path == path {
			return require.Version
		}
	}
	return ""
}

// unpack writes the files of a module where the go command can read them.
func unpack(t *testing.T, m module) (directory string, files map[string][]byte) {
	t.Helper()
	files, err := m.files()
	if err != nil {
		t.Fatal(err)
	}
	directory = t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(directory, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return directory, files
}

func TestEmbeddedModulesAreConsistent(t *testing.T) {
	library := readModule(t, filepath.Join("..", "..", "..", "..", "go.mod"))
	for _, m := range known {
		t.Run(m.name, func(t *testing.T) {
			directory, files := unpack(t, m)
			mod := readModule(t, filepath.Join(directory, "go.mod"))

			if want := "github.com/trueup-dev/trueup/testing/cluster/" + m.name; mod.Module.Path != want {
				t.Errorf("module path: want %s, got %s", want, mod.Module.Path)
			}
			if mod.Go != library.Go {
				t.Errorf("go directive: want the library's, %s, got %s", library.Go, mod.Go)
			}
			formatted, err := format.Source(files["main.go"])
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(formatted), string(files["main.go"])); diff != "" {
				t.Errorf("main.go is not formatted: -want, +got:\n%s", diff)
			}
			replaced := map[string]string{}
			for _, replace := range mod.Replace {
				replaced[replace.Old.Path] = replace.New.Path + " " + replace.New.Version
			}
			for _, require := range mod.Require {
				key := require.Path + " " + require.Version
				if other, ok := replaced[require.Path]; ok {
					key = other
				}
				if !strings.Contains(string(files["go.sum"]), key+"/go.mod h1:") {
					t.Errorf("go.sum has no line for %s", key)
				}
			}
		})
	}
}

func TestVersionsMatchModules(t *testing.T) {
	kubernetes, ok := moduleOf("kube-apiserver")
	if !ok {
		t.Fatal("nothing builds kube-apiserver")
	}
	directory, _ := unpack(t, kubernetes)
	mod := readModule(t, filepath.Join(directory, "go.mod"))
	if diff := cmp.Diff(KubernetesVersion, mod.version("k8s.io/kubernetes")); diff != "" {
		t.Errorf("k8s.io/kubernetes: -constant, +go.mod:\n%s", diff)
	}
	staging := fmt.Sprintf("v0.%s.%s", part(1), part(2))
	if diff := cmp.Diff(staging, mod.version("k8s.io/component-base")); diff != "" {
		t.Errorf("k8s.io/component-base: -constant, +go.mod:\n%s", diff)
	}
	library := readModule(t, filepath.Join("..", "..", "..", "..", "go.mod"))
	if diff := cmp.Diff(staging, library.version("k8s.io/client-go")); diff != "" {
		t.Errorf("k8s.io/client-go of the library: -constant, +go.mod:\n%s", diff)
	}

	kwok, ok := moduleOf("kwok")
	if !ok {
		t.Fatal("nothing builds kwok")
	}
	directory, _ = unpack(t, kwok)
	mod = readModule(t, filepath.Join(directory, "go.mod"))
	if diff := cmp.Diff(KwokVersion, mod.version("sigs.k8s.io/kwok")); diff != "" {
		t.Errorf("sigs.k8s.io/kwok: -constant, +go.mod:\n%s", diff)
	}
}

func TestKey(t *testing.T) {
	m, _ := moduleOf("kwok")
	first, err := m.key()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(first, "kwok-"+KwokVersion+"-") {
		t.Errorf("the key should name program and version, got %s", first)
	}
	again, err := m.key()
	if err != nil {
		t.Fatal(err)
	}
	if first != again {
		t.Errorf("the key of the same module should be the same, got %s and %s", first, again)
	}
	m.ldflags += " -X a=b"
	other, err := m.key()
	if err != nil {
		t.Fatal(err)
	}
	if first == other {
		t.Error("the key of another build should be another")
	}
}
