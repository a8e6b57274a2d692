package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/steptest"
)

// sent is a request as the API server has noted it.
type sent struct {
	steptest.Request           // whose Time is when it was received
	replica          string    // that has sent it
	answered         time.Time // when it was
	cut              bool      // nobody waited for the answer, so that it is not known what became of it
}

// audit is what the operator has sent since the audit log was opened.
type audit struct {
	file *os.File
	rest []byte // of a line that is not written to its end
	sent []sent
}

// openAudit opens the audit log at its end.
func openAudit(w *world) *audit {
	w.Helper()
	file, err := os.Open(filepath.Join(w.env.Logs(), string(cluster.APIServer)+".log"))
	w.must(err)
	w.Cleanup(func() { _ = file.Close() })
	_, err = file.Seek(0, io.SeekEnd)
	w.must(err)
	return &audit{file: file}
}

// requests returns what was sent, in the order of the answers, without the watches
// that feed caches.
func (w *world) requests(filters ...func(sent) bool) []sent {
	w.Helper()
	w.must(w.audit.read())
	return slices.DeleteFunc(slices.Clone(w.audit.sent), func(request sent) bool {
		return slices.ContainsFunc(filters, func(filter func(sent) bool) bool { return !filter(request) })
	})
}

// read reads what was written since it last did.
func (a *audit) read() error {
	text, err := io.ReadAll(a.file)
	if err != nil {
		return fmt.Errorf("read audit log: %w", err)
	}
	lines := bytes.SplitAfter(append(a.rest, text...), []byte("\n"))
	a.rest = lines[len(lines)-1]
	for _, line := range lines[:len(lines)-1] {
		if !bytes.HasPrefix(line, []byte(`{"kind":"Event"`)) {
			continue // of the API server's other log
		}
		event := auditv1.Event{}
		if err := json.Unmarshal(line, &event); err != nil {
			return fmt.Errorf("read audit log: %w: %s", err, line)
		}
		if request, ok := describe(&event); ok {
			a.sent = append(a.sent, request)
		}
	}
	return nil
}

// describe returns what there is to know of a request about objects.
func describe(event *auditv1.Event) (sent, bool) {
	about := event.ObjectRef
	if about == nil || event.Verb == "watch" || event.ResponseStatus == nil {
		return sent{}, false
	}
	request := sent{replica: replicaOf(event.UserAgent), answered: event.StageTimestamp.Time}
	request.cut = event.ResponseStatus.Message == "Connection closed early" // and is called a success
	request.Time, request.Verb, request.Code = event.RequestReceivedTimestamp.Time, event.Verb, int(event.ResponseStatus.Code)
	request.Group, request.Resource = about.APIGroup, about.Resource
	request.Namespace, request.Name = about.Namespace, about.Name
	if about.Subresource != "" {
		request.Resource += "/" + about.Subresource
	}
	return request, true
}

// replicaOf reads the name of the program out of what a client calls itself.
func replicaOf(agent string) string {
	name, _, _ := strings.Cut(agent, "/")
	return name
}

func isLease(request sent) bool { return request.Resource == "leases" }

// isOpen reports whether it is not known what became of a request.
func (s sent) isOpen() bool { return s.cut || s.Code >= http.StatusInternalServerError }

// changes reports whether a request has changed something.
func (s sent) changes() bool { return s.Write() && s.Code < http.StatusMultipleChoices }

// isWork is what a request is that changes something, leader election aside.
func isWork(request sent) bool { return request.Write() && !isLease(request) }

func by(name string) func(sent) bool {
	return func(request sent) bool { return request.replica == name }
}

// in is what a request is that concerns one of the namespaces.
func in(namespaces ...string) func(sent) bool {
	return func(request sent) bool { return slices.Contains(namespaces, request.Namespace) }
}
