package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trueup-dev/trueup/testing/load/internal/measure"
)

func measured() measure.Result {
	return measure.Result{
		Implementation: "trueup", Apps: 10,
		Convergence: &measure.Convergence{Seconds: 1.5, RequestsPerApp: 5.4, WritesPerApp: 5},
		Noop:        &measure.Noop{Nanoseconds: 30000, Allocs: 200, Bytes: 20000, Requests: 0},
		Restart:     &measure.Restart{RestartRequests: 2, RestartWrites: 1},
		Records:     &measure.Records{RecordBytesPerChild: 500},
	}
}

// failed is of an implementation that did not get through its restart.
func failed() measure.Result {
	return measure.Result{Implementation: "apply", Apps: 10, Error: "apply: restart: boom"}
}

func jsonFields(t *testing.T) []string {
	t.Helper()
	var line bytes.Buffer
	if err := jsonPrinter(&line)(measured()); err != nil {
		t.Fatal(err)
	}
	fields := map[string]any{}
	if err := json.Unmarshal(line.Bytes(), &fields); err != nil {
		t.Fatal(err)
	}
	delete(fields, "impl")
	delete(fields, "apps")
	return slices.Sorted(maps.Keys(fields))
}

// TestJSON holds the output to the names that others read it by.
func TestJSON(t *testing.T) {
	var out bytes.Buffer
	printed := jsonPrinter(&out)
	if err := errors.Join(printed(measured()), printed(failed())); err != nil {
		t.Fatal(err)
	}
	want := `{"impl":"trueup","apps":10,"converge_seconds":1.5,"requests_per_app":5.4,"writes_per_app":5,` +
		`"noop_ns":30000,"noop_allocs":200,"noop_bytes":20000,"noop_requests":0,` +
		`"restart_requests":2,"restart_writes":1,"record_bytes_per_child":500}
{"impl":"apply","apps":10,"error":"apply: restart: boom"}
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestTable(t *testing.T) {
	var out bytes.Buffer
	printed := tablePrinter(&out)
	if err := errors.Join(printed(measured()), printed(failed())); err != nil {
		t.Fatal(err)
	}
	want := `   apps            impl  converge s  requests/app  writes/app  noop µs  noop allocs  noop bytes  noop requests  restart requests  restart writes  record bytes/child
     10          trueup        1.50          5.40        5.00     30.0          200       20000           0.00                 2               1                 500
     10           apply           -             -           -        -            -           -              -                 -               -                   -  apply: restart: boom
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
