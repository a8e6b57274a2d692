package steptest

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Refusal returns the answer of an API server that refuses a request with a code of
// HTTP, for transports that stand in for one.
func Refusal(sent *http.Request, code int) *http.Response {
	request, _ := Describe(sent)
	resource := schema.GroupResource{Group: request.Group, Resource: request.Resource}
	status := apierrors.NewGenericServerResponse(code, request.Verb, resource, request.Name, "refused by the test", 0, false).Status()
	if code == http.StatusConflict && request.Verb != "create" {
		status.Reason = metav1.StatusReasonConflict
	}
	status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	body, err := json.Marshal(status)
	if err != nil {
		panic(err) // a Status can always be encoded
	}
	return &http.Response{
		StatusCode: code, Status: http.StatusText(code), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(string(body))),
		ContentLength: int64(len(body)), Request: sent,
	}
}
