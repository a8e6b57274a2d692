package cel

import (
	"fmt"
	"strings"
	"sync"

	celgo "github.com/google/cel-go/cel"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/cel/environment"
)

// language returns the language of Kubernetes' own rules, in which self may be
// anything.
var language = sync.OnceValues(func() (*celgo.Env, error) {
	base := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion())
	extended, err := base.Extend(environment.VersionedOptions{
		IntroducedVersion: version.MajorMinor(1, 0),
		EnvOptions:        []celgo.EnvOption{celgo.Variable("self", celgo.DynType)},
	})
	if err != nil {
		return nil, err
	}
	return extended.NewExpressionsEnv(), nil
})

// compile checks an expression, whose value must be of the type given if its
// type can be known.
func compile(expression string, want *celgo.Type) (celgo.Program, error) {
	env, err := language()
	if err != nil {
		return nil, fmt.Errorf("CEL: %w", err)
	}
	tree, issues := env.Compile(expression)
	if issues.Err() != nil {
		return nil, fmt.Errorf("expression %q: %w", expression, issues.Err())
	}
	if got := tree.OutputType(); !got.IsExactType(want) && !got.IsExactType(celgo.DynType) {
		return nil, fmt.Errorf("expression %q: is of type %s, not %s", expression, got, want)
	}
	program, err := env.Program(tree)
	if err != nil {
		return nil, fmt.Errorf("expression %q: %w", expression, err)
	}
	return program, nil
}

// evaluate returns the value of an expression over an object.
func evaluate[V any](program celgo.Program, content map[string]any) (V, error) {
	var none V
	got, _, err := program.Eval(map[string]any{"self": content})
	if err != nil {
		return none, err
	}
	value, ok := got.Value().(V)
	if !ok {
		return none, fmt.Errorf("is of type %s, not %T", got.Type().TypeName(), none)
	}
	return value, nil
}

// isMissing reports whether an evaluation ended because it read what is not
// there: a field or a key, or an item beyond the end of a list. cel-go 0.29 has
// only words for it.
func isMissing(err error) bool {
	text := err.Error()
	return strings.Contains(text, "no such key") || strings.Contains(text, "index out of bounds")
}
