package measure

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestConverged(t *testing.T) {
	var got Result
	got.Converged([]Convergence{
		{Seconds: 9, RequestsPerApp: 5, WritesPerApp: 7, RecordBytesPerChild: 400},
		{Seconds: 1, RequestsPerApp: 6, WritesPerApp: 5, RecordBytesPerChild: 600},
		{Seconds: 2, RequestsPerApp: 9, WritesPerApp: 6, RecordBytesPerChild: 500},
	})
	want := Result{ConvergeSeconds: 2, RequestsPerApp: 6, WritesPerApp: 6, RecordBytesPerChild: 500}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("each number is a median of its own (-want +got):\n%s", diff)
	}
}
