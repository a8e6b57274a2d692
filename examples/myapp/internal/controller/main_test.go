package controller_test

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/go-logr/logr"

	"github.com/trueup-dev/trueup/examples/myapp/internal/stage"
	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/steptest"
)

func TestMain(m *testing.M) {
	options, err := stage.Options()
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	cluster.Main(withOperator{m}, options)
}

// shared is the operator that the tests of the package share. Each test looks
// only at what concerns its own namespace.
var shared struct {
	once     sync.Once
	operator *stage.Operator
	passes   *passes
	err      error
}

// operator returns the shared operator and starts it for the first test that
// asks.
func operator(t *testing.T, env *cluster.Cluster) (*stage.Operator, *passes) {
	t.Helper()
	shared.once.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		shared.passes = newPasses()
		shared.operator, shared.err = stage.Start(ctx, env, logr.Discard(), &steptest.Requests{}, shared.passes.listen)
	})
	if shared.err != nil {
		t.Fatalf("start operator: %v", shared.err)
	}
	return shared.operator, shared.passes
}

// withOperator stops the operator after the tests, before the cluster stops.
type withOperator struct{ m *testing.M }

func (w withOperator) Run() int {
	code := w.m.Run()
	if shared.operator == nil {
		return code
	}
	if err := shared.operator.Stop(); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		return max(code, 1)
	}
	return code
}
