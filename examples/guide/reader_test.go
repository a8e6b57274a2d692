package guide_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// reader does what the page says, in a folder of its own.
type reader struct {
	*testing.T
	directory  string
	kubeconfig string
	env        []string
	terminals  []*terminal
}

func newReader(t *testing.T, bin string) *reader {
	t.Helper()
	r := &reader{T: t, directory: filepath.Join(t.TempDir(), "website")}
	r.kubeconfig = filepath.Join(r.directory, "cluster.kubeconfig")
	r.env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "KUBECONFIG="+r.kubeconfig, "GOWORK=off")
	return r
}

// get is the one command that is replaced: what is followed is of this tree, which is not
// what is published.
const get = "go get github.com/trueup-dev/trueup"

// follow does what a block says.
func (r *reader) follow(b block) {
	r.Helper()
	if name, ok := b.file(); ok {
		path := filepath.Join(r.directory, name)
		r.must(os.MkdirAll(filepath.Dir(path), 0o750))
		r.must(os.WriteFile(path, []byte(b.text), 0o600))
		return
	}
	if b.language != "sh" {
		return
	}
	script := strings.Replace(b.text, get, "go mod edit -require=github.com/trueup-dev/trueup@v0.0.0 -replace=github.com/trueup-dev/trueup="+r.root()+
		" && cat "+r.root()+"/go.sum >> go.sum", 1)
	switch kind, what, _ := strings.Cut(b.mark, " "); {
	case strings.HasPrefix(b.mark, "not run"):
	case kind == "terminal" || kind == "terminal,":
		r.terminals = append(r.terminals, r.open(script))
		if file, ok := strings.CutPrefix(what, "until "); ok {
			r.await(file)
		}
	case kind == "deployed":
		r.close(1) // as the page says, of the second terminal
		r.terminals = append(r.terminals, r.open(r.operator()))
		r.run(script)
		r.close(2)
		r.close(0)
	default:
		r.run(script)
	}
}

func (r *reader) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

func (r *reader) root() string {
	r.Helper()
	path, err := filepath.Abs(root)
	r.must(err)
	return path
}

// command returns what has a shell do the script, in the folder once it is there.
func (r *reader) command(ctx context.Context, script string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "bash", "-euc", script)
	cmd.Env, cmd.Dir = r.env, r.directory
	if _, err := os.Stat(r.directory); err != nil {
		cmd.Dir = filepath.Dir(r.directory)
	}
	return cmd
}

func (r *reader) run(script string) {
	r.Helper()
	began := time.Now()
	if out, err := r.command(r.Context(), script).CombinedOutput(); err != nil {
		for _, terminal := range r.terminals {
			r.Logf("in another terminal:\n%s", terminal.text())
		}
		r.Fatalf("%s%v\n%s", script, err, out)
	}
	r.Logf("%s(%s)", script, time.Since(began).Round(100*time.Millisecond))
}

// operator returns what a kubelet would start: what the Deployment says, as its service
// account.
func (r *reader) operator() string {
	r.Helper()
	return `deployed() { kubectl get --namespace website-system deployment/website-operator -o "jsonpath=$1"; }
args=$(deployed '{.spec.template.spec.containers[0].args[*]}')
account=$(deployed '{.spec.template.spec.serviceAccountName}')
token=$(kubectl create token --namespace website-system "$account")
cp cluster.kubeconfig operator.kubeconfig
export KUBECONFIG=$PWD/operator.kubeconfig
kubectl config unset users >/dev/null
kubectl config set-credentials operator --token="$token" >/dev/null
kubectl config set-context --current --user=operator >/dev/null
go run ./cmd $args --leader-election-namespace=website-system`
}

// await waits for a file.
func (r *reader) await(name string) {
	r.Helper()
	r.must(wait.PollUntilContextTimeout(r.Context(), 50*time.Millisecond, 10*time.Minute, true, func(context.Context) (bool, error) {
		if why, ended := r.terminals[len(r.terminals)-1].ended(); ended {
			return false, fmt.Errorf("it ended: %s", why)
		}
		text, err := os.ReadFile(filepath.Join(r.directory, name))
		return err == nil && len(text) > 0, nil
	}))
}

// terminal is a shell in which something runs on.
type terminal struct {
	input io.Closer
	done  chan struct{}

	mu  sync.Mutex
	out bytes.Buffer
}

// Write implements [io.Writer].
func (o *terminal) Write(text []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.out.Write(text)
}

func (o *terminal) text() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.out.String()
}

func (o *terminal) ended() (string, bool) {
	select {
	case <-o.done:
		return o.text(), true
	default:
		return "", false
	}
}

// open starts what is to run on, until its input is closed, as it is when this process
// ends, however it does.
func (r *reader) open(script string) *terminal {
	r.Helper()
	o := &terminal{done: make(chan struct{})}
	cmd := r.command(context.Background(), "exec 3<&0\n(read -r _ <&3 || kill -TERM -- -$$) &\n"+script)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Stdout, cmd.Stderr = o, o
	input, err := cmd.StdinPipe()
	r.must(err)
	o.input = input
	r.must(cmd.Start())
	go func() {
		defer close(o.done)
		_ = cmd.Wait() // until all that it has started has ended too
	}()
	r.Cleanup(func() { _ = input.Close(); <-o.done })
	return o
}

// close ends what runs in a terminal.
func (r *reader) close(i int) {
	r.Helper()
	if why, ended := r.terminals[i].ended(); ended {
		r.Fatalf("it has ended already: %s", why)
	}
	_ = r.terminals[i].input.Close()
	<-r.terminals[i].done
}
