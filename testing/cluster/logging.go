package cluster

import (
	"reflect"
	"time"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// loggerDeadline is how long [Main] leaves it to others to call log.SetLogger.
// controller-runtime complains when it makes a client after 30 seconds and
// nobody has. To set a logger at once would be too early: only the first one
// counts, and suites set theirs in what runs before their first test.
const loggerDeadline = 25 * time.Second

// discardLogsLater calls [discardLogs] at the deadline. It returns what calls
// that off.
func discardLogsLater() (stop func() bool) {
	return time.AfterFunc(loggerDeadline, discardLogs).Stop
}

// discardLogs has controller-runtime discard its logs, unless it has been told
// where to log to.
func discardLogs() {
	if !hasLogger() {
		log.SetLogger(logr.Discard())
	}
}

// hasLogger reports whether somebody has called log.SetLogger. Until then what
// is derived from the root logger waits for one as the root does.
func hasLogger() bool {
	derived := log.Log.WithName("trueup").GetSink()
	return reflect.TypeOf(derived) != reflect.TypeOf(log.Log.GetSink())
}
