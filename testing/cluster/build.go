package cluster

import (
	"context"
	"crypto/rand"
	"io"
	"os"
	"strings"

	"github.com/trueup-dev/trueup/testing/cluster/internal/binaries"
)

// Build makes sure that the programs of a whole cluster are on this machine,
// and builds those that are not, which takes minutes: a [Start] that needs them
// then starts at once, without network. Where they are looked for is told in
// the package comment. It tells progress what it does; nil is os.Stderr.
//
// It may be called by any number of processes at once: one builds, the others
// wait. A build ends with the context, and with the process.
func Build(ctx context.Context, progress io.Writer) error {
	options := Full()
	options.Progress = progress
	_, err := find(ctx, options)
	return err
}

// find returns the paths of the programs that the options need.
func find(ctx context.Context, options Options) (map[string]string, error) {
	progress := options.Progress
	if progress == nil {
		progress = os.Stderr
	}
	finder, err := binaries.NewFinder(progress)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, component := range options.components() {
		names = append(names, string(component))
	}
	return finder.Find(ctx, names...)
}

// randomName returns ten random lower-case characters.
func randomName() string { return strings.ToLower(rand.Text()[:10]) }
