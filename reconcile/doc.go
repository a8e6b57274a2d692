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
package reconcile
