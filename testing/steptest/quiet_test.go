package steptest

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"
)

func everything(Request) bool { return true }

func TestQuiet(t *testing.T) {
	requests := &Requests{}
	if err := send(t, requests.Wrap(answer(http.StatusOK)), http.MethodGet, "/api/v1/pods"); err != nil {
		t.Fatal(err)
	}
	if count, err := requests.Quiet(t.Context(), everything); count != 1 || err != nil {
		t.Errorf("a client that does nothing: %d, %v", count, err)
	}
}

// A client that does not rest is told by what it sends, unless nobody asked for that.
func TestQuietTellsWhoIsNot(t *testing.T) {
	requests := &Requests{}
	through := requests.Wrap(answer(http.StatusOK))
	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		ticker := time.NewTicker(look / 20)
		defer ticker.Stop()
		for ; ctx.Err() == nil; <-ticker.C {
			if err := send(t, through, http.MethodGet, "/api/v1/pods"); err != nil {
				t.Error(err)
			}
		}
	}()
	defer func() { stop(); <-stopped }()

	short, cancel := context.WithTimeout(ctx, 3*look)
	defer cancel()
	if _, err := requests.Quiet(short, everything); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "list pods") {
		t.Errorf("a client that does not rest: %v", err)
	}
	if count, err := requests.Quiet(ctx); count != 0 || err != nil {
		t.Errorf("without lists and watches: %d, %v", count, err)
	}
}
