package cluster

import (
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/trueup-dev/trueup/testing/cluster/internal/process"
)

// grace is how long each component may take to stop before it is killed. What
// they leave behind is thrown away, so it is short. An API server takes 1.1 s,
// and a minute when somebody still watches (measured with kubectl get --watch).
var grace = map[Component]time.Duration{
	Kwok:              2 * time.Second,
	Scheduler:         2 * time.Second,
	ControllerManager: 2 * time.Second,
	APIServer:         1500 * time.Millisecond,
	Etcd:              2 * time.Second,
}

// failedGrace is how long each may take once one has failed: an API server that
// has lost its etcd never stops by itself.
const failedGrace = 500 * time.Millisecond

// launch starts the process of a component. The caller decides what its end
// means: see [Cluster.guard].
func (c *Cluster) launch(component Component, arguments []string) (*process.Process, error) {
	p, err := c.watchdog.Start(process.Command{
		Name:        string(component),
		Path:        c.programs[string(component)],
		Args:        append(arguments, c.options.Flags[component]...),
		Directory:   c.directory,
		Environment: c.environment(),
		Log:         filepath.Join(c.logs, string(component)+".log"),
	})
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running = append(c.running, running{component, p})
	return p, nil
}

// discard forgets the process of a component that has ended and is started
// anew.
func (c *Cluster) discard(p *process.Process) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, r := range c.running {
		if r.process == p {
			c.running = append(c.running[:i:i], c.running[i+1:]...)
			return
		}
	}
}

// guard makes the end of the process the failure of the cluster, unless the
// cluster is being stopped or the process was discarded.
func (c *Cluster) guard(component Component, p *process.Process) {
	go func() {
		<-p.Done()
		c.mu.Lock()
		defer c.mu.Unlock()
		discarded := !slices.ContainsFunc(c.running, func(r running) bool { return r.process == p })
		if c.stopping || c.err != nil || discarded {
			return
		}
		c.err = newComponentError(component, p)
		c.keep = true
		_ = c.watchdog.Keep() // a dead watchdog removes nothing either
		c.abort(c.err)
		close(c.done)
	}()
}

// environment is what the components see of this process's environment: next
// to nothing, because etcd, kwok and the Kubernetes clients all take settings
// from theirs.
func (c *Cluster) environment() []string {
	environment := []string{"HOME=" + c.directory, "TMPDIR=" + c.directory, "KWOK_WORKDIR=" + c.directory}
	for _, name := range []string{"PATH", "GOMAXPROCS", "GOGC", "GOMEMLIMIT"} {
		if value, ok := os.LookupEnv(name); ok {
			environment = append(environment, name+"="+value)
		}
	}
	return environment
}
