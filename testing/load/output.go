package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/trueup-dev/trueup/testing/load/internal/measure"
)

// jsonPrinter returns a function that writes one object a line.
func jsonPrinter(out io.Writer) func(measure.Result) error {
	encoder := json.NewEncoder(out)
	return func(result measure.Result) error {
		if err := encoder.Encode(result); err != nil {
			return fmt.Errorf("write result: %w", err)
		}
		return nil
	}
}

// tablePrinter returns a function that writes one line of a table, the first time
// with the head above it.
func tablePrinter(out io.Writer) func(measure.Result) error {
	begun := false
	return func(result measure.Result) error {
		text := line(func(c column) string { return c.cell(result) }, result.Error)
		if !begun {
			text = line(func(c column) string { return c.name }, "") + text
		}
		begun = true
		if _, err := io.WriteString(out, text); err != nil {
			return fmt.Errorf("write table: %w", err)
		}
		return nil
	}
}

// line returns a line of the table, with what is to be said at its end.
func line(cell func(column) string, remark string) string {
	var text strings.Builder
	for _, c := range columns {
		_, _ = fmt.Fprintf(&text, "%*s", max(utf8.RuneCountInString(c.name), c.width)+2, cell(c))
	}
	if remark != "" {
		text.WriteString("  " + remark)
	}
	return text.String() + "\n"
}

// column is one of the table. It is as wide as its name, and no less than width.
type column struct {
	name  string
	width int
	cell  func(measure.Result) string
}

var columns = []column{
	{"apps", 5, func(r measure.Result) string { return strconv.Itoa(r.Apps) }},
	{"impl", len("createorupdate"), func(r measure.Result) string { return r.Implementation }},
	figure("converge s", "%.2f", convergence, func(c *measure.Convergence) any { return c.Seconds }),
	figure("requests/app", "%.2f", convergence, func(c *measure.Convergence) any { return c.RequestsPerApp }),
	figure("writes/app", "%.2f", convergence, func(c *measure.Convergence) any { return c.WritesPerApp }),
	figure("noop µs", "%.1f", noop, func(n *measure.Noop) any { return n.Nanoseconds / 1000 }),
	figure("noop allocs", "%.0f", noop, func(n *measure.Noop) any { return n.Allocs }),
	figure("noop bytes", "%.0f", noop, func(n *measure.Noop) any { return n.Bytes }),
	figure("noop requests", "%.2f", noop, func(n *measure.Noop) any { return n.Requests }),
	figure("restart requests", "%d", restart, func(r *measure.Restart) any { return r.RestartRequests }),
	figure("restart writes", "%d", restart, func(r *measure.Restart) any { return r.RestartWrites }),
	figure("record bytes/child", "%.0f", records, func(r *measure.Records) any { return r.RecordBytesPerChild }),
}

func convergence(r measure.Result) *measure.Convergence { return r.Convergence }
func noop(r measure.Result) *measure.Noop               { return r.Noop }
func restart(r measure.Result) *measure.Restart         { return r.Restart }
func records(r measure.Result) *measure.Records         { return r.Records }

// figure is the column of a number of a part that may not have been measured.
func figure[P any](name, format string, part func(measure.Result) *P, number func(*P) any) column {
	return column{name: name, cell: func(r measure.Result) string {
		if measured := part(r); measured != nil {
			return fmt.Sprintf(format, number(measured))
		}
		return "-"
	}}
}
