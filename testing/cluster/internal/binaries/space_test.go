package binaries

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
)

func TestNoSpace(t *testing.T) {
	cases := map[string]struct {
		text string
		want bool
	}{
		"Full":  {text: "link: write out.o: No space left on device", want: true},
		"Quota": {text: "mkdir /x: disk quota exceeded", want: true},
		"Other": {text: "permission denied", want: false},
		"Empty": {text: "", want: false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := NoSpace(tc.text); got != tc.want {
				t.Errorf("NoSpace(%q): want %t, got %t", tc.text, tc.want, got)
			}
		})
	}
}

func TestExplain(t *testing.T) {
	full := &os.PathError{Op: "write", Path: "/cache/x", Err: syscall.ENOSPC}
	if err := explain(full, "/cache"); !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "free some space for /cache") {
		t.Errorf("a full disk should be explained, got %v", err)
	}
	if err := explain(os.ErrNotExist, "/cache"); err != os.ErrNotExist { //nolint:errorlint // the very same
		t.Errorf("another error should be left alone, got %v", err)
	}
	if err := explain(nil, "/cache"); err != nil {
		t.Errorf("no error should stay none, got %v", err)
	}
}
