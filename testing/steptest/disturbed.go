package steptest

import (
	"net/http"
	"slices"
	"testing"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/trueup-dev/trueup/testing/steptest/memory"
	"github.com/trueup-dev/trueup/testing/steptest/operator"
)

// source returns where the cache hears of objects.
func (c Case) source(t *testing.T, server *memory.Server) operator.Source {
	t.Helper()
	hiding := hiding{Server: server, upTo: server.Revision()}
	for _, object := range c.Unseen {
		gvk, err := apiutil.GVKForObject(object, c.Kinds.Scheme())
		if err != nil {
			t.Fatal(err)
		}
		hiding.kinds = append(hiding.kinds, gvk.Kind)
	}
	return hiding
}

// hiding is a server that does not tell of some kinds what was given.
type hiding struct {
	*memory.Server
	kinds []string
	upTo  uint64
}

func (h hiding) Since(revision uint64) []memory.Event {
	return slices.DeleteFunc(slices.Clone(h.Server.Since(revision)), func(event memory.Event) bool {
		return event.Revision <= h.upTo && slices.Contains(h.kinds, event.Object.GetKind())
	})
}

// refusing returns a configuration through which some requests do not come.
func (c Case) refusing(config *rest.Config) *rest.Config {
	if len(c.Refuse) == 0 {
		return config
	}
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(sent *http.Request) (*http.Response, error) {
			request, ok := Describe(sent)
			code, refused := c.Refuse[request.String()]
			if !ok || !refused {
				return next.RoundTrip(sent)
			}
			return Refusal(sent, code), nil
		})
	})
	return config
}
