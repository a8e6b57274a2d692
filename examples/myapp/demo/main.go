// Program demo shows the MyApp operator at work on a real Kubernetes, which it
// starts on this machine:
//
//	go run ./examples/myapp/demo
//
// It tells a story in acts: an app is made, scaled, meddled with, refused and
// deleted, and after each act it checks that what should have come of it has, and
// that the operator is quiet then. The operator runs as a service account that
// has exactly the generated ClusterRole. The table shows what there is, and every
// write of the operator.
//
// After the story the cluster stays up for you to try things on, until you
// interrupt it. With --exit-when-ready the program ends after the story instead,
// with "demo: ok" and 0, or with "demo: failed: …" and 1.
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

	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	log := &tail{}
	logger := zap.New(zap.WriteTo(log))
	ctrl.SetLogger(logger)
	klog.SetLogger(logger)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr, log)
	stop()
	os.Exit(code)
}

// run returns the exit code. log is where the operator logs to.
func run(ctx context.Context, args []string, stdout, stderr io.Writer, log *tail) int {
	flags := flag.NewFlagSet("demo", flag.ContinueOnError)
	flags.SetOutput(stderr)
	exit := flags.Bool("exit-when-ready", false, "end after the story, instead of staying up until interrupted")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	if flags.NArg() > 0 {
		_, _ = fmt.Fprintf(stderr, "unexpected argument %q\n", flags.Arg(0))
		return 2
	}
	if err := perform(ctx, stdout, stderr, *exit); err != nil {
		if errors.Is(err, context.Canceled) && ctx.Err() != nil {
			err = errors.New("interrupted")
		} else {
			_, _ = fmt.Fprintf(stderr, "the operator's log ends with:\n%s", log)
		}
		_, _ = fmt.Fprintln(stdout, "demo: failed:", err)
		return 1
	}
	_, _ = fmt.Fprintln(stdout, "demo: ok")
	return 0
}
