package main

import (
	"net/http"
	"strings"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
)

// dryRun returns a configuration whose clients write nothing: each write is sent
// such that the API server only tries it, and is logged with its answer. It is at
// the bottom of every client, so that events and whatever a library sends do not
// get through either.
//
// One pass over each object shows what the operator would do first. What it would
// do after that depends on what is there then, and is not there.
func dryRun(config *rest.Config, log logr.Logger) *rest.Config {
	config = rest.CopyConfig(config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return &rehearsal{next, log} })
	return config
}

// withoutWebhooks leaves the webhooks out, as those of a dry run would be called in
// earnest. Nobody could trust them either: a certificate that is only tried is not kept.
func (o *options) withoutWebhooks(log logr.Logger) {
	if o.webhooks {
		log.Info("webhooks are not served in a dry run")
	}
	o.webhooks = false
}

type rehearsal struct {
	next http.RoundTripper
	log  logr.Logger
}

// RoundTrip implements [http.RoundTripper].
func (r *rehearsal) RoundTrip(request *http.Request) (*http.Response, error) {
	if !writes(request) {
		return r.next.RoundTrip(request)
	}
	request = request.Clone(request.Context())
	query := request.URL.Query()
	query.Set("dryRun", "All")
	request.URL.RawQuery = query.Encode()
	answer, err := r.next.RoundTrip(request)
	if err != nil {
		return answer, err
	}
	r.log.Info("would write", "method", request.Method, "path", request.URL.Path, "answer", answer.Status)
	return answer, nil
}

// writes reports whether a request changes what is stored. Reviews are only
// questions, and are not answered in a dry run.
func writes(request *http.Request) bool {
	switch request.Method {
	case http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
		return !strings.HasSuffix(request.URL.Path, "reviews")
	}
	return false
}
