package cel_test

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/trueup-dev/trueup/resources/cel"
)

// A database is ready when it runs, and says in its own words what it does else.
func ExampleTest() {
	ready, err := cel.Test[*unstructured.Unstructured](cel.Rule{
		Expression:        "self.status.phase == 'Running'",
		Reason:            "DatabaseNotRunning",
		MessageExpression: "'the database is ' + self.status.phase.lowerAscii()",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	database := &unstructured.Unstructured{Object: map[string]any{
		"status": map[string]any{"phase": "Restoring"},
	}}
	verdict := ready(database)
	fmt.Println(verdict.Ready, verdict.Reason, verdict.Message)
	// Output: false DatabaseNotRunning the database is restoring
}
