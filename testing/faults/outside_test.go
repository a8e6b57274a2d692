package faults_test

import (
	"maps"
	"sync"
)

// outside is where the records are that the reconciler keeps.
type outside struct {
	mu      sync.Mutex
	records map[string]string
}

func (o *outside) set(name, target string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.records[name] = target
}

func (o *outside) drop(name string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.records, name)
}

func (o *outside) all() map[string]string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return maps.Clone(o.records)
}
