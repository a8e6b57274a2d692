// Program local runs a whole Kubernetes on this machine until it is
// interrupted:
//
//	go run github.com/trueup-dev/trueup/testing/cluster/local
//
// It prints what to set KUBECONFIG to, so that kubectl works against it. With
// --build-only it only builds what a cluster needs, so that later starts are
// quick and need no network.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/trueup-dev/trueup/testing/cluster"
)

func main() {
	// controller-runtime complains when nobody has said where to log to.
	log.SetLogger(logr.Discard())
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// arguments is what the command line says.
type arguments struct {
	options    cluster.Options
	buildOnly  bool
	kubeconfig string
}

// parse reads the command line.
func parse(args []string, stderr io.Writer) (arguments, error) {
	a := arguments{options: cluster.Full()}
	flags := flag.NewFlagSet("local", flag.ContinueOnError)
	flags.SetOutput(stderr)
	apiOnly := flags.Bool("api-only", false, "start the API server alone: no controllers, scheduler or nodes")
	flags.IntVar(&a.options.Nodes, "nodes", a.options.Nodes, "how many kwok `nodes` there are")
	flags.Func("crds", "a `path` of CustomResourceDefinitions, a file or directory, to install; may be repeated", func(path string) error {
		a.options.CRDPaths = append(a.options.CRDPaths, strings.Split(path, ",")...)
		return nil
	})
	flags.IntVar(&a.options.Port, "port", 0, "the `port` of the API server (default a free one)")
	flags.StringVar(&a.options.Logs, "logs", "", "the `directory` for the components' logs (default a temporary one)")
	flags.StringVar(&a.kubeconfig, "kubeconfig", "", "a `path` to write the kubeconfig to, removed at the end (default a temporary one)")
	flags.BoolVar(&a.buildOnly, "build-only", false, "build what a cluster needs, and exit")
	if err := flags.Parse(args); err != nil {
		return arguments{}, err
	}
	if flags.NArg() > 0 {
		err := fmt.Errorf("unexpected argument %q", flags.Arg(0))
		_, _ = fmt.Fprintln(stderr, err)
		return arguments{}, err
	}
	if *apiOnly {
		a.options.Controllers, a.options.Scheduler, a.options.Nodes = false, false, 0
	}
	a.options.Progress = stderr
	return a, nil
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
	if a.buildOnly {
		err = cluster.Build(ctx, stderr)
	} else {
		err = serve(ctx, a, stdout, stderr)
	}
	if err != nil {
		_, _ = fmt.Fprintln(stderr, err)
		return 1
	}
	return 0
}

// serve runs a cluster until the context is done or a component fails.
func serve(ctx context.Context, a arguments, stdout, stderr io.Writer) error {
	start := time.Now()
	env, err := cluster.Start(ctx, a.options)
	if err != nil {
		return err
	}
	kubeconfig := env.Kubeconfig()
	if a.kubeconfig != "" {
		kubeconfig = a.kubeconfig
		if err := cluster.WriteKubeconfig(kubeconfig, env.Config()); err != nil {
			_ = env.Stop()
			return err
		}
		defer func() { _ = os.Remove(kubeconfig) }()
	}
	_, _ = fmt.Fprintf(stderr, "Kubernetes %s is ready after %s at %s; its logs are in %s. Ctrl-C stops it.\n",
		cluster.KubernetesVersion, time.Since(start).Round(100*time.Millisecond), env.Config().Host, env.Logs())
	_, _ = fmt.Fprintf(stdout, "export KUBECONFIG=%s\n", kubeconfig)

	select {
	case <-ctx.Done():
		_, _ = fmt.Fprintln(stderr, "stopping")
		return env.Stop()
	case <-env.Done():
		failure := env.Err()
		if err := env.Stop(); err != nil {
			_, _ = fmt.Fprintln(stderr, err)
		}
		return failure
	}
}
