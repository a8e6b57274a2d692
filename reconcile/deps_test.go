package reconcile_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// An operator compiles nothing that only tests and examples need, and nothing
// heavy that it does not use.
func TestWhatAnOperatorCompiles(t *testing.T) {
	list := func(packages ...string) []string {
		t.Helper()
		command := exec.CommandContext(t.Context(), "go", append([]string{"list", "-deps"}, packages...)...)
		command.Dir = ".."
		out, err := command.Output()
		if err != nil {
			t.Fatalf("%s: %v", command, err)
		}
		return strings.Fields(string(out))
	}
	given := map[string]bool{}
	for _, path := range list("sigs.k8s.io/controller-runtime", "sigs.k8s.io/controller-runtime/pkg/builder") {
		given[path] = true
	}
	// What the library brings along beside controller-runtime itself.
	allowed := []string{
		"github.com/trueup-dev/trueup/reconcile", "github.com/trueup-dev/trueup/reconcile/internal/merge",
		"github.com/trueup-dev/trueup/resources", "github.com/trueup-dev/trueup/status", "github.com/trueup-dev/trueup/finalizer",
		"github.com/fluxcd/cli-utils/pkg/kstatus/status",
		"k8s.io/apimachinery/pkg/util/resourceversion",
		"k8s.io/client-go/util/csaupgrade",
	}
	for _, path := range list("./reconcile", "./resources", "./status", "./finalizer") {
		// The standard library and the types of built-in kinds are free.
		if given[path] || !strings.Contains(path, ".") || strings.HasPrefix(path, "k8s.io/api/") || strings.HasPrefix(path, "vendor/") {
			continue
		}
		if !slices.Contains(allowed, path) {
			t.Errorf("an operator compiles %s", path)
		}
	}
}
