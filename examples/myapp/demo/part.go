package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// part is what the screen knows of an act.
type part struct {
	screen *screen
	state  state
	notes  []string
	result string
}

type state int

const (
	coming state = iota
	going
	passed
	failed
)

// tell adds something worth knowing, which may have several lines.
func (p *part) tell(format string, args ...any) {
	note := fmt.Sprintf(format, args...)
	p.screen.change("  "+strings.ReplaceAll(note, "\n", "\n"+margin), func() { p.notes = append(p.notes, note) })
}

// margin is where what is told begins when it is printed as lines.
const margin = "           "

// most is how many lines of what is told there is room for on a terminal.
const most = 5

// briefly returns the first lines of a note.
func briefly(note string) []string {
	lines := strings.Split(note, "\n")
	if len(lines) > most {
		return append(lines[:most-1:most-1], "…")
	}
	return lines
}

// pass says that the act has come out as it should.
func (p *part) pass(result string) {
	p.screen.change("  "+result, func() { p.state, p.result = passed, result })
}

// fail says that it has not, unless it was only interrupted.
func (p *part) fail(ctx context.Context) {
	if errors.Is(ctx.Err(), context.Canceled) {
		return
	}
	p.screen.change("  this is not as it should be", func() { p.state = failed })
}
