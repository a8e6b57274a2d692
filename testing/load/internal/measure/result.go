package measure

// A Result is what there is to say of one implementation with some number of
// MyApps: a line of the tool's output.
type Result struct {
	Implementation  string  `json:"impl"`
	Apps            int     `json:"apps"`
	ConvergeSeconds float64 `json:"converge_seconds"`
	RequestsPerApp  float64 `json:"requests_per_app"`
	WritesPerApp    float64 `json:"writes_per_app"`
	Noop
	RestartRequests     int     `json:"restart_requests"`
	RestartWrites       int     `json:"restart_writes"`
	RecordBytesPerChild float64 `json:"record_bytes_per_child"`
}

// A Convergence is one of the rounds behind a Result.
type Convergence struct {
	Seconds             float64
	RequestsPerApp      float64
	WritesPerApp        float64
	RecordBytesPerChild float64
}

// Converged puts the medians of rounds into the result.
func (r *Result) Converged(rounds []Convergence) {
	pick := func(field func(Convergence) float64) float64 {
		values := make([]float64, len(rounds))
		for i, round := range rounds {
			values[i] = field(round)
		}
		return median(values)
	}
	r.ConvergeSeconds = pick(func(c Convergence) float64 { return c.Seconds })
	r.RequestsPerApp = pick(func(c Convergence) float64 { return c.RequestsPerApp })
	r.WritesPerApp = pick(func(c Convergence) float64 { return c.WritesPerApp })
	r.RecordBytesPerChild = pick(func(c Convergence) float64 { return c.RecordBytesPerChild })
}
