package stage

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestAwait(t *testing.T) {
	looks := 0
	if err := Await(t.Context(), "it is the third look", func(context.Context) error {
		if looks++; looks < 3 {
			return errors.New("not yet")
		}
		return nil
	}); err != nil || looks != 3 {
		t.Errorf("returned %v after %d looks", err, looks)
	}
}

func TestAwaitTellsWhatItLastSaw(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*glance)
	defer cancel()
	seen := errors.New("still 2 pods")
	err := Await(ctx, "the pods are gone", func(context.Context) error { return seen })
	if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, seen) || !strings.Contains(err.Error(), "the pods are gone") {
		t.Errorf("returned %v", err)
	}
}
