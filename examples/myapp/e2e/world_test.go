package e2e

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/examples/myapp/internal/overlay"
	"github.com/trueup-dev/trueup/examples/myapp/internal/stage"
	"github.com/trueup-dev/trueup/testing/cluster"
)

// world is a cluster on which the operator is installed, and its administrator.
type world struct {
	*testing.T
	ctx    context.Context
	env    *cluster.Cluster
	client client.Client
	audit  *audit
}

// patience is how long a test takes at most. The large ones take the time that
// "go test -timeout" gives them.
const patience = 4 * time.Minute

func newWorld(t *testing.T) *world {
	t.Helper()
	ctx, cancel := t.Context(), func() {}
	if *appsFlag == 0 && *killsFlag == 0 {
		ctx, cancel = context.WithTimeout(ctx, patience)
	}
	t.Cleanup(cancel)
	w := &world{T: t, ctx: ctx, env: cluster.Shared(t)}
	scheme := runtime.NewScheme()
	w.must(clientgoscheme.AddToScheme(scheme))
	w.must(v1.AddToScheme(scheme))
	var err error
	w.client, err = client.New(w.env.Config(), client.Options{Scheme: scheme, FieldOwner: "administrator"})
	w.must(err)
	w.must(installed.do(ctx, w))
	w.audit = openAudit(w)
	return w
}

// installed is what is done once for all tests.
var installed installation

type installation struct {
	once       sync.Once
	program    string // the operator
	kubeconfig string
	err        error
}

func (i *installation) do(ctx context.Context, w *world) error {
	i.once.Do(func() {
		i.program = filepath.Join(w.env.Directory(), "myapp") // goes away with the cluster
		i.kubeconfig = filepath.Join(w.env.Directory(), "myapp.kubeconfig")
		i.err = i.install(ctx, w)
	})
	return i.err
}

func (i *installation) install(ctx context.Context, w *world) error {
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", i.program, "..").CombinedOutput(); err != nil {
		return fmt.Errorf("build the operator: %w: %s", err, out)
	}
	objects, err := overlay.Build("../config/without-webhooks")
	if err != nil {
		return err
	}
	for _, object := range objects {
		if err := overlay.Apply(ctx, w.client, object); err != nil {
			return err
		}
	}
	account, err := w.env.ServiceAccount(ctx, stage.Namespace, stage.ServiceAccount)
	if err != nil {
		return err
	}
	return cluster.WriteKubeconfig(i.kubeconfig, account)
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// awaitNowAndThen waits like await, and looks once a second: what it looks at is
// much.
func (w *world) awaitNowAndThen(what string, check func() error) {
	w.Helper()
	var looked time.Time
	var seen error
	w.await(what, func() error {
		if time.Since(looked) > time.Second {
			seen, looked = check(), time.Now()
		}
		return seen
	})
}

func (w *world) await(what string, check func() error) {
	w.Helper()
	w.must(stage.Await(w.ctx, what, func(context.Context) error { return check() }))
}
