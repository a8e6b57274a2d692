package reconcile

// A Skip is how a step has seen that a child is as it is wanted, so that there is
// nothing to send.
type Skip int

const (
	// SkipSameVersion means that the child has not changed at all since.
	SkipSameVersion Skip = iota
	// SkipOthersChanged means that others have changed what is theirs.
	SkipOthersChanged
	// SkipRecognised means that this process saw the child for the first time and
	// recognised what is wanted.
	SkipRecognised
)

// skipLabels are the values of the label told_by.
var skipLabels = [...]string{
	SkipSameVersion: "same_version", SkipOthersChanged: "others_changed", SkipRecognised: "recognised",
}

// Skipped counts a child that is as it is wanted, in the metrics only. It is safe
// to be called from several goroutines of a step.
func (r *Run[T]) Skipped(how Skip) {
	if r.at != nil && how >= 0 && int(how) < len(skipLabels) {
		r.at.skipped(how)
	}
}
