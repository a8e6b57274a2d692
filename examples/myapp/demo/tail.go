package main

import (
	"bytes"
	"sync"
)

// kept is how much a tail keeps, in bytes.
const kept = 8 << 10

// tail is the end of what was written to it. Safe for concurrent use.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// Write implements [io.Writer].
func (t *tail) Write(text []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, text...)
	if excess := len(t.text) - kept; excess > 0 {
		t.text = t.text[excess:]
		if end := bytes.IndexByte(t.text, '\n'); end >= 0 {
			t.text = t.text[end+1:] // whole lines only
		}
	}
	return len(text), nil
}

// String returns what is kept.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}
