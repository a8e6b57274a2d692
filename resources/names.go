package resources

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/trueup-dev/trueup/reconcile"
)

// shortNames are the kinds whose names the API server wants to be shorter than
// those of others, by apiVersion and kind.
var shortNames = map[string]int{
	"v1/Service":       validation.DNS1123LabelMaxLength,
	"v1/Namespace":     validation.DNS1123LabelMaxLength,
	"batch/v1/Job":     validation.DNS1123LabelMaxLength,
	"batch/v1/CronJob": validation.DNS1123LabelMaxLength - len("-1234567890"),
}

// checkNames refuses, before anything is sent, a name or a label that the API
// server would refuse: they are what most often grows too long, being put
// together of other names.
func (e *engine[T, C]) checkNames(content map[string]any) error {
	metadata, _ := content["metadata"].(map[string]any)
	name, _ := metadata["name"].(string)
	most, ok := shortNames[fmt.Sprintf("%v/%v", content["apiVersion"], content["kind"])]
	if !ok {
		most = validation.DNS1123SubdomainMaxLength
	}
	if len(name) > most {
		return e.refuse("metadata.name has %d characters, more than the %d that the API server accepts", len(name), most)
	}
	if err := e.checkLabels("metadata.labels", metadata["labels"]); err != nil || !e.builtIn {
		return err
	}
	return e.checkBelow("", content)
}

// checkBelow checks the labels of templates and selectors of a built-in kind: in
// others what looks like them may be something else.
func (e *engine[T, C]) checkBelow(path string, content any) error {
	fields, ok := content.(map[string]any)
	if !ok {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		below := strings.TrimPrefix(path+"."+name, ".")
		check := e.checkBelow
		if name == "matchLabels" || strings.HasSuffix(below, "metadata.labels") {
			check = e.checkLabels
		}
		if err := check(below, fields[name]); err != nil {
			return err
		}
	}
	return nil
}

func (e *engine[T, C]) checkLabels(path string, labels any) error {
	fields, _ := labels.(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		value, _ := fields[key].(string)
		if len(value) > validation.LabelValueMaxLength {
			return e.refuse("%s[%s] has %d characters, more than the %d that the API server accepts",
				path, key, len(value), validation.LabelValueMaxLength)
		}
		for _, problem := range validation.IsQualifiedName(key) {
			return e.refuse("%s: the key %q: %s", path, key, problem)
		}
		for _, problem := range validation.IsValidLabelValue(value) {
			return e.refuse("%s[%s]: %s", path, key, problem)
		}
	}
	return nil
}

// refuse says what is wrong with what the author's function built.
func (e *engine[T, C]) refuse(format string, args ...any) error {
	return reconcile.WithReason(reasonInvalid, reconcile.Terminal(
		fmt.Errorf("build: %w", fmt.Errorf(format, args...))))
}
