package steptest

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/trueup-dev/trueup/testing/steptest/memory"
)

var update = flag.Bool("steptest.update", false, "write golden files instead of comparing with them")

// addresses are those that the API server gives to Services.
var addresses = regexp.MustCompile(`(?m)^  clusterIP: .*\n|^  clusterIPs:\n(  - .*\n)+`)

// golden compares the objects with a file, or writes it.
func (b *bench) golden(file string) {
	b.t.Helper()
	picture, err := memory.Picture(b.ground.All(), nil)
	if err != nil {
		b.t.Fatal(err)
	}
	texts := make([]string, 0, len(picture))
	for _, name := range slices.Sorted(maps.Keys(picture)) {
		texts = append(texts, picture[name])
	}
	got := strings.ReplaceAll(strings.Join(texts, "---\n"), b.namespace, given)
	if *update && !b.real {
		if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
			b.t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			b.t.Fatal(err)
		}
		return
	}
	content, err := os.ReadFile(file)
	if err != nil {
		b.t.Fatalf("%s: %v; -steptest.update writes it", b.Reason, err)
	}
	want := string(content)
	if b.real {
		want, got = addresses.ReplaceAllString(want, ""), addresses.ReplaceAllString(got, "")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		b.fault("objects (-%s +got):\n%s", file, diff)
	}
}
