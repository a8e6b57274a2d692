package measure

import "testing"

func TestMedian(t *testing.T) {
	for name, tt := range map[string]struct {
		reason string
		values []int
		want   int
	}{
		"None": {reason: "there is no middle", want: 0},
		"One":  {reason: "the only one", values: []int{7}, want: 7},
		"Odd":  {reason: "the middle by size", values: []int{9, 1, 5}, want: 5},
		"Even": {reason: "the lower of two", values: []int{4, 1, 3, 2}, want: 2},
	} {
		t.Run(name, func(t *testing.T) {
			if got := median(tt.values); got != tt.want {
				t.Errorf("%s: got %d, want %d", tt.reason, got, tt.want)
			}
		})
	}
}
