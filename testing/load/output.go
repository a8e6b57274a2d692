package main

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/trueup-dev/trueup/testing/load/internal/measure"
)

// writeJSON writes one object a line.
func writeJSON(out io.Writer, results []measure.Result) error {
	encoder := json.NewEncoder(out)
	for _, result := range results {
		if err := encoder.Encode(result); err != nil {
			return fmt.Errorf("write result: %w", err)
		}
	}
	return nil
}

// writeTable writes one aligned line for each result.
func writeTable(out io.Writer, results []measure.Result) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintln(table, "apps\timpl\tconverge s\trequests/app\twrites/app\tnoop µs\tnoop allocs\tnoop bytes\tnoop requests\trestart requests\trestart writes\trecord bytes/child\t")
	for _, r := range results {
		_, _ = fmt.Fprintf(table, "%d\t%s\t%.2f\t%.2f\t%.2f\t%.1f\t%.0f\t%.0f\t%.2f\t%d\t%d\t%.0f\t\n",
			r.Apps, r.Implementation, r.ConvergeSeconds, r.RequestsPerApp, r.WritesPerApp,
			r.Nanoseconds/1000, r.Allocs, r.Bytes, r.Requests,
			r.RestartRequests, r.RestartWrites, r.RecordBytesPerChild)
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	return nil
}
