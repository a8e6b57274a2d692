package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/trueup-dev/trueup/examples/myapp/internal/stage"
	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/steptest"
)

// perform starts the cluster and the operator, plays the story and, unless it is
// to exit then, stays up until the context is done. It stops all that it has
// started.
func perform(ctx context.Context, stdout, stderr io.Writer, exit bool) (err error) {
	start := time.Now()
	options, err := stage.Options()
	if err != nil {
		return err
	}
	options.Progress = stderr
	_, _ = fmt.Fprintf(stdout, "starting Kubernetes %s\n", cluster.KubernetesVersion)
	env, err := cluster.Start(ctx, options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, env.Stop()) }()
	operator, err := stage.Start(ctx, env, ctrl.Log, &steptest.Requests{KeepBodies: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, operator.Stop()) }()
	user, err := newUser(ctx, env.Config(), operator.Zone)
	if err != nil {
		return err
	}

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go watchOver(ctx, cancel, env, operator)
	screen := newScreen(stdout, !exit, start, user, operator.Requests)
	if err := screen.during(ctx, func() error { return play(ctx, user, operator.Requests, screen) }); err != nil || exit {
		return cause(ctx, err)
	}
	return cause(ctx, stay(ctx, env, user, screen))
}

// watchOver ends the context when the cluster or the operator ends by itself.
func watchOver(ctx context.Context, cancel context.CancelCauseFunc, env *cluster.Cluster, operator *stage.Operator) {
	select {
	case <-env.Done():
		cancel(fmt.Errorf("the cluster has failed: %w", env.Err()))
	case <-operator.Done():
		cancel(errors.New("the operator has ended"))
	case <-ctx.Done():
	}
}

// cause returns why the context is done, if that is why there is an error.
func cause(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// stay makes the sample once more, says how to reach the cluster and shows what
// happens there until the context is done. That it was interrupted is no error.
func stay(ctx context.Context, env *cluster.Cluster, user *user, screen *screen) error {
	if err := user.applySample(ctx); err != nil {
		return err
	}
	screen.invite(
		"The sample is there again, and the cluster is yours until you press Ctrl-C:",
		"export KUBECONFIG="+env.Kubeconfig(),
		"kubectl -n "+namespace+" get myapps -o wide",
	)
	err := screen.during(ctx, func() error {
		<-ctx.Done()
		return nil
	})
	if errors.Is(context.Cause(ctx), context.Canceled) {
		return nil
	}
	return errors.Join(err, context.Cause(ctx))
}
