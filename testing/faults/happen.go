package faults

import (
	"net/http"

	"github.com/trueup-dev/trueup/testing/steptest"
)

// begin returns what goes wrong with a request, "" if nothing does with it, and lets
// go wrong what else does at it.
func (r *run) begin(at int, request steptest.Request) Kind {
	fault := Kind("")
	for _, planned := range r.schedule {
		if planned.At != at || r.over || planned.Kind == Conflict && !request.Write() {
			continue
		}
		switch planned.Kind {
		case Behind:
			r.operator().Cache().Hold(planned.Of, planned.Changes)
		case Coalesced, Unseen:
			r.operator().Cache().Hold(planned.Of, -1)
			r.mu.Lock()
			r.missed = append(r.missed, planned)
			r.mu.Unlock()
		default:
			if fault != "" {
				continue
			}
			fault = planned.Kind
		}
		r.mu.Lock()
		r.happened = append(r.happened, planned.Kind)
		r.mu.Unlock()
		r.note("  FAULT %s", planned)
	}
	if fault == CrashAfterStale || fault == CrashBeforeStale {
		r.stale = true
	}
	r.mu.Lock()
	r.requests = append(r.requests, request)
	r.mu.Unlock()
	return fault
}

func (r *run) answered(at int, response *http.Response) {
	if !r.tracing || response == nil {
		return
	}
	r.mu.Lock()
	request := r.requests[at-1]
	r.mu.Unlock()
	request.Code = response.StatusCode
	r.note("  %d %s", at, request)
}
