package reconcile

import "time"

// Join merges the outcomes of steps that ran side by side into one, by these
// rules, which do not depend on the order except for the choice of words:
//
//   - any error makes it an error; it is terminal only if all errors are;
//   - else the most holding-back of the results counts, Wait before Halt before
//     Continue, with the reason and message of the first such;
//   - the soonest of all requests to run again is kept. Beside an error it is
//     part of the error, whose text says so: a transient error is retried with
//     backoff, and the retry runs the steps that asked again.
//
// It has the shape of what a step returns: Join(Result{}, nil) is Continue.
type Join struct {
	result Result
	errs   []error
	after  time.Duration
}

// Add adds the outcome of one step. A result that comes with an error counts
// for its request to run again only.
func (j *Join) Add(result Result, err error) {
	j.after = soonest(j.after, result.after)
	if err != nil {
		//nolint:errorlint // a join that an author wrapped stays one error
		if joined, ok := err.(*joinedError); ok {
			j.after = soonest(j.after, joined.after)
			j.errs = append(j.errs, joined.errs...)
			return
		}
		j.errs = append(j.errs, err)
		return
	}
	if result.outcome > j.result.outcome {
		j.result = result
	}
}

// Stops reports whether what was added so far keeps the later steps of a
// sequence from running.
func (j *Join) Stops() bool { return len(j.errs) > 0 || j.result.outcome != Continued }

// Outcome returns the merged outcome.
func (j *Join) Outcome() (Result, error) {
	switch {
	case len(j.errs) == 1 && j.after == 0:
		return Result{}, j.errs[0]
	case len(j.errs) > 0:
		return Result{}, &joinedError{errs: j.errs, after: j.after}
	}
	result := j.result
	result.after = j.after
	return result, nil
}
