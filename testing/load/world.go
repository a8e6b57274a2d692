package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/load/internal/stage"
)

// world is the cluster to work on, and what has to be undone in the end.
type world struct {
	cluster *stage.Cluster
	undo    []func() error
}

// openWorld starts a cluster, or connects to the one that the arguments name,
// and makes sure that it serves MyApps.
func openWorld(ctx context.Context, a arguments, progress io.Writer) (*world, error) {
	w := &world{}
	if err := w.open(ctx, a, progress); err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

func (w *world) open(ctx context.Context, a arguments, progress io.Writer) error {
	config, err := w.config(ctx, a, progress)
	if err != nil {
		return err
	}
	remove, err := installCRD(ctx, config)
	if remove != nil {
		w.undo = append(w.undo, remove)
	}
	if err != nil {
		return fmt.Errorf("install CRD of MyApps: %w", err)
	}
	w.cluster, err = stage.NewCluster(config, a.controllers())
	return err
}

// close undoes, in reverse order, also when the program was interrupted.
func (w *world) close() error {
	var errs []error
	for i := len(w.undo) - 1; i >= 0; i-- {
		errs = append(errs, w.undo[i]())
	}
	return errors.Join(errs...)
}

func (w *world) config(ctx context.Context, a arguments, progress io.Writer) (*rest.Config, error) {
	if a.kubeconfig != "" {
		config, err := clientcmd.BuildConfigFromFlags("", a.kubeconfig)
		if err != nil {
			return nil, fmt.Errorf("read kubeconfig: %w", err)
		}
		return config, nil
	}
	options := cluster.Options{}
	if a.full {
		options = cluster.Full()
	}
	options.Progress = progress
	own, err := cluster.Start(ctx, options)
	if err != nil {
		return nil, err
	}
	w.undo = append(w.undo, func() error { return errors.Join(own.Err(), own.Stop()) })
	return own.Config(), nil
}
