package steptest

import (
	"encoding/json"
	"net/http"
)

// Turn tells a request so that it can be put in an order with others that are sent at
// the same time, for [operator.Options]: first as [Request.String] does, and then, as
// what is created is not named there, by the name of the object and by what is sent. It
// is empty for requests that are not about objects, and for watches, which do not end.
//
// [operator.Options]: https://pkg.go.dev/github.com/trueup-dev/trueup/testing/steptest/operator#Options
func Turn(sent *http.Request) string {
	request, ok := Describe(sent)
	if !ok || request.Verb == "watch" {
		return ""
	}
	content := body(sent)
	object := struct {
		Metadata struct {
			Name string `json:"name"`
		} `json:"metadata"`
	}{}
	_ = json.Unmarshal([]byte(content), &object) // what is no JSON has no name
	return request.String() + "\n" + object.Metadata.Name + "\n" + content
}
