package faults

import (
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/trueup-dev/trueup/testing/steptest/memory"
)

// picture returns what there is at the end of a run, without what differs between any
// two.
func (r *run) picture() (map[string]string, error) {
	picture, err := memory.Picture(r.world.All(), r.sweep.Ignore)
	if err != nil || r.subject.Outside == nil {
		return picture, err
	}
	data, err := yaml.Marshal(r.subject.Outside())
	picture["outside"] = strings.ReplaceAll(string(data), r.namespace, "NAMESPACE")
	return picture, err
}

// differing returns which objects two pictures do not have in common.
func differing(a, b map[string]string) []string {
	var names []string
	for name, text := range a {
		if other, ok := b[name]; !ok {
			names = append(names, name+" is missing")
		} else if other != text {
			names = append(names, name+" differs")
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			names = append(names, name+" is left")
		}
	}
	slices.Sort(names)
	return names
}
