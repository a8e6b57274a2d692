package proof_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/trueup-dev/trueup/examples/myapp/internal/stage"
	"github.com/trueup-dev/trueup/testing/cluster"
)

func TestMain(m *testing.M) {
	options, err := stage.Options()
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	cluster.Main(m, options)
}
