package v2

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/randfill"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
)

// rounds is how many random objects go around.
const rounds = 2000

// FuzzRoundTrip makes MyApps of random content, in either version, and takes them
// to the other and back. A field that is new in one of the versions, and that the
// conversion does not know of, fails it.
func FuzzRoundTrip(f *testing.F) {
	for seed := range int64(20) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed int64) {
		filler := randfill.NewWithSeed(seed).NilChance(0.3).NumElements(0, 3)
		for range rounds / 20 {
			stored := &v1.MyApp{}
			fill(filler, &stored.ObjectMeta, &stored.Spec, &stored.Status)
			between, back := &MyApp{}, &v1.MyApp{}
			convert(t, FromV1(t.Context(), stored, between), ToV1(t.Context(), between, back))
			if diff := cmp.Diff(stored, back); diff != "" {
				t.Fatalf("v1 by way of v2 (-before +after):\n%s", diff)
			}

			newer := &MyApp{}
			fill(filler, &newer.ObjectMeta, &newer.Spec, &newer.Status)
			across, again := &v1.MyApp{}, &MyApp{}
			convert(t, ToV1(t.Context(), newer, across), FromV1(t.Context(), across, again))
			if diff := cmp.Diff(newer, again); diff != "" {
				t.Fatalf("v2 by way of v1 (-before +after):\n%s", diff)
			}
		}
	})
}

func fill(filler *randfill.Filler, parts ...any) {
	for _, part := range parts {
		filler.Fill(part)
	}
}

func convert(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// What is written over is written over as a whole.
func TestConversionForgetsWhatWasThere(t *testing.T) {
	full := &v1.MyApp{}
	filler := randfill.NewWithSeed(1).NilChance(0)
	fill(filler, &full.ObjectMeta, &full.Spec, &full.Status)
	if err := ToV1(t.Context(), &MyApp{}, full); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(full, &v1.MyApp{}) {
		t.Errorf("left over: %+v", full)
	}
}
