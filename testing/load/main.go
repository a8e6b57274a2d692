package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

func main() {
	// Failed passes are told by the tool, if they matter in the end.
	log.SetLogger(logr.Discard())
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() {
		<-ctx.Done()
		stop() // so that a second signal ends it at once
	}()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	a, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		return 2
	}
	if err := load(ctx, a, stdout, stderr); err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("interrupted: %w", err)
		}
		_, _ = fmt.Fprintln(stderr, "load:", err)
		return 1
	}
	return 0
}

// load compares the implementations with each number of MyApps. What fails with one
// number does not keep it from the next.
func load(ctx context.Context, a arguments, stdout, stderr io.Writer) (err error) {
	w, err := openWorld(ctx, a, stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	c := comparison{
		cluster: w.cluster, implementations: a.implementations, workers: a.workers, rounds: a.rounds, timeout: a.timeout,
		progress: func(format string, args ...any) { _, _ = fmt.Fprintf(stderr, format+"\n", args...) },
		print:    tablePrinter(stdout),
	}
	if a.json {
		c.print = jsonPrinter(stdout)
	}
	if err := c.warmUp(ctx); err != nil {
		return fmt.Errorf("warm up: %w", err)
	}
	var failures []error
	for _, apps := range a.apps {
		if err := c.run(ctx, apps); err != nil {
			failures = append(failures, fmt.Errorf("%d MyApps: %w", apps, err))
		}
		if ctx.Err() != nil {
			break
		}
	}
	return errors.Join(failures...)
}
