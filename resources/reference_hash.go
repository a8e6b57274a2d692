package resources

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// hashBytes is how much of a digest is used: enough that two contents in a row
// differ, short enough to be read.
const hashBytes = 8

// contentHash returns a digest of what an object says, of the given keys only if
// there are any.
func contentHash(object client.Object, keys []string) string {
	var content any
	if data, ok := dataOf(object); ok {
		if len(keys) > 0 {
			maps.DeleteFunc(data, func(key string, _ []byte) bool { return !slices.Contains(keys, key) })
		}
		content = data
	} else if fields, err := contentOf(object); err == nil {
		content = fields["spec"]
		if content == nil {
			rest := maps.Clone(fields)
			for _, field := range []string{"apiVersion", "kind", "metadata", "status"} {
				delete(rest, field)
			}
			content = rest
		}
	}
	raw, err := json.Marshal(content) // which sorts keys
	if err != nil {
		raw = []byte(err.Error()) // cannot be: it came as JSON
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:hashBytes])
}

// missingKeys returns, quoted, the keys that a Secret or ConfigMap has not.
func missingKeys(object client.Object, keys []string) []string {
	if len(keys) == 0 {
		return nil
	}
	data, _ := dataOf(object)
	var missing []string
	for _, key := range keys {
		if _, ok := data[key]; !ok {
			missing = append(missing, fmt.Sprintf("key %q", key))
		}
	}
	return missing
}

// hasKeys reports whether an object is of a kind whose content is keys.
func hasKeys(object client.Object) bool {
	switch object := object.(type) {
	case *corev1.Secret, *corev1.ConfigMap:
		return true
	case *unstructured.Unstructured:
		kind := object.GroupVersionKind().GroupKind()
		return kind == schema.GroupKind{Kind: "Secret"} || kind == schema.GroupKind{Kind: "ConfigMap"}
	}
	return false
}

// dataOf returns what a Secret or ConfigMap holds, in a map of the caller's, and
// false for anything else.
func dataOf(object client.Object) (map[string][]byte, bool) {
	switch object := object.(type) {
	case *corev1.Secret:
		data := make(map[string][]byte, len(object.Data))
		maps.Copy(data, object.Data)
		return data, true
	case *corev1.ConfigMap:
		data := make(map[string][]byte, len(object.Data)+len(object.BinaryData))
		maps.Copy(data, object.BinaryData)
		for key, text := range object.Data {
			data[key] = []byte(text)
		}
		return data, true
	case *unstructured.Unstructured:
		if !hasKeys(object) {
			return nil, false
		}
		var typed client.Object = &corev1.Secret{}
		if object.GetKind() == "ConfigMap" {
			typed = &corev1.ConfigMap{}
		}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, typed); err != nil {
			return nil, false
		}
		return dataOf(typed)
	}
	return nil, false
}
