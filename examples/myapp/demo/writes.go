package main

import (
	"fmt"
	"time"

	"github.com/trueup-dev/trueup/examples/myapp/internal/stage"
)

// write tells what the operator wrote and when, and the answer if it was no.
func write(request stage.Request, start time.Time) string {
	text := fmt.Sprintf("%s  %s", offset(request.At, start), request)
	if request.Code < 200 || request.Code > 299 {
		text += fmt.Sprintf(" (answered %d)", request.Code)
	}
	return text
}

// offset tells a moment as seconds since the start.
func offset(at, start time.Time) string { return fmt.Sprintf("%6.1fs", at.Sub(start).Seconds()) }
