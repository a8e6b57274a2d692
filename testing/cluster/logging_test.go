package cluster

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/go-logr/logr/funcr"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// loggingVariable makes the test binary a program that sets a logger before or
// after the logs were discarded, as the variable says, and then logs.
const loggingVariable = "TRUEUP_TEST_LOGGING"

func logSomething(when string) {
	set := func() {
		log.SetLogger(funcr.New(func(_, text string) { fmt.Println(text) }, funcr.Options{}))
	}
	if when == "before" {
		set()
	}
	discardLogs()
	if when == "after" {
		set()
	}
	log.Log.Info("hello")
}

// TestLoggerOfTheUserWins does what can be done only once in a process.
func TestLoggerOfTheUserWins(t *testing.T) {
	for when, heard := range map[string]bool{"before": true, "after": false, "never": false} {
		t.Run(when, func(t *testing.T) {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), loggingVariable+"="+when)
			output, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, output)
			}
			if strings.Contains(string(output), "hello") != heard {
				t.Errorf("printed is %q", output)
			}
		})
	}
}
