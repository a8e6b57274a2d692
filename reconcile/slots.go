package reconcile

import "sync"

// slots holds values by the handle that they are read and written through.
// There are only ever a few, so a search is faster and smaller than a map, and
// those of ten thousand objects are held from pass to pass, so that there is no
// room to spare.
type slots struct {
	mu      sync.Mutex
	entries []slot
	outer   *slots // of what is around an item: what is not in these is looked for there
}

type slot struct {
	handle *byte // an address in it, by which it is told from others
	value  any
}

func (s *slots) get(handle *byte) (any, bool) {
	if value, ok := s.own(handle); ok || s.outer == nil {
		return value, ok
	}
	return s.outer.get(handle)
}

func (s *slots) own(handle *byte) (any, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.entries {
		if s.entries[i].handle == handle {
			return s.entries[i].value, true
		}
	}
	return nil, false
}

func (s *slots) set(handle *byte, value any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.entries {
		if s.entries[i].handle == handle {
			s.entries[i].value = value
			return
		}
	}
	s.add(slot{handle: handle, value: value})
}

// setOnce stores a value, for all items, unless there is one, and returns the one
// that is there then.
func (s *slots) setOnce(handle *byte, value any) any {
	for ; s.outer != nil; s = s.outer {
		if stored, ok := s.own(handle); ok {
			return stored
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.entries {
		if s.entries[i].handle == handle {
			return s.entries[i].value
		}
	}
	s.add(slot{handle: handle, value: value})
	return value
}

// add appends, and makes room for that alone unless there are many.
func (s *slots) add(entry slot) {
	if len(s.entries) == cap(s.entries) && len(s.entries) < 8 {
		s.entries = append(make([]slot, 0, len(s.entries)+1), s.entries...)
	}
	s.entries = append(s.entries, entry)
}

func (s *slots) clear(handle *byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.entries {
		if s.entries[i].handle == handle {
			s.entries = append(append(make([]slot, 0, len(s.entries)-1), s.entries[:i]...), s.entries[i+1:]...)
			return
		}
	}
}

// A Pass is a [Run] of any type, as far as handles need it. Only *Run
// implements it.
type Pass interface {
	passValues() *slots
	passMemory() *slots
	missing(step string)
}
