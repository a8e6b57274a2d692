package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/examples/myapp/internal/stage"
)

func TestMain(m *testing.M) {
	ctrl.SetLogger(logr.Discard())
	os.Exit(m.Run())
}

// output is what the program prints, to be looked at while it runs.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(text []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(text)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// await waits until the output has a line that begins with prefix, and returns
// the rest of the line.
func (o *output) await(t *testing.T, prefix string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	found := ""
	if err := stage.Await(ctx, "the program prints "+prefix, func(context.Context) error {
		text := o.String()
		_, after, ok := strings.Cut(text, "\n"+prefix)
		rest, _, whole := strings.Cut(after, "\n")
		if !ok || !whole {
			return printed(text)
		}
		found = rest
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return found
}

// printed is an error that tells all that was printed.
type printed string

func (p printed) Error() string { return "it has printed:\n" + string(p) }

func TestExitWhenReady(t *testing.T) {
	var stdout, stderr output
	code := run(t.Context(), []string{"--exit-when-ready"}, &stdout, &stderr, &tail{})
	if code != 0 || !strings.HasSuffix(stdout.String(), "\ndemo: ok\n") {
		t.Fatalf("exit code %d\n%s\n%s", code, &stdout, &stderr)
	}
	for _, act := range story {
		if !strings.Contains(stdout.String(), act.title) {
			t.Errorf("act %q was not played:\n%s", act.title, &stdout)
		}
	}
	checkDocs(t, stdout.String())
}

// Without the flag the cluster is there to be used until the program is
// interrupted, and gone afterwards.
func TestStaysUpUntilInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	var stdout, stderr output
	code := make(chan int, 1)
	go func() { code <- run(ctx, nil, &stdout, &stderr, &tail{}) }()

	kubeconfig := stdout.await(t, "export KUBECONFIG=")
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.New(config, client.Options{Scheme: stage.Scheme})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: sample}, &v1.MyApp{}); err != nil {
		t.Errorf("the sample is not there: %v", err)
	}

	interrupt()
	if code := <-code; code != 0 {
		t.Errorf("exit code %d\n%s\n%s", code, &stdout, &stderr)
	}
	if _, err := os.Stat(kubeconfig); !os.IsNotExist(err) {
		t.Errorf("the cluster has left %s", kubeconfig)
	}
}

func TestInterruptedWhileItStarts(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	var stdout, stderr output
	code := make(chan int, 1)
	go func() { code <- run(ctx, []string{"--exit-when-ready"}, &stdout, &stderr, &tail{}) }()
	if err := stage.Await(t.Context(), "it starts", func(context.Context) error {
		if text := stdout.String(); !strings.Contains(text, "starting") {
			return printed(text)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	interrupt()
	if code := <-code; code != 1 || !strings.HasSuffix(stdout.String(), "demo: failed: interrupted\n") {
		t.Errorf("exit code %d\n%s\n%s", code, &stdout, &stderr)
	}
}

func TestCommandLine(t *testing.T) {
	cases := map[string]struct {
		args []string
		code int
		want string
	}{
		"help":     {[]string{"--help"}, 0, "exit-when-ready"},
		"flag":     {[]string{"--nonsense"}, 2, "nonsense"},
		"argument": {[]string{"nonsense"}, 2, `unexpected argument "nonsense"`},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr output
			if code := run(t.Context(), test.args, &stdout, &stderr, &tail{}); code != test.code || !strings.Contains(stderr.String(), test.want) {
				t.Errorf("exit code %d, want %d:\n%s", code, test.code, &stderr)
			}
		})
	}
}
