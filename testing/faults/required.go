package faults

import "testing"

// required ends the test if the sweep lacks what it cannot do without.
func (s *Sweep) required(t *testing.T) {
	t.Helper()
	if s.Kinds == nil || s.New == nil {
		t.Fatal("sweep: Kinds and New are required")
	}
	for i, change := range s.Changes {
		if change.Do == nil {
			t.Fatalf("sweep: change %d, %q, does nothing: Do is required", i+1, change.Name)
		}
	}
	subject := s.New()
	if subject.Setup == nil {
		t.Fatal("sweep: the Setup of what New returns is required")
	}
	for _, invariant := range subject.Always {
		if invariant.Holds == nil {
			t.Fatalf("sweep: the invariant %q looks at nothing: Holds is required", invariant.Name)
		}
	}
}
