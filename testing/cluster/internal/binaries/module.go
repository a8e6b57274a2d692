package binaries

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"maps"
	"path"
	"runtime"
	"slices"
	"strings"
)

// Versions of what is built.
const (
	KubernetesVersion = "v1.37.2"
	KwokVersion       = "v0.8.0"
)

//go:embed modules
var modules embed.FS

// module is a Go module that builds one program.
type module struct {
	name     string   // of the module's folder and of the program
	version  string   // of what the program is
	names    []string // that the program goes by: it acts on its own name
	ldflags  string
	estimate string // how long a build takes with an empty build cache
	packages int    // how many packages are compiled then
}

// known are the modules that can be built.
var known = []module{
	{
		name:    "kubernetes",
		version: KubernetesVersion,
		names:   []string{"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"},
		ldflags: "-s -w" +
			" -X k8s.io/component-base/version.gitVersion=" + KubernetesVersion +
			" -X k8s.io/component-base/version.gitMajor=" + part(0) +
			" -X k8s.io/component-base/version.gitMinor=" + part(1),
		estimate: "5 minutes on two cores",
		packages: 2500,
	},
	{
		name:     "kwok",
		version:  KwokVersion,
		names:    []string{"kwok"},
		ldflags:  "-s -w -X sigs.k8s.io/kwok/pkg/consts.Version=" + KwokVersion,
		estimate: "1 minute on two cores",
		packages: 950,
	},
}

// part returns the element of [KubernetesVersion] that has the index.
func part(index int) string {
	return strings.Split(strings.TrimPrefix(KubernetesVersion, "v"), ".")[index]
}

// moduleOf returns the module that builds the program called name.
func moduleOf(name string) (module, bool) {
	for _, m := range known {
		if slices.Contains(m.names, name) {
			return m, true
		}
	}
	return module{}, false
}

// files returns the files of the module by the names that the go command wants.
func (m module) files() (map[string][]byte, error) {
	folder := path.Join("modules", m.name)
	entries, err := modules.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("read embedded module %s: %w", m.name, err)
	}
	files := map[string][]byte{}
	for _, entry := range entries {
		content, err := modules.ReadFile(path.Join(folder, entry.Name()))
		if err != nil {
			return nil, fmt.Errorf("read embedded module %s: %w", m.name, err)
		}
		files[strings.TrimSuffix(entry.Name(), ".txt")] = content
	}
	return files, nil
}

// key names what the module builds on this machine: anything that changes the
// program changes the key, so what is in the cache under it is never stale.
func (m module) key() (string, error) {
	files, err := m.files()
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	_, _ = fmt.Fprintf(hash, "%s %q %q\n", m.ldflags, m.names, buildFlags)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		_, _ = fmt.Fprintf(hash, "%s %d\n%s", name, len(files[name]), files[name])
	}
	sum := hex.EncodeToString(hash.Sum(nil))[:12]
	return fmt.Sprintf("%s-%s-%s-%s-%s", m.name, m.version, runtime.GOOS, runtime.GOARCH, sum), nil
}
