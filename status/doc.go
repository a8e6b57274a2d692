// Package status has the steps that say how an object is doing.
//
// [Func] computes fields of the status from what the pass observed. [Summarize]
// keeps a condition for each step of the pipeline and the condition Ready that
// sums them up. Both are reporting steps: they run after all others, also when
// some of those failed or waited, and what they compute is written by the
// pipeline, once a pass and only when it differs from what is there.
package status
