package proxy_test

import (
	"net/http"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/cluster/proxy"
)

// A watch that is dropped ends, is counted, and a request that is on its way meanwhile
// gets there.
func TestDropWatches(t *testing.T) {
	way, through, direct := start(t)
	watcher, err := client.NewWithWatch(way.Config(), client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	watch, err := watcher.Watch(t.Context(), &corev1.ConfigMapList{}, client.InNamespace(cluster.Shared(t).Namespace(t)))
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Stop()
	arrived, dropped := make(chan struct{}), make(chan struct{})
	way.Disturb(func(request *http.Request) proxy.Trouble {
		if write(request) {
			close(arrived)
			<-dropped
		}
		return proxy.Trouble{}
	})
	created := make(chan error, 1)
	go func() { created <- through.Create(t.Context(), named("web")) }()
	<-arrived
	count := way.DropWatches()
	for range watch.ResultChan() { // it is closed when the watch is over
	}
	close(dropped)
	if err := <-created; err != nil {
		t.Errorf("a request that is no watch has %v", err)
	}
	if err := direct.Get(t.Context(), client.ObjectKey{Name: "web"}, named("web")); err != nil {
		t.Errorf("the server has %v", err)
	}
	if got := way.Tally().Dropped; count != 1 || got != 1 {
		t.Errorf("dropped %d and counted %d, want 1", count, got)
	}
	if again := way.DropWatches(); again != 0 {
		t.Errorf("dropped %d more, and there is none", again)
	}
}

// What is delayed is not through before its time, which can only take longer.
func TestDelay(t *testing.T) {
	const delay = 200 * time.Millisecond
	way, through, _ := start(t)
	way.Disturb(proxy.Every(1, proxy.Trouble{Delay: delay}, write))
	sent := time.Now()
	if err := through.Create(t.Context(), named("web")); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(sent); took < delay {
		t.Errorf("it took %s, want %s at least", took, delay)
	}
}
