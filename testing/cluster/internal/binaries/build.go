package binaries

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/trueup-dev/trueup/testing/cluster/internal/process"
)

// buildFlags are the flags of every build. They are part of the cache's key.
var buildFlags = []string{"-mod=readonly", "-trimpath", "-buildvcs=false"}

// killGrace is how long a build may take to end when it was asked to.
const killGrace = 2 * time.Second

// compile builds the program of m into directory with the go command.
func (f Finder) compile(ctx context.Context, m module, directory string) error {
	goCommand, err := exec.LookPath("go")
	if err != nil {
		return fmt.Errorf("build %s %s: no go command on the PATH: install Go (https://go.dev/doc/install) "+
			"or set %s to a directory that has the program: %w", m.name, m.version, AssetsVariable, err)
	}
	files, err := m.files()
	if err != nil {
		return err
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(directory, name), content, 0o600); err != nil {
			return explain(err, f.Cache)
		}
	}
	// The log lies beside what is built, where it outlives a failure.
	log := filepath.Join(f.Cache, m.name+"-"+m.version+".log")
	if err := os.Remove(log); err != nil && !errors.Is(err, os.ErrNotExist) {
		return explain(err, f.Cache)
	}
	return f.run(ctx, m, directory, process.Command{
		Name: "go build",
		Path: goCommand,
		Args: append(append([]string{"build", "-v"}, buildFlags...),
			"-ldflags", m.ldflags, "-o", filepath.Join(directory, m.name), "."),
		Directory:   directory,
		Environment: buildEnvironment(os.Environ()),
		Log:         log,
	})
}

// run runs the build under a watchdog, so that it ends with this process, and
// reports how far it is.
func (f Finder) run(ctx context.Context, m module, directory string, command process.Command) error {
	f.report("building %s %s from its Go modules, once on this machine: about %s (log: %s)", m.name, m.version, m.estimate, command.Log)
	start := time.Now()
	watchdog, err := process.NewWatchdog(directory)
	if err != nil {
		return err
	}
	defer func() { _ = watchdog.Release() }()
	build, err := watchdog.Start(command)
	if err != nil {
		return explain(err, f.Cache)
	}
	ticker := time.NewTicker(reportEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			build.Stop(killGrace)
			return fmt.Errorf("build %s %s: %w", m.name, m.version, context.Cause(ctx))
		case <-ticker.C:
			f.report("building %s %s: %s", m.name, m.version, buildProgress(m, command.Log, time.Since(start)))
			continue
		case <-build.Done():
		}
		if !build.Succeeded() {
			return buildError(m, build, f.Cache)
		}
		f.report("built %s %s in %s", m.name, m.version, time.Since(start).Round(time.Second))
		return nil
	}
}

// buildProgress tells from the log of "go build -v", which has a line for each
// module that is downloaded and for each package that is compiled.
func buildProgress(m module, log string, elapsed time.Duration) string {
	content, _ := os.ReadFile(log)
	lines := bytes.Count(content, []byte("\n"))
	downloads := bytes.Count(content, []byte("go: downloading "))
	return fmt.Sprintf("%s so far, %d modules downloaded, %d of at most %d packages compiled",
		elapsed.Round(time.Second), downloads, lines-downloads, m.packages)
}

// buildError says what went wrong and what to do about it.
func buildError(m module, build *process.Process, cache string) error {
	tail := strings.Join(process.Tail(build.Log(), 20), "\n")
	err := fmt.Errorf("build %s %s: go build ended with %s; its log is %s and ends with:\n%s",
		m.name, m.version, build.State(), build.Log(), tail)
	switch {
	case NoSpace(tail):
		return fmt.Errorf("%w\nThe disk is full: free some space for the cache (%s), for go's build cache (go env GOCACHE) or for the temporary directory (%s)",
			err, cache, os.TempDir())
	case strings.Contains(tail, "dial tcp") || strings.Contains(tail, "lookup "):
		return fmt.Errorf("%w\nThe modules cannot be downloaded: only the first build on a machine needs the network (go env GOPROXY says where from)", err)
	}
	return err
}

// buildEnvironment is environ without what would change or break the build:
// it is a module of its own, for this machine, whatever the module that is
// being tested needs.
func buildEnvironment(environ []string) []string {
	drop := map[string]bool{
		"GOFLAGS": true, "GOWORK": true, "GOOS": true, "GOARCH": true, "CGO_ENABLED": true,
		"GO111MODULE": true, "PWD": true, "GOEXPERIMENT": true, "GOCOVERDIR": true, "GODEBUG": true,
	}
	var kept []string
	for _, variable := range environ {
		if name, _, _ := strings.Cut(variable, "="); !drop[name] {
			kept = append(kept, variable)
		}
	}
	return append(kept,
		// Not empty, because then "go env -w GOFLAGS" would be used.
		"GOFLAGS=-mod=readonly", "GOWORK=off", "GO111MODULE=on", "CGO_ENABLED=0",
		"GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)
}
