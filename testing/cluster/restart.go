package cluster

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"github.com/trueup-dev/trueup/testing/cluster/internal/process"
)

// RestartAPIServer ends the API server and starts it again on its port, with all that
// it has stored, and returns when it is ready. In between it calls meanwhile, while
// nobody is served; nil is nothing to do. Whoever talks to it loses the connection.
//
// The context bounds the start. A process that does not start is a [ComponentError].
// One restart at a time, and not while the cluster is being stopped.
func (c *Cluster) RestartAPIServer(ctx context.Context, meanwhile func()) error {
	address, err := url.Parse(c.config.Host)
	if err != nil {
		return fmt.Errorf("restart the API server: %w", err)
	}
	port, err := strconv.Atoi(address.Port())
	if err != nil {
		return fmt.Errorf("restart the API server: %w", err)
	}
	place, err := c.take(APIServer)
	if err != nil {
		return fmt.Errorf("restart the API server: %w", err)
	}
	if meanwhile != nil {
		meanwhile()
	}
	p, err := c.launch(APIServer, c.apiServerFlags(port))
	if err != nil {
		return fmt.Errorf("restart the API server: %w", err)
	}
	c.putBack(place)
	if err := c.ready(ctx, p); err != nil {
		return fmt.Errorf("restart the API server: %w", err)
	}
	c.guard(APIServer, p)
	return nil
}

// take ends a component, whose end is no failure then, and returns its place among
// those that run: they are stopped in order.
func (c *Cluster) take(component Component) (int, error) {
	c.mu.Lock()
	place := slices.IndexFunc(c.running, func(r running) bool { return r.component == component })
	if place < 0 || c.stopping {
		c.mu.Unlock()
		return 0, fmt.Errorf("%s does not run", component)
	}
	taken := c.running[place].process
	c.mu.Unlock()
	c.discard(taken)
	taken.Stop(grace[component])
	return place, nil
}

// putBack moves the component that was started last to a place.
func (c *Cluster) putBack(place int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	last := len(c.running) - 1
	moved := c.running[last]
	c.running = slices.Insert(slices.Clone(c.running[:last]), place, moved)
}

// ready waits until the API server is ready or its process has ended.
func (c *Cluster) ready(ctx context.Context, p *process.Process) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(errors.New("it is ready"))
	go func() {
		select {
		case <-p.Done():
			cancel(newComponentError(APIServer, p))
		case <-ctx.Done():
		}
	}()
	return waitFor(ctx, "the API server", func(ctx context.Context) (bool, error) {
		_, err := c.client.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
		return err == nil, err
	})
}
