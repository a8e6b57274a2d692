package world

// Reason is a reason as the cases name it.
type Reason string

// The reasons of the cases.
const (
	Any             Reason = ""
	Available       Reason = "Available"
	Progressing     Reason = "Progressing"
	Stalled         Reason = "Stalled"
	ApplyFailed     Reason = "ApplyFailed"
	Conflict        Reason = "Conflict"
	Invalid         Reason = "Invalid"
	InvalidSpec     Reason = "InvalidSpec"
	CleanupFailed   Reason = "CleanupFailed"
	Recreating      Reason = "Recreating"
	Resizing        Reason = "Resizing"
	AdmissionDenied Reason = "AdmissionDenied"
	OutcomeUnknown  Reason = "CreateOutcomeUnknown"
	Migrating       Reason = "Migrating"
)

// reasons are the library's own words for those of the cases.
var reasons = map[Reason][]string{
	Available: {"Ready"},
	// A rollout is told apart by what is missing.
	Progressing: {"LatestGenerationNotObserved", "LessReplicas", "LessUpdated", "ExtraPods", "LessAvailable"},
	Stalled:     {"ProgressDeadlineExceeded"},
	// What the server refuses has the server's own reason.
	ApplyFailed:     {"Forbidden", "Invalid", "InternalError", "Conflict", "TooManyRequests", "Error"},
	Invalid:         {"Invalid"},
	Conflict:        {"NotControlled"},
	InvalidSpec:     {"InvalidSpec"}, // the operator's own word
	CleanupFailed:   {"CleanupFailed"},
	Recreating:      {"Recreating", "Deleting"},
	Resizing:        {"Resizing"},
	AdmissionDenied: {"Denied", "Forbidden"},
	OutcomeUnknown:  {"CreateOutcomeUnknown"},
	Migrating:       {"Running"},
}
