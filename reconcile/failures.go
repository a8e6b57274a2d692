package reconcile

import (
	"sync"
	"sync/atomic"
	"time"
)

// failures is what was last told of the steps of an object that failed or stalled. It
// keeps an error whose text is another in each pass, with the id of a request
// or a port in it, from being news in each pass: every status with other words
// is a write, and every event one more. Safe for concurrent use.
type failures struct {
	any    atomic.Bool // there have been some
	mu     sync.Mutex
	byStep map[string]*failure
}

type failure struct {
	state           State
	reason, message string
	generation      int64
	since           time.Time // when it was first told in these words
	told            bool      // in an event
}

// wordsStay is how long the words of a step that stays Failed stay at least. It
// bounds what an error costs whose text is another each time in a way that
// [sameBesideNumbers] does not see.
const wordsStay = time.Minute

// settle notes the report of a step on an object of a generation. While a step
// stays Failed, for the same reason and at the same generation, its message is
// made the one that was given first, unless the error is a different one: one that
// says something else beside its numbers, and some time later. A Stalled step,
// which is not tried over and over, has the words of its last error.
func (f *failures) settle(report *Report, generation int64, clock func() time.Time) {
	if report.State < StateFailed && !f.any.Load() {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if report.State < StateFailed {
		delete(f.byStep, report.Step)
		return
	}
	now := clock()
	if known, ok := f.byStep[report.Step]; ok && known.covers(report, generation, now) {
		report.Message = known.message
		return
	}
	f.any.Store(true)
	if f.byStep == nil {
		f.byStep = map[string]*failure{}
	}
	f.byStep[report.Step] = &failure{
		state: report.State, reason: report.Reason, message: report.Message, generation: generation, since: now,
	}
}

// covers reports whether a failure that is known says what a report does.
func (f *failure) covers(report *Report, generation int64, now time.Time) bool {
	switch {
	case f.state != report.State || f.reason != report.Reason || f.generation != generation:
		return false
	case f.state == StateStalled:
		return f.message == report.Message
	}
	return now.Sub(f.since) < wordsStay || sameBesideNumbers(f.message, report.Message)
}

// forget drops what was told of a step, which has not failed this time.
func (f *failures) forget(step string) {
	if !f.any.Load() {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.byStep, step)
}

// tell reports whether the failure of a step is to be told in an event: once.
func (f *failures) tell(step string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	known, ok := f.byStep[step]
	if !ok || known.told {
		return false
	}
	known.told = true
	return true
}
