package e2e

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/trueup-dev/trueup/examples/myapp/internal/stage"
	"github.com/trueup-dev/trueup/testing/cluster"
)

// What makes the tests large. Zero is what a test chooses itself.
var (
	killsFlag = flag.Int("kills", 0, "how often the operator is killed")
	appsFlag  = flag.Int("apps", 0, "how many MyApps there are")
	bareFlag  = flag.Bool("bare", false, "have no controllers, scheduler and nodes: for very many MyApps")
	seedFlag  = flag.Int64("seed", time.Now().UnixNano(), "what chance starts from")
)

// or returns what a flag says, or else what is to be by default.
func or(flag *int, otherwise int) int {
	if *flag > 0 {
		return *flag
	}
	return otherwise
}

func TestMain(m *testing.M) {
	flag.Parse()
	options, err := options()
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	cluster.Main(m, options)
}

// options are those of a whole cluster, which keeps an audit log of what the
// operator sends among the logs of the API server, and has nodes for all apps.
//
// Many autoscalers are looked at as often as they are elsewhere. Once a second, as
// it is otherwise, they would keep the API server busier than the operator does.
func options() (cluster.Options, error) {
	options, err := stage.Options()
	if err != nil {
		return options, err
	}
	policy, err := filepath.Abs("testdata/audit.yaml")
	if err != nil {
		return options, fmt.Errorf("find audit policy: %w", err)
	}
	options.Nodes += *appsFlag / 50
	if *appsFlag > 100 {
		options.Flags[cluster.ControllerManager] = []string{"--horizontal-pod-autoscaler-sync-period=15s"}
	}
	if *bareFlag {
		options.Controllers, options.Scheduler, options.Nodes = false, false, 0
	}
	options.Flags[cluster.APIServer] = append(options.Flags[cluster.APIServer],
		"--audit-policy-file="+policy, "--audit-log-path=-")
	return options, nil
}
