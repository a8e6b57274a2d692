package binaries

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// AssetsVariable names the environment variable that envtest uses as well. The
// directory that it names usually has etcd, kube-apiserver and kubectl.
const AssetsVariable = "KUBEBUILDER_ASSETS"

// Finder finds programs. It holds no state, and may be used by many
// goroutines, and by many processes, at once.
type Finder struct {
	// Assets is a directory that is looked into first. Empty for none.
	Assets string
	// Cache is where what was built is kept. Required.
	Cache string
	// Progress is told what takes long. Required.
	Progress io.Writer

	// build makes the program of a module at a path. Tests replace it.
	build func(ctx context.Context, m module, directory string) error
}

// NewFinder returns the finder that the environment asks for.
func NewFinder(progress io.Writer) (Finder, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return Finder{}, fmt.Errorf("find the cache for the programs of the cluster (set XDG_CACHE_HOME or HOME): %w", err)
	}
	return Finder{
		Assets:   os.Getenv(AssetsVariable),
		Cache:    filepath.Join(cache, "trueup", "cluster"),
		Progress: progress,
	}, nil
}

// Find returns the path of each program by its name, and builds what is
// neither in the assets nor in the cache. When the assets are set, they must
// be a directory, but need not have every program.
func (f Finder) Find(ctx context.Context, names ...string) (map[string]string, error) {
	if f.Assets != "" {
		if info, err := os.Stat(f.Assets); err != nil {
			return nil, fmt.Errorf("look into %s: %w", AssetsVariable, err)
		} else if !info.IsDir() {
			return nil, fmt.Errorf("look into %s: %s is not a directory", AssetsVariable, f.Assets)
		}
	}
	paths := map[string]string{}
	for _, name := range names {
		path, err := f.find(ctx, name)
		if err != nil {
			return nil, err
		}
		paths[name] = path
	}
	return paths, nil
}

func (f Finder) find(ctx context.Context, name string) (string, error) {
	m, ok := moduleOf(name)
	if !ok {
		return "", fmt.Errorf("find %s: no such program", name)
	}
	// kwok has to be the one that is built here: it knows its own stages.
	if f.Assets != "" && m.name != "kwok" {
		if path := filepath.Join(f.Assets, name); executable(path) {
			return filepath.Abs(path)
		}
	}
	directory, err := f.ensure(ctx, m)
	if err != nil {
		return "", fmt.Errorf("find %s: %w", name, err)
	}
	return filepath.Join(directory, name), nil
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}
