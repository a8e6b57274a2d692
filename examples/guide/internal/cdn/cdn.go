// Package cdn stands for a content delivery network, a bucket, a DNS zone: something
// outside of the cluster, where the garbage collector does not reach. This one is in
// memory.
package cdn

import (
	"context"
	"maps"
	"sync"
)

// CDN knows where the sites are that it shows to the world. The zero value shows none.
// Safe for concurrent use.
type CDN struct {
	mu    sync.Mutex
	sites map[string]string
}

// Host returns the name under which the world finds a site.
func Host(namespace, name string) string { return name + "." + namespace + ".example.com" }

// Publish shows what is at a target under a host, whatever was there before.
func (c *CDN) Publish(ctx context.Context, host, target string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sites == nil {
		c.sites = map[string]string{}
	}
	c.sites[host] = target
	return ctx.Err()
}

// Withdraw shows nothing under a host any more. That nothing was shown is as good.
func (c *CDN) Withdraw(ctx context.Context, host string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.sites, host)
	return ctx.Err()
}

// Sites returns the targets that are shown, by host.
func (c *CDN) Sites() map[string]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.sites)
}
