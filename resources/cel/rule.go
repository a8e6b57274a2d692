package cel

import (
	"errors"
	"fmt"

	celgo "github.com/google/cel-go/cel"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/resources"
)

// A Rule says when an object is ready, in CEL, with the object as self.
type Rule struct {
	// Expression is true when the object is ready. Required.
	Expression string

	// Reason is the CamelCase word for an object that is not. Defaults to
	// "NotReady".
	Reason string

	// Message is the sentence for an object that is not. Defaults to one that
	// quotes the expression.
	Message string

	// MessageExpression computes the message, which must not change from pass to
	// pass when nothing else does. Message is used when it has no value for an
	// object. Defaults to none.
	MessageExpression string
}

// Expression returns the test of a [Rule] that has only an expression.
func Expression[C client.Object](expression string) (func(C) resources.Readiness, error) {
	return Test[C](Rule{Expression: expression})
}

// Test returns a test of readiness, for ReadyWhen of a step, which takes the
// error too and reports it at setup with the step's name. The error tells all
// that is wrong with the expressions of the rule, each with its text and the
// place in it: they have to be of the right type as far as can be known without
// an object.
//
// The test goes in this order:
//
//  1. An object whose status.observedGeneration is older than its generation is
//     not ready: what the expression would look at is about another version.
//  2. The object is ready when the expression is true. It is not when it is false,
//     or when it reads what is not there. When it fails otherwise, as by comparing
//     a number with a text or by costing too much, the reason is
//     "ExpressionFailed" and the message says why.
//
// It depends on nothing but the object, does not change it, and is safe for
// concurrent use.
func Test[C client.Object](rule Rule) (func(C) resources.Readiness, error) {
	if rule.Expression == "" {
		return nil, errors.New("the expression is empty")
	}
	expression, fault := compile(rule.Expression, celgo.BoolType)
	var message celgo.Program
	if rule.MessageExpression != "" {
		var err error
		message, err = compile(rule.MessageExpression, celgo.StringType)
		fault = errors.Join(fault, err)
	}
	if fault != nil {
		return nil, fault
	}
	return func(object C) resources.Readiness {
		content, err := contentOf(object)
		if err != nil {
			return resources.Readiness{Reason: "Unreadable", Message: err.Error()}
		}
		observed, found, _ := unstructured.NestedInt64(content, "status", "observedGeneration")
		if found && observed < object.GetGeneration() {
			return resources.Readiness{
				Reason:  "LatestGenerationNotObserved",
				Message: "its controller has not seen its latest generation yet",
			}
		}
		return rule.judge(expression, message, content)
	}, nil
}

// judge evaluates a rule over an object.
func (r Rule) judge(expression, message celgo.Program, content map[string]any) resources.Readiness {
	holds, err := evaluate[bool](expression, content)
	switch {
	case err == nil && holds:
		return resources.Readiness{Ready: true}
	case err != nil && !isMissing(err):
		return resources.Readiness{
			Reason:  "ExpressionFailed",
			Message: fmt.Sprintf("%s: %v", r.Expression, err),
		}
	}
	verdict := resources.Readiness{Reason: r.Reason, Message: r.Message}
	if verdict.Message == "" {
		verdict.Message = "it does not hold yet that " + r.Expression
	}
	if message != nil {
		if text, err := evaluate[string](message, content); err == nil && text != "" {
			verdict.Message = text
		}
	}
	return verdict
}

// contentOf returns an object as it is in JSON, not to be changed.
func contentOf(object client.Object) (map[string]any, error) {
	if content, ok := object.(runtime.Unstructured); ok {
		return content.UnstructuredContent(), nil
	}
	return runtime.DefaultUnstructuredConverter.ToUnstructured(object)
}
