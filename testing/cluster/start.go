package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/trueup-dev/trueup/testing/cluster/internal/binaries"
	"github.com/trueup-dev/trueup/testing/cluster/internal/process"
)

// startTimeout bounds the start of the components, for contexts without a
// deadline. A start takes seconds; a machine that is out of memory takes for ever.
const startTimeout = 3 * time.Minute

// pollInterval is how often a condition is looked at.
const pollInterval = 50 * time.Millisecond

// start brings up the parts. After an error nothing runs any more.
func (c *Cluster) start(ctx context.Context) error {
	err := c.bringUp(ctx)
	if err == nil {
		return nil
	}
	if binaries.NoSpace(err.Error()) {
		err = fmt.Errorf("the disk may be full (%s): %w", c.directory, err)
	}
	c.keepLogs(err)
	return fmt.Errorf("start cluster: %w", errors.Join(err, c.Stop()))
}

// bringUp brings up the parts in order.
func (c *Cluster) bringUp(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	ctx, c.abort = context.WithCancelCause(ctx)
	defer c.abort(nil)

	for _, step := range []func(context.Context) error{
		c.makeDirectory,
		c.makeCertificates,
		c.startEtcd,
		c.startAPIServer,
		c.prepareWebhooks, // before the CRDs, whose conversion may need them
		c.installCRDs,     // before the controllers, so that the garbage collector knows them at once
		c.startControllers,
		c.startScheduler,
		c.startNodes,
		c.waitForControllers,
		c.waitForNodes,
		c.waitForScheduler,
		c.installWebhooks, // last, because nobody serves them yet
	} {
		if err := step(ctx); err != nil {
			if failure := c.Err(); failure != nil {
				return failure // which is why the step failed
			}
			if errors.Is(err, context.DeadlineExceeded) {
				return fmt.Errorf("%w; the logs are in %s", err, c.logs)
			}
			return err
		}
	}
	return nil
}

// keepLogs keeps the directory when its logs may tell more than the error that
// ended the start.
func (c *Cluster) keepLogs(err error) {
	failure := (*ComponentError)(nil)
	if !errors.As(err, &failure) && !errors.Is(err, context.DeadlineExceeded) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keep = true
}

// makeDirectory makes the cluster's own directory. The watchdog is there first.
func (c *Cluster) makeDirectory(context.Context) error {
	directory := filepath.Join(parentDirectory(), "trueup-cluster-"+randomName())
	watchdog, err := process.NewWatchdog(directory)
	if err != nil {
		return err
	}
	c.watchdog = watchdog
	if c.options.KeepDirectory {
		if err := watchdog.Keep(); err != nil {
			return err
		}
	}
	if err := os.Mkdir(directory, 0o700); err != nil {
		return fmt.Errorf("make the cluster's directory: %w", err)
	}
	c.directory = directory
	c.logs = filepath.Join(directory, "logs")
	if c.options.Logs != "" {
		if c.logs, err = filepath.Abs(c.options.Logs); err != nil {
			return fmt.Errorf("make directory of logs: %w", err)
		}
	}
	if err := os.MkdirAll(c.logs, 0o750); err != nil {
		return fmt.Errorf("make directory of logs: %w", err)
	}
	return nil
}

// parentDirectory is the directory for temporary files, or /tmp when its path
// is so long that the name of a socket below it would not fit (104 bytes).
func parentDirectory() string {
	const room = 104 - len("/trueup-cluster-0123456789/etcd-client.sock") - 1
	if directory := os.TempDir(); len(directory) <= room {
		return directory
	}
	return "/tmp"
}

// waitFor polls until the condition is met, the context is done or a component
// has failed. Errors of the condition are looked at again; the last one is told.
func waitFor(ctx context.Context, what string, condition func(context.Context) (bool, error)) error {
	var last error
	err := wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		done, err := condition(ctx)
		if err != nil && ctx.Err() == nil {
			last = err
		}
		return done && err == nil, nil
	})
	switch {
	case err == nil:
		return nil
	case last != nil:
		return fmt.Errorf("wait for %s: %w (last seen: %w)", what, context.Cause(ctx), last)
	}
	return fmt.Errorf("wait for %s: %w", what, context.Cause(ctx))
}

// path returns the path of a file in the cluster's directory.
func (c *Cluster) path(name string) string { return filepath.Join(c.directory, name) }

// write writes a file into the cluster's directory, for this user's eyes only.
func (c *Cluster) write(name string, content []byte) error {
	if err := os.WriteFile(c.path(name), content, 0o600); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}
