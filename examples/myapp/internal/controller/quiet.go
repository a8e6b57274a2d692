package controller

import (
	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
)

// quietStep is a step without a condition of its own.
type quietStep struct {
	reconcile.Step[*v1.MyApp]
}

// quiet takes the condition from a step that most apps have no use for, so that
// their status is not full of what they do not have. When such a step is not
// ready, Ready says so, with the step's reason and message.
func quiet(step reconcile.Step[*v1.MyApp]) reconcile.Step[*v1.MyApp] { return quietStep{step} }

// Describe implements [reconcile.Step].
func (s quietStep) Describe() reconcile.Description {
	about := s.Step.Describe()
	about.Condition = ""
	return about
}
