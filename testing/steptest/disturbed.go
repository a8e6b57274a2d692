package steptest

import (
	"net/http"
	"slices"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/testing/steptest/memory"
	"github.com/trueup-dev/trueup/testing/steptest/operator"
)

// source returns where the cache hears of objects.
func (b *bench) source() operator.Source {
	b.t.Helper()
	hiding := hiding{Source: b.ground, upTo: b.ground.Revision()}
	for _, object := range b.Unseen {
		hiding.kinds = append(hiding.kinds, b.kind(object).Kind)
	}
	return hiding
}

// hiding is a source that does not tell of some kinds what was given.
type hiding struct {
	operator.Source
	kinds []string
	upTo  uint64
}

func (h hiding) Since(revision uint64) []memory.Event {
	return slices.DeleteFunc(slices.Clone(h.Source.Since(revision)), func(event memory.Event) bool {
		return event.Revision <= h.upTo && slices.Contains(h.kinds, event.Object.GetKind())
	})
}

// refusing returns a configuration through which some requests do not come as they should.
func (b *bench) refusing(config *rest.Config) *rest.Config {
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(sent *http.Request) (*http.Response, error) {
			request, ok := Describe(sent)
			if !ok {
				return next.RoundTrip(sent)
			}
			return b.failure(b.told(request).String()).send(sent, next)
		})
	})
	return config
}

// behind keeps the cache where it is before the pass that comes next.
func (b *bench) behind(objects []client.Object) {
	b.t.Helper()
	for _, object := range objects {
		b.operator.Cache().Hold(b.kind(object), -1)
	}
}

// release has the cache show what it was kept from, and tells if it was kept from nothing.
func (b *bench) release(objects []client.Object) {
	b.t.Helper()
	for _, object := range objects {
		if !b.operator.Cache().Relist(b.kind(object)) {
			b.fault("Behind has a %s, and none was changed since the pass before", b.kind(object).Kind)
		}
	}
}
