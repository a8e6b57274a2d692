package measure

// A Result is what there is to say of one implementation with some number of
// MyApps: a line of the tool's output. What was not measured, because the
// implementation failed, is nil and not in the JSON.
type Result struct {
	Implementation string `json:"impl"`
	Apps           int    `json:"apps"`
	*Convergence
	*Noop
	*Restart
	*Records
	// Error says how the implementation failed, "" if it did not.
	Error string `json:"error,omitempty"`
}

// Convergence is what it takes until all MyApps are Ready.
type Convergence struct {
	Seconds        float64 `json:"converge_seconds"`
	RequestsPerApp float64 `json:"requests_per_app"`
	WritesPerApp   float64 `json:"writes_per_app"`
}

// Restart is what a new process sends over objects that are converged.
type Restart struct {
	RestartRequests int `json:"restart_requests"`
	RestartWrites   int `json:"restart_writes"`
}

// Records is what the process holds from pass to pass.
type Records struct {
	RecordBytesPerChild float64 `json:"record_bytes_per_child"`
}

// A Round is one of those behind a Result.
type Round struct {
	Convergence
	Records
}

// Converged puts the medians of rounds into the result.
func (r *Result) Converged(rounds []Round) {
	pick := func(field func(Round) float64) float64 {
		values := make([]float64, len(rounds))
		for i, round := range rounds {
			values[i] = field(round)
		}
		return median(values)
	}
	r.Convergence = &Convergence{
		Seconds:        pick(func(r Round) float64 { return r.Seconds }),
		RequestsPerApp: pick(func(r Round) float64 { return r.RequestsPerApp }),
		WritesPerApp:   pick(func(r Round) float64 { return r.WritesPerApp }),
	}
	r.Records = &Records{RecordBytesPerChild: pick(func(r Round) float64 { return r.RecordBytesPerChild })}
}
