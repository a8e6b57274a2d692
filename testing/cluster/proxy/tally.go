package proxy

import "sync/atomic"

// A Tally says how often a proxy has done what it does, since its start, so that a test
// can tell that there was trouble.
type Tally struct {
	// Delayed, Throttled, Reset and Lost are the requests to which a [Trouble] came.
	Delayed, Throttled, Reset, Lost int
	// Unanswered are the requests that were passed on and that the API server did not
	// answer.
	Unanswered int
	// Dropped are the watches that were broken off by [Proxy.DropWatches].
	Dropped int
	// Cut are the open connections that were reset, and Turned those that were turned
	// away while the proxy was down.
	Cut, Turned int
	// Renewed are the connections that were shown another certificate than the first.
	Renewed int
}

// counters are what a [Tally] is made of.
type counters struct {
	delayed, throttled, reset, lost, unanswered, dropped, renewed atomic.Int64
}

// Tally returns how often the proxy has done what it does.
func (p *Proxy) Tally() Tally {
	return Tally{
		Delayed: int(p.counts.delayed.Load()), Throttled: int(p.counts.throttled.Load()),
		Reset: int(p.counts.reset.Load()), Lost: int(p.counts.lost.Load()),
		Unanswered: int(p.counts.unanswered.Load()), Dropped: int(p.counts.dropped.Load()),
		Cut: int(p.listener.reset.Load()), Turned: int(p.listener.turned.Load()),
		Renewed: int(p.counts.renewed.Load()),
	}
}
