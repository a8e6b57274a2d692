package main

import (
	"context"
	"errors"
	"fmt"
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

// tell adds something worth knowing.
func (p *part) tell(format string, args ...any) {
	note := fmt.Sprintf(format, args...)
	p.screen.change("  "+note, func() { p.notes = append(p.notes, note) })
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
