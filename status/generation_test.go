package status

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

type (
	generations     struct{ ObservedGeneration int64 }
	pointerTo       struct{ ObservedGeneration *int64 }
	notANumber      struct{ ObservedGeneration string }
	Shared          struct{ ObservedGeneration int64 }
	embedding       struct{ Shared }
	embeddingTo     struct{ *Shared }
	embeddingHidden struct{ *generations }
	nothing         struct{ Phase string }
)

// object is an object with a status of any type.
type object[S any] struct {
	corev1.ConfigMap
	Status S
}

func observed[S any](look func(S) int64) func(t *testing.T) int64 {
	return func(*testing.T) int64 {
		o := &object[S]{}
		o.SetGeneration(7)
		observedGenerationOf[*object[S]]().set(o)
		return look(o.Status)
	}
}

func TestObservedGenerationIsSetWhereverItIs(t *testing.T) {
	for name, test := range map[string]struct {
		reason string
		got    func(*testing.T) int64
		want   int64
	}{
		"field":             {"an int64", observed(func(s generations) int64 { return s.ObservedGeneration }), 7},
		"pointer":           {"a pointer to one", observed(func(s pointerTo) int64 { return *s.ObservedGeneration }), 7},
		"status is pointer": {"behind a pointer to a status, which is made", observed(func(s *generations) int64 { return s.ObservedGeneration }), 7},
		"both":              {"a pointer behind a pointer", observed(func(s *pointerTo) int64 { return *s.ObservedGeneration }), 7},
		"embedded":          {"in what the status embeds", observed(func(s embedding) int64 { return s.ObservedGeneration }), 7},
		"embedded pointer":  {"in what the status embeds, which is made", observed(func(s embeddingTo) int64 { return s.ObservedGeneration }), 7},
		"embedded and hidden": {"what cannot be made is left", observed(func(s embeddingHidden) int64 {
			if s.generations != nil {
				return -1
			}
			return 0
		}), 0},
		"not a number": {"something else of that name is the author's", observed(func(s notANumber) int64 { return int64(len(s.ObservedGeneration)) }), 0},
		"none":         {"there is none", observed(func(s nothing) int64 { return int64(len(s.Phase)) }), 0},
		"not a struct": {"a status of another kind has none", observed(func(s string) int64 { return int64(len(s)) }), 0},
	} {
		t.Run(name, func(t *testing.T) {
			if got := test.got(t); got != test.want {
				t.Errorf("%s: %d, want %d", test.reason, got, test.want)
			}
		})
	}
	if observedGenerationOf[client.Object]() != nil {
		t.Error("an interface has a field")
	}
}
