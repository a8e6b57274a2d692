package measure

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestConverged(t *testing.T) {
	var got Result
	got.Converged([]Round{
		{Convergence{Seconds: 9, RequestsPerApp: 5, WritesPerApp: 7}, Records{400}},
		{Convergence{Seconds: 1, RequestsPerApp: 6, WritesPerApp: 5}, Records{600}},
		{Convergence{Seconds: 2, RequestsPerApp: 9, WritesPerApp: 6}, Records{500}},
	})
	want := Result{Convergence: &Convergence{Seconds: 2, RequestsPerApp: 6, WritesPerApp: 6}, Records: &Records{500}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("each number is a median of its own (-want +got):\n%s", diff)
	}
}
