package binaries

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
)

// NoSpace reports whether the text, a log or an error, tells of a full disk.
func NoSpace(text string) bool {
	lower := strings.ToLower(text)
	return strings.Contains(lower, "no space left on device") || strings.Contains(lower, "disk quota exceeded")
}

// explain adds what to do about it to an error that came from writing below
// directory.
func explain(err error, directory string) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("the disk is full: free some space for %s: %w", directory, err)
	}
	return err
}
