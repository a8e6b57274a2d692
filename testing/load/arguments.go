package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/trueup-dev/trueup/testing/load/internal/contender"
)

// arguments is what the command line says.
type arguments struct {
	apps            []int
	implementations []contender.Implementation
	json            bool
	kubeconfig      string
	apiOnly         bool
	full            bool
	workers         int
	rounds          int
	timeout         time.Duration
}

// controllers reports whether the cluster has controllers of its own.
func (a arguments) controllers() bool {
	if a.kubeconfig != "" {
		return !a.apiOnly
	}
	return a.full
}

// usage is printed before the flags.
const usage = `Run the MyApp operator written in three ways side by side and measure what each
of them asks of the API server and of its own process.

converge_seconds        from the first create to the last MyApp that is Ready
requests_per_app        requests until quiet, without lists, watches and events
writes_per_app          how many of those were to change something
noop_ns                 time of a pass over an object that is as it should be
noop_allocs, noop_bytes what such a pass allocates
noop_requests           what such a pass sends
restart_requests        what a new process sends over converged objects, all together,
                        without lists, watches and events
restart_writes          how many of those were to change something
record_bytes_per_child  the heap held from pass to pass, for each child

A line is printed as soon as its numbers are there. An implementation that fails,
or takes longer than --timeout, has a line that says so and no numbers, and the
others go on; the exit code is 1 if trueup fails, or all do.

Ctrl-C ends it and removes what it made. go doc has the whole story.

Flags:
`

// parse reads the command line. What is wrong with it has been printed when it
// returns an error.
func parse(args []string, stderr io.Writer) (arguments, error) {
	a := arguments{apps: []int{100}, implementations: contender.All()}
	flags := flag.NewFlagSet("load", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		_, _ = io.WriteString(stderr, usage)
		flags.PrintDefaults()
	}
	flags.Func("apps", "how many MyApps, several `numbers` with commas between them (default 100)", func(text string) (err error) {
		a.apps, err = counts(text)
		return err
	})
	flags.Func("impl", "which implementations, several `names` with commas between them (default all)", func(text string) (err error) {
		a.implementations, err = contender.Named(strings.Split(text, ",")...)
		return err
	})
	flags.BoolVar(&a.json, "json", false, "print a JSON object for each line of the table")
	flags.StringVar(&a.kubeconfig, "kubeconfig", "", "use the running cluster of this `file` (default a cluster of its own)")
	flags.BoolVar(&a.apiOnly, "api-only", false, "with --kubeconfig: the cluster has no controllers, play them")
	flags.BoolVar(&a.full, "full", false, "start a cluster with controllers, scheduler and nodes")
	flags.IntVar(&a.workers, "workers", 16, "how many MyApps an operator works on at the same time")
	flags.IntVar(&a.rounds, "rounds", 3, "how often to converge")
	flags.DurationVar(&a.timeout, "timeout", 15*time.Minute, "how long converging, or a restart, may take")
	if err := flags.Parse(args); err != nil {
		return arguments{}, err
	}
	if err := a.validate(flags.Args()); err != nil {
		_, _ = fmt.Fprintln(stderr, "load:", err)
		return arguments{}, err
	}
	return a, nil
}

func (a arguments) validate(rest []string) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("unexpected argument %q", rest[0])
	case a.workers < 1:
		return errors.New("--workers must be at least 1")
	case a.rounds < 1:
		return errors.New("--rounds must be at least 1")
	case a.timeout <= 0:
		return errors.New("--timeout must be positive")
	case a.full && a.kubeconfig != "":
		return errors.New("--full is about a cluster of its own, not that of --kubeconfig")
	case a.apiOnly && a.kubeconfig == "":
		return errors.New("--api-only is about the cluster of --kubeconfig; one of its own is so by default")
	}
	return nil
}

// maxApps is what five digits in a name have room for.
const maxApps = 99999

// counts reads "10,100".
func counts(text string) ([]int, error) {
	var numbers []int
	for field := range strings.SplitSeq(text, ",") {
		number, err := strconv.Atoi(strings.TrimSpace(field))
		if err != nil || number < 1 || number > maxApps {
			return nil, fmt.Errorf("%q is not a number between 1 and %d", field, maxApps)
		}
		numbers = append(numbers, number)
	}
	return numbers, nil
}
