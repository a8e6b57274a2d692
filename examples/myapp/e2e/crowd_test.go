package e2e

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/examples/myapp/internal/stage"
)

var quietFlag = flag.Duration("quiet", 3*time.Second, "how long the operator has to be quiet")

// TestCrowd has many MyApps with everything that a MyApp may have. When they are
// as they should be, the operator asks nothing of the API server any more.
//
// With -bare nothing runs beside the operator and the API server, and the apps stay
// without pods. They are as they should be when all that the operator makes is there.
func TestCrowd(t *testing.T) {
	w := newWorld(t)
	apps := or(appsFlag, 20)
	namespace := w.namespace()
	profiles, err := stage.FreeAddress(w.ctx)
	w.must(err)
	r := w.start("crowd", "--pprof-bind-address="+profiles)
	t.Logf("MyApps 0: %s", r.memory(profiles))
	others, began := w.count(namespace), time.Now()
	for i := range apps {
		w.create(namespace, fmt.Sprintf("app-%d", i), everything())
	}
	w.awaitCount(namespace, others+apps*len(kinds))
	w.awaitQuiet(time.Second, namespace)
	w.awaitCrowd(namespace)
	w.awaitQuiet(2*time.Second, namespace)
	converged := time.Since(began)
	unleased := func(request sent) bool { return !isLease(request) }
	before := len(w.requests(unleased))
	w.must(r.running())
	select {
	case <-time.After(*quietFlag): // what is waited for is that nothing happens
	case <-w.ctx.Done():
	}
	w.must(w.ctx.Err())
	after := w.requests(unleased)
	t.Logf("MyApps %d: converged in %s with %d requests, then %d requests in %s; %s",
		apps, converged.Round(time.Second), before, len(after)-before, *quietFlag, r.memory(profiles))
	if len(after) > before {
		t.Errorf("sent while all was quiet: %v", after[before:min(len(after), before+10)])
	}
	if before < apps*(len(kinds)+2) {
		t.Errorf("only %d requests for %d MyApps", before, apps)
	}
	began = time.Now()
	w.await("all are to be deleted", func() error { // which may take longer than one request may
		return w.client.DeleteAllOf(w.ctx, &v1.MyApp{}, client.InNamespace(namespace))
	})
	w.awaitNone(namespace)
	t.Logf("the operator let go of all in %s", time.Since(began).Round(time.Second))
	if !*bareFlag { // there is a garbage collector
		w.awaitCount(namespace, others)
		t.Logf("all that was theirs was gone in %s", time.Since(began).Round(time.Second))
	}
	w.must(r.stop())
}

// awaitCrowd waits until every MyApp says of its latest generation that all is well,
// its pods run, and the autoscalers were looked at.
func (w *world) awaitCrowd(namespace string) {
	w.Helper()
	scalers, list := &autoscalingv2.HorizontalPodAutoscalerList{}, &v1.MyAppList{}
	w.awaitNowAndThen("every MyApp is as it should be", func() error {
		if err := w.client.List(w.ctx, list, client.InNamespace(namespace)); err != nil {
			return err
		}
		for _, app := range list.Items {
			if app.Status.ObservedGeneration != app.Generation {
				return fmt.Errorf("%s says %+v", app.Name, app.Status)
			}
			if !*bareFlag && !meta.IsStatusConditionTrue(app.Status.Conditions, "DeploymentReady") {
				return fmt.Errorf("%s says %+v", app.Name, app.Status.Conditions)
			}
		}
		if *bareFlag {
			return nil
		}
		if err := w.client.List(w.ctx, scalers, client.InNamespace(namespace)); err != nil {
			return err
		}
		for _, scaler := range scalers.Items {
			if len(scaler.Status.Conditions) < 2 {
				return fmt.Errorf("the autoscaler of %s says %+v", scaler.Name, scaler.Status)
			}
		}
		return nil
	})
}

var liveHeap = regexp.MustCompile(`# HeapAlloc = (\d+)`)

// memory tells how much memory the operator has, and how much of it is in use
// after a collection of garbage.
func (r *replica) memory(profiles string) string {
	r.Helper()
	var text []byte
	r.await("the operator tells of its heap", func() error {
		var err error
		text, err = fetch(r.ctx, "http://"+profiles+"/debug/pprof/heap?gc=1&debug=1")
		return err
	})
	heap := liveHeap.FindSubmatch(text)
	if heap == nil {
		r.Fatalf("no heap in %s", text)
	}
	resident, err := exec.CommandContext(r.ctx, "ps", "-o", "rss=", "-p", fmt.Sprint(r.cmd.Process.Pid)).Output()
	r.must(err)
	bytes, kilobytes := 0, 0
	_, err = fmt.Sscan(string(heap[1]), &bytes)
	r.must(err)
	_, err = fmt.Sscan(strings.TrimSpace(string(resident)), &kilobytes)
	r.must(err)
	return fmt.Sprintf("heap %.1f MB, resident %.1f MB", float64(bytes)/1e6, float64(kilobytes)/1e3)
}

func fetch(ctx context.Context, url string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	return io.ReadAll(answer.Body)
}
