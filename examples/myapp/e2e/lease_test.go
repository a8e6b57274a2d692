package e2e

import (
	"net/http"
	"testing"
	"time"
)

// takeover is how the lease went from a replica that was killed to the next one, by
// the clock of the API server.
//
// What can be promised is not a lease duration from the kill. A replica that does not
// lead cannot know when the leader died, only that it saw the lease unchanged for as
// long as it lasts; were it to take it any earlier, there could be two leaders. A
// leader that dies just after a renewal leaves a whole lease behind. These bounds hold:
//
//   - At the earliest, the lease is taken a lease duration after the next one has seen
//     the last renewal, or one of the same second: replicas tell renewals apart by the
//     second. So up to a second of the lease may be missing, and the old leader, were it
//     alive, must not write in it. See the fence, which closes in time.
//   - From when the next one has seen that renewal, it is taken with the first look
//     after a lease duration.
//   - A replica looks again after 1 to 2.2 retry periods, so that not all look at once.
//     It sees a renewal that much later at most, and the end of the lease again that
//     much. So at the latest, the lease is taken a lease duration and 4.4 retry periods
//     after the last renewal, and that is after the kill if the leader died at once
//     after it: 23.8 s with the defaults, 3.88 s with the times of this test.
//   - As the leader renews once in a retry period, it may have died up to that long
//     after the renewal, and the time from the kill is shorter by that.
//
// A leader that is told to end does not leave anybody waiting: it gives the lease back.
type takeover struct {
	renewed time.Time   // when the old leader asked for the last renewal of which it is known that it was stored
	last    time.Time   // when the API server was through with the last one, be it known or not
	seen    time.Time   // when the next one was first told of that
	looks   []time.Time // when it has looked since
	taken   time.Time   // when it was answered that the lease is its own
}

// look is how long a replica waits at most until it looks again at who leads.
const look = retryPeriod * 22 / 10

// leeway is the patience of the test with a machine that has much else to do. What does
// not depend on the machine is with which look the lease is taken.
const leeway = time.Second

// takeover reads out of the audit log how the lease went from one replica to the next.
func (w *world) takeover(old, next *replica) takeover {
	w.Helper()
	var t takeover
	for _, request := range w.requests(isLease) {
		switch {
		case request.replica == old.name && (request.changes() || request.Write() && request.isOpen()):
			known := t.renewed
			if !request.isOpen() {
				known = request.Time
			}
			t = takeover{renewed: known, last: request.answered}
		case request.replica != next.name || request.isOpen() || request.Code >= http.StatusMultipleChoices || t.last.IsZero() || !t.taken.IsZero():
		case request.Write():
			t.taken = request.answered
		default:
			if t.looks = append(t.looks, request.Time); t.seen.IsZero() && request.Time.After(t.last) {
				t.seen = request.answered
			}
		}
	}
	if t.renewed.IsZero() || t.seen.IsZero() || t.taken.IsZero() {
		w.Fatalf("the lease has not gone from %s to %s: %+v", old.name, next.name, t)
	}
	return t
}

// check makes sure that a takeover came neither too early nor too late.
func (took takeover) check(t *testing.T) {
	t.Helper()
	// Less by the time that the renewal may have been on its way.
	if early := took.renewed.Add(leaseDuration - time.Second - retryPeriod).Sub(took.taken); early > 0 {
		t.Errorf("the lease was taken %s before it may be: %+v", early, took)
	}
	if late := took.taken.Sub(took.last) - leaseDuration - 2*look; late > leeway {
		t.Errorf("the lease was taken %s later than it may be: %+v", late, took)
	}
	over := 0
	for _, at := range took.looks {
		if at.After(took.seen.Add(leaseDuration)) {
			over++
		}
	}
	// It counts from when it has read the answer, so that it may look at just the moment
	// at which the lease is over for the API server, and not for itself.
	if over > 2 {
		t.Errorf("the lease was taken with look %d after it was over: %+v", over, took)
	}
}
