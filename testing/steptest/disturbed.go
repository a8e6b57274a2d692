package steptest

import (
	"net/http"
	"slices"

	"k8s.io/client-go/rest"

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

// refusing returns a configuration through which some requests do not come.
func (b *bench) refusing(config *rest.Config) *rest.Config {
	if len(b.Refuse) == 0 {
		return config
	}
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(sent *http.Request) (*http.Response, error) {
			request, ok := Describe(sent)
			code, refused := b.Refuse[b.told(request).String()]
			if !ok || !refused {
				return next.RoundTrip(sent)
			}
			b.mu.Lock()
			b.refused[b.told(request).String()] = true
			b.mu.Unlock()
			return Refusal(sent, code), nil
		})
	})
	return config
}
