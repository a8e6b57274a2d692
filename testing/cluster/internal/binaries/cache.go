package binaries

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// lockRetry is how often a waiting process looks whether a build is over.
const lockRetry = 200 * time.Millisecond

// reportEvery is how often a build, and waiting for one, says that it goes on.
const reportEvery = 15 * time.Second

// ensure returns the directory of the cache that has the programs of m. When
// it is not there, it is built under a lock that all processes of the user
// share, beside its place, and renamed into it when it is complete: nobody
// ever sees half of one.
func (f Finder) ensure(ctx context.Context, m module) (string, error) {
	key, err := m.key()
	if err != nil {
		return "", err
	}
	directory := filepath.Join(f.Cache, key)
	if complete(directory, m) {
		return directory, nil
	}
	if err := os.MkdirAll(f.Cache, 0o755); err != nil { //nolint:gosec // programs, for whoever may run them
		return "", explain(err, f.Cache)
	}
	lock := flock.New(directory + ".lock")
	if err := f.acquire(ctx, lock, m); err != nil {
		return "", err
	}
	defer func() { _ = lock.Unlock() }()
	if complete(directory, m) { // by whoever held the lock
		return directory, nil
	}
	return directory, f.fill(ctx, m, key)
}

// acquire takes the lock, and says what it waits for while another has it.
func (f Finder) acquire(ctx context.Context, lock *flock.Flock, m module) error {
	start, next := time.Now(), time.Duration(0)
	ticker := time.NewTicker(lockRetry)
	defer ticker.Stop()
	for {
		locked, err := lock.TryLock()
		if err != nil {
			return fmt.Errorf("lock %s: %w", lock.Path(), explain(err, f.Cache))
		}
		if locked {
			return nil
		}
		if waited := time.Since(start); waited >= next {
			f.report("%s %s: another process builds it (it holds %s), waiting, %s so far",
				m.name, m.version, lock.Path(), waited.Round(time.Second))
			next = waited + reportEvery
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for the process that builds %s %s and holds %s: %w", m.name, m.version, lock.Path(), context.Cause(ctx))
		case <-ticker.C:
		}
	}
}

// fill builds m and puts it in its place. The caller holds the lock.
func (f Finder) fill(ctx context.Context, m module, key string) (err error) {
	// What is there without having become complete was left by a build that
	// was killed, because a build holds the lock.
	stale, _ := filepath.Glob(filepath.Join(f.Cache, key+".building-*"))
	for _, path := range append(stale, filepath.Join(f.Cache, key)) {
		if err := os.RemoveAll(path); err != nil {
			return explain(err, f.Cache)
		}
	}
	building, err := os.MkdirTemp(f.Cache, key+".building-*")
	if err != nil {
		return explain(err, f.Cache)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(building)) }()

	build := f.build
	if build == nil {
		build = f.compile
	}
	if err := build(ctx, m, building); err != nil {
		return err
	}
	for _, name := range m.names {
		if name == m.name {
			continue
		}
		if err := os.Symlink(m.name, filepath.Join(building, name)); err != nil {
			return explain(err, f.Cache)
		}
	}
	if err := os.Chmod(building, 0o755); err != nil { //nolint:gosec // programs, for whoever may run them
		return explain(err, f.Cache)
	}
	return explain(os.Rename(building, filepath.Join(f.Cache, key)), f.Cache)
}

// complete reports whether directory has all programs of m.
func complete(directory string, m module) bool {
	for _, name := range m.names {
		if !executable(filepath.Join(directory, name)) {
			return false
		}
	}
	return true
}

func (f Finder) report(format string, arguments ...any) {
	_, _ = fmt.Fprintf(f.Progress, "trueup: "+strings.TrimSuffix(format, "\n")+"\n", arguments...)
}
