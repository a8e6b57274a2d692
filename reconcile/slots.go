package reconcile

import "sync"

// slots holds values by the handle that they are read and written through.
// There are only ever a few, so a search is faster and smaller than a map.
type slots struct {
	mu      sync.Mutex
	entries []slot
}

type slot struct {
	handle any
	value  any
}

func (s *slots) get(handle any) (any, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.entries {
		if s.entries[i].handle == handle {
			return s.entries[i].value, true
		}
	}
	return nil, false
}

func (s *slots) set(handle, value any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.entries {
		if s.entries[i].handle == handle {
			s.entries[i].value = value
			return
		}
	}
	s.entries = append(s.entries, slot{handle: handle, value: value})
}

// setOnce stores a value unless there is one, and returns the one that is there
// then.
func (s *slots) setOnce(handle, value any) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.entries {
		if s.entries[i].handle == handle {
			return s.entries[i].value
		}
	}
	s.entries = append(s.entries, slot{handle: handle, value: value})
	return value
}

func (s *slots) clear(handle any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.entries {
		if s.entries[i].handle == handle {
			last := len(s.entries) - 1
			s.entries[i] = s.entries[last]
			s.entries[last] = slot{}
			s.entries = s.entries[:last]
			return
		}
	}
}

// A Pass is a [Run] of any type, as far as handles need it. Only *Run
// implements it.
type Pass interface {
	passValues() *slots
	passMemory() *slots
}
