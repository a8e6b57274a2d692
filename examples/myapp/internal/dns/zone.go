// Package dns stands for a DNS zone that is kept outside of the cluster, where
// the garbage collector does not reach: what a finalizer is for. The zone of
// this example lives in the process.
package dns

import (
	"context"
	"fmt"
	"maps"
	"sync"
)

// A Zone holds records, each pointing a host to a target. Safe for concurrent
// use. Make one with [NewZone].
type Zone struct {
	mu      sync.Mutex
	records map[string]string
	told    func(change string) // instead of changing anything, nil to do it
}

// NewZone returns a zone without records.
func NewZone() *Zone { return &Zone{records: map[string]string{}} }

// DryRun returns a zone that never changes, and tells say what would be changed.
func DryRun(say func(change string)) *Zone { return &Zone{told: say} }

// Host returns the host under which the zone has an app.
func Host(namespace, name string) string { return name + "." + namespace + ".example.com" }

// Register points a host to a target, wherever it pointed before. Doing it again
// changes nothing. A host or target that is empty is an error, and so is a done
// context: nothing is changed then.
func (z *Zone) Register(ctx context.Context, host, target string) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("register %s: %w", host, err)
	}
	if host == "" || target == "" {
		return fmt.Errorf("register %q for %q: both a host and a target are needed", host, target)
	}
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.told != nil {
		z.told("register " + host + " for " + target)
		return nil
	}
	z.records[host] = target
	return nil
}

// Release removes the record of a host. That there is none is as good. A done
// context is an error, and nothing is changed then.
func (z *Zone) Release(ctx context.Context, host string) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("release %s: %w", host, err)
	}
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.told != nil {
		z.told("release " + host)
		return nil
	}
	delete(z.records, host)
	return nil
}

// Lookup returns what a host points to, and false if it has no record.
func (z *Zone) Lookup(host string) (string, bool) {
	z.mu.Lock()
	defer z.mu.Unlock()
	target, ok := z.records[host]
	return target, ok
}

// Records returns a copy of all records, targets by host.
func (z *Zone) Records() map[string]string {
	z.mu.Lock()
	defer z.mu.Unlock()
	return maps.Clone(z.records)
}
