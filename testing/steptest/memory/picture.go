package memory

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"
)

// Picture returns objects in YAML by kind and name, without what differs between any
// two clusters in which the same has happened: UIDs, versions, managedFields, times,
// namespaces, names that the server draws, and how often something was changed to be
// so. ignore takes out more; nil takes out nothing.
func Picture(objects []*unstructured.Unstructured, ignore func(*unstructured.Unstructured)) (map[string]string, error) {
	names := map[types.UID]string{}
	numbered := map[string]int{}
	var drawn []string
	for _, object := range objects {
		if prefix := object.GetGenerateName(); prefix != "" {
			numbered[prefix]++
			drawn = append(drawn, object.GetName(), fmt.Sprintf("%s#%d", prefix, numbered[prefix]))
		}
		names[object.GetUID()] = object.GetKind() + " " + object.GetName()
	}
	same := strings.NewReplacer(drawn...).Replace
	picture := map[string]string{}
	for _, object := range objects {
		object = object.DeepCopy()
		plain(object, names)
		if ignore != nil {
			ignore(object)
		}
		data, err := yaml.Marshal(object.Object)
		if err != nil {
			return nil, err
		}
		picture[same(object.GetKind()+" "+object.GetName())] = same(string(data))
	}
	return picture, nil
}

// plain takes out of an object what differs between any two runs.
func plain(object *unstructured.Unstructured, names map[types.UID]string) {
	generation := object.GetGeneration()
	object.SetUID("")
	object.SetResourceVersion("")
	object.SetGeneration(0)
	object.SetCreationTimestamp(metav1.Time{})
	object.SetManagedFields(nil)
	object.SetNamespace("")
	owners := object.GetOwnerReferences()
	for i := range owners {
		name, ok := names[owners[i].UID]
		if !ok {
			name = "nobody"
		}
		owners[i].UID = types.UID(name)
	}
	if len(owners) > 0 {
		object.SetOwnerReferences(owners)
	}
	if status, ok := object.Object["status"]; ok {
		object.Object["status"] = timeless(status, generation)
	}
}

// timeless takes times out of a status, and tells generations as whether they are the
// object's.
func timeless(value any, generation int64) any {
	switch value := value.(type) {
	case map[string]any:
		for name, field := range value {
			switch name {
			case "lastTransitionTime", "lastUpdateTime", "lastHeartbeatTime", "lastProbeTime":
				delete(value, name)
			case "observedGeneration":
				if observed, ok := field.(int64); ok {
					value[name] = fmt.Sprintf("current: %t", observed == generation)
				}
			default:
				value[name] = timeless(field, generation)
			}
		}
	case []any:
		for i := range value {
			value[i] = timeless(value[i], generation)
		}
	}
	return value
}
