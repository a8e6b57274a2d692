package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/trueup-dev/trueup/testing/cluster"
)

func TestParse(t *testing.T) {
	cases := map[string]struct {
		args []string
		want arguments
	}{
		"None":    {nil, arguments{options: cluster.Full()}},
		"APIOnly": {[]string{"--api-only"}, arguments{options: cluster.Options{}}},
		"All": {
			[]string{"--nodes=7", "--crds=a,b", "--crds", "c", "--port=6443", "--logs=l", "--kubeconfig=k", "--build-only"},
			arguments{
				options: cluster.Options{
					Controllers: true, Scheduler: true, Nodes: 7, CRDPaths: []string{"a", "b", "c"}, Port: 6443, Logs: "l",
				},
				kubeconfig: "k", buildOnly: true,
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := parse(tc.args, io.Discard)
			if err != nil {
				t.Fatal(err)
			}
			got.options.Progress = nil
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(arguments{})); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
	if _, err := parse([]string{"--help"}, io.Discard); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("want help, got %v", err)
	}
}

func TestExitCodes(t *testing.T) {
	cases := map[string]struct {
		args   []string
		code   int
		stderr string
	}{
		"Help":      {[]string{"-h"}, 0, "Usage of local"},
		"Flag":      {[]string{"--what"}, 2, "--what"[1:]},
		"Argument":  {[]string{"what"}, 2, `unexpected argument "what"`},
		"Options":   {[]string{"--nodes=-1"}, 1, "Options.Nodes"},
		"BuildOnly": {[]string{"--build-only"}, 0, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			stderr := &bytes.Buffer{}
			if got := run(t.Context(), tc.args, io.Discard, stderr); got != tc.code {
				t.Errorf("want %d, got %d", tc.code, got)
			}
			if !strings.Contains(stderr.String(), tc.stderr) {
				t.Errorf("want %q on stderr, got %s", tc.stderr, stderr)
			}
		})
	}
}

// started is a run of this program that is ready.
type started struct {
	kubeconfig string
	parent     string
	code       chan int
	cancel     context.CancelFunc
}

// startLocal runs the program in this process until it is ready.
func startLocal(t *testing.T, args ...string) *started {
	t.Helper()
	parent, err := os.MkdirTemp("", "trueup-test-") //nolint:usetesting // whose names are too long for sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(parent) })
	t.Setenv("TMPDIR", parent)
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	s := &started{kubeconfig: filepath.Join(parent, "kubeconfig"), parent: parent, code: make(chan int, 1), cancel: cancel}
	reader, writer := io.Pipe()
	go func() {
		s.code <- run(ctx, append(args, "--kubeconfig="+s.kubeconfig), writer, io.Discard)
		_ = writer.Close()
	}()
	line := make([]byte, 4096)
	n, err := reader.Read(line)
	if err != nil {
		t.Fatalf("it ended with code %d", <-s.code)
	}
	if diff := cmp.Diff("export KUBECONFIG="+s.kubeconfig+"\n", string(line[:n])); diff != "" {
		t.Errorf("output: -want, +got:\n%s", diff)
	}
	return s
}

func TestLocalUntilInterrupted(t *testing.T) {
	s := startLocal(t)
	config, err := clientcmd.BuildConfigFromFlags("", s.kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Discovery().ServerVersion(); err != nil {
		t.Errorf("the cluster should answer: %v", err)
	}
	s.cancel()
	if code := <-s.code; code != 0 {
		t.Errorf("want code 0, got %d", code)
	}
	if left, _ := os.ReadDir(s.parent); len(left) > 0 {
		t.Errorf("nothing should be left, got %v", left)
	}
}

func TestLocalComponentDies(t *testing.T) {
	s := startLocal(t, "--api-only")
	err := wait.PollUntilContextTimeout(t.Context(), 10*time.Millisecond, time.Minute, true, func(context.Context) (bool, error) {
		id := processID(t, s.parent, "etcd")
		return id != 0 && syscall.Kill(id, syscall.SIGKILL) == nil, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if code := <-s.code; code != 1 {
		t.Errorf("want code 1, got %d", code)
	}
}

// processID returns the process of a program that has the directory on its
// command line.
func processID(t *testing.T, directory, program string) int {
	t.Helper()
	listed, err := exec.Command("ps", "-A", "-ww", "-o", "pid=", "-o", "args=").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(listed)) {
		fields := strings.Fields(line)
		if len(fields) > 2 && filepath.Base(fields[1]) == program && strings.Contains(line, directory) {
			id, err := strconv.Atoi(fields[0])
			if err != nil {
				t.Fatal(err)
			}
			return id
		}
	}
	return 0
}
