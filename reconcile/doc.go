// Package reconcile chains small reconcilers, called steps, into the pipeline
// of an operator.
//
// A [Step] does one thing for one kind of object: it ensures a child, computes
// a part of the status, guards an external effect with a finalizer. A
// [Pipeline] runs steps over an object in order and owns everything around
// them that each handwritten Reconcile has to get right again:
//
//   - the object is fetched, and a missing object is the end, not an error;
//   - finalizers that steps need are persisted, in one write, before any step runs;
//   - an object that is being deleted is only ever undone, in reverse order;
//   - a failing step does not keep the status from being written, and a written
//     status does not swallow the error or the requeue of a step;
//   - the status is written once, and only when it differs;
//   - a panic is the failure of the step it happened in.
//
// # Outcomes
//
// What a step returns decides what happens next, and is one of these:
//
//	a step returns         later steps   requeue                                 its report
//	Continue               run           none                                    Ready
//	Continue.After(d)      run           at the soonest of all After             Ready
//	Wait(reason, message)  skipped       none: a watch wakes it; After(d) polls  Waiting
//	Halt(reason, message)  skipped       as asked with After(d)                  Halted
//	error                  skipped       rate-limited backoff                    Failed
//	Terminal(error)        skipped       none, until the object changes          Stalled
//
// A Wait for what will not come by itself, [Result.Stalled], is reported Stalled.
//
// "Skipped" is what [Sequence] and the pipeline do. [All] runs every step and
// joins the outcomes; see its comment for the rules.
//
// This is what a combinator returns whose first step returns what the column says,
// and whose second continues; with a plus where the second runs too. Of what goes
// around one step the second is the next in a Sequence; [Catch] is given a function
// that returns the error. In a [ForEach] each item is a Sequence of its own, and
// the items are joined. A test holds the table to what they do.
//
//	a step in           Continue   After   Wait   Halt   error   Terminal   panic
//	Sequence            Continue+  After+  Wait   Halt   error   Terminal   error
//	All                 Continue+  After+  Wait+  Halt+  error+  Terminal+  error+
//	Parallel            Continue+  After+  Wait+  Halt+  error+  Terminal+  error+
//	Graph, After        Continue+  After+  Wait   Halt   error   Terminal   error
//	Graph, AfterTrying  Continue+  After+  Wait+  Halt+  error+  Terminal+  error+
//	When                Continue+  After+  Wait   Halt   error   Terminal   error
//	Switch              Continue+  After+  Wait   Halt   error   Terminal   error
//	In                  Continue+  After+  Wait   Halt   error   Terminal   error
//	ForEach             Continue+  After+  Wait   Halt   error   Terminal   error
//	Wrap                Continue+  After+  Wait   Halt   error   Terminal   error
//	Retry               Continue+  After+  Wait   Halt   error   Terminal   error
//	Timeout             Continue+  After+  Wait   Halt   error   Terminal   error
//	Catch               Continue+  After+  Wait   Halt   error   Terminal   error
//	Finally             Continue+  After+  Wait   Halt   error   Terminal   error
//	Once                Continue+  After+  Wait   Halt   error   Terminal   error
//
// # What flows between steps
//
// Steps are plain values, made once and shared by all workers; they hold
// nothing of a pass. What belongs to one pass is in the [Run] that each step is
// given; what one step wants to tell later ones goes through a typed [Value],
// and what it wants to find again in a later pass, as an optimisation only,
// through a typed [Memo].
//
// # Setup
//
// Every step describes itself ([Description]): which kinds it owns, reads and
// watches, with which verbs, and which steps it is made of.
// [Pipeline.SetupWithManager] derives the controller's watches and indexes from
// that and refuses, with every fault listed at once, a pipeline that could only
// fail at run time.
//
// A handwritten Reconcile can have a single step ([Run.Do]) or a whole pipeline
// ([Pipeline.SetupWithBuilder]), and a controller several pipelines ([Several]).
// Everything that controller-runtime offers to a controller is there: see
// [Pipeline.SetupWithManager].
//
// A kind that the server learns of later is wired when it appears. Kinds that are
// not known before an object names them are what package kinds is for.
//
// # Metrics
//
// These are in controller-runtime's registry, and so on the manager's metrics
// endpoint. No label has the name of an object, and there are as many series as
// pipelines have steps, times a small number: one for each kind that a step writes,
// with the verb and the cause.
//
//	trueup_step_duration_seconds{pipeline, step}                 how long a step took in a pass
//	trueup_step_outcomes_total{pipeline, step, outcome}          ready, waiting, halted, failed, stalled; or skipped: not reached
//	trueup_skips_total{pipeline, step, told_by}                  children as wanted, so that nothing was sent: see [Skip]
//	trueup_writes_total{pipeline, step, kind, verb, cause}       writes that were accepted, and why: see [Cause]
//	trueup_write_errors_total{pipeline, step, kind, verb, reason} writes that failed, and the API server's reason
//	trueup_objects{pipeline, state}                              objects by what their last pass came to, or deleting
//
// The step of what the pipeline itself writes, which is finalizers, annotations and
// the status, is empty, unless a step asks for it. What is not known beforehand, such
// as the reason of an admission webhook, is "other". The same that is counted as a
// write is logged at V(1), with the names, where a step that is not ready is told
// too; at V(0) a pass in which nothing goes wrong logs nothing. Package tracing makes
// spans of passes, steps and requests.
//
// # Cost
//
// With metrics on, a pass over ten steps that do nothing takes 1.9 to 2.0 µs and 3
// allocations more than ten calls of their functions; 0.25 µs of that is the copy of
// the object, and a good third of the rest reading the clock and Prometheus'
// histogram. Fifty steps in five layers of a [Graph] take 2.8 to 2.9 µs more than in a
// [Sequence]. Ten children that are created at a latency of 5 ms take 1.1 round trips
// in [Parallel] and in a Graph, and 10.7 in a Sequence. Each is the least of many short
// spells that take turns within one run, on two cores that had other things to do:
//
//	go test ./reconcile -run '^$' -bench 'Overhead|Graph|ColdCreate'
package reconcile
