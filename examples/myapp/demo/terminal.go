package main

import (
	"fmt"
	"io"
	"strings"
)

// What a terminal understands (ECMA-48).
const (
	home       = "\x1b[H"
	eraseLine  = "\x1b[K"
	eraseBelow = "\x1b[J"
	hideCursor = "\x1b[?25l"
	showCursor = "\x1b[?25h"
)

// wipe makes room for frames.
func wipe(out io.Writer) { _, _ = fmt.Fprint(out, hideCursor, home, eraseBelow) }

// restore leaves the last frame where it is, and gives the cursor back.
func restore(out io.Writer) { _, _ = fmt.Fprint(out, showCursor) }

// draw draws a frame over the one before, in one write, so that it does not
// flicker. Lines that are longer than the terminal is wide are cut.
func draw(out io.Writer, lines []string, width int) {
	text := &strings.Builder{}
	text.WriteString(home)
	for _, line := range lines {
		text.WriteString(cut(line, width) + eraseLine + "\n")
	}
	text.WriteString(eraseBelow)
	_, _ = io.WriteString(out, text.String())
}

// cut shortens a line to a width.
func cut(line string, width int) string {
	runes := []rune(strings.ReplaceAll(line, "\n", " "))
	if len(runes) <= width {
		return string(runes)
	}
	return string(runes[:max(0, width-1)]) + "…"
}
