package resources

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// digest is a SHA-256.
type digest = [sha256.Size]byte

// projection is a digest of what a field manager owns of an object: which fields
// it owns by its own entry in managedFields, and the values that they have, in
// the order in which the object has them. Two versions of an object that have
// the same projection are the same as far as the manager is concerned.
//
// The entry alone does not tell. On kube-apiserver 1.37 it stays the same, byte
// for byte, while an owned field changes when a mutating admission policy acts
// on somebody else's write, when the items of a list are reordered, when the
// manager writes twice within a second, when fields are pruned after a change of
// a CRD, and for a Secret's stringData.
//
// It returns false if the manager has no such entry: it has never applied, or
// the cache drops managedFields.
func projection(object client.Object, manager string) (digest, bool, error) {
	entry := ownEntry(object, manager)
	if entry == nil {
		return digest{}, false, nil
	}
	fields := entry.FieldsV1.GetRawBytes()
	set := &fieldpath.Set{}
	if err := set.FromJSON(bytes.NewReader(fields)); err != nil {
		return digest{}, false, fmt.Errorf("read managedFields of %s: %w", manager, err)
	}
	content, err := contentOf(object)
	if err != nil {
		return digest{}, false, err
	}
	p := projector{Hash: sha256.New()}
	p.bytes(fields)
	p.project(set, content)
	return digest(p.Sum(nil)), true, p.err
}

// ownEntry returns what a manager owns through apply, not counting
// subresources.
func ownEntry(object client.Object, manager string) *metav1.ManagedFieldsEntry {
	entries := object.GetManagedFields()
	for i := range entries {
		entry := &entries[i]
		if entry.Manager == manager && entry.Operation == metav1.ManagedFieldsOperationApply &&
			entry.Subresource == "" && entry.FieldsV1 != nil {
			return entry
		}
	}
	return nil
}

// contentOf returns an object as it is in JSON, not to be changed.
func contentOf(object client.Object) (map[string]any, error) {
	if content, ok := object.(runtime.Unstructured); ok {
		return content.UnstructuredContent(), nil
	}
	return runtime.DefaultUnstructuredConverter.ToUnstructured(object)
}

// projector writes the part of a value that a set of fields selects into a hash.
type projector struct {
	hash.Hash
	err error
}

func (p *projector) bytes(data []byte) {
	_, _ = fmt.Fprintf(p, "%d:", len(data))
	_, _ = p.Write(data)
}

func (p *projector) project(set *fieldpath.Set, content any) {
	switch content := content.(type) {
	case map[string]any:
		for element := range set.Members.All() {
			if _, nested := set.Children.Get(element); !nested && element.FieldName != nil {
				field, ok := content[*element.FieldName]
				p.leaf(element, field, ok)
			}
		}
		for element := range set.Children.All() {
			below, _ := set.Children.Get(element)
			if element.FieldName != nil {
				field, ok := content[*element.FieldName]
				p.branch(element, below, field, ok)
			}
		}
	case []any:
		for i, item := range content {
			p.item(set, i, item)
		}
	}
}

// item writes an item of a list if the set selects it, so that the items come in
// the order of the list.
func (p *projector) item(set *fieldpath.Set, index int, item any) {
	for element := range set.Members.All() {
		if _, nested := set.Children.Get(element); !nested && selects(element, index, item) {
			// Of an item that is known by its key only its presence is owned.
			p.leaf(element, item, element.Key == nil)
		}
	}
	for element := range set.Children.All() {
		if selects(element, index, item) {
			below, _ := set.Children.Get(element)
			p.branch(element, below, item, true)
		}
	}
}

// leaf writes a value that is owned as a whole, or that there is none.
func (p *projector) leaf(element fieldpath.PathElement, content any, present bool) {
	p.bytes([]byte(element.String()))
	if !present {
		p.bytes([]byte("-"))
		return
	}
	data, err := json.Marshal(content)
	if err != nil {
		p.err = err
	}
	p.bytes(data)
}

// branch writes the owned part of a value.
func (p *projector) branch(element fieldpath.PathElement, below *fieldpath.Set, content any, present bool) {
	p.bytes([]byte(element.String()))
	if !present {
		p.bytes([]byte("-"))
		return
	}
	p.bytes([]byte("{"))
	p.project(below, content)
	p.bytes([]byte("}"))
}

// selects reports whether a path element stands for an item of a list.
func selects(element fieldpath.PathElement, index int, item any) bool {
	switch {
	case element.Index != nil:
		return *element.Index == index
	case element.Value != nil:
		return value.Equals(*element.Value, value.NewValueInterface(item))
	case element.Key != nil:
		fields, ok := item.(map[string]any)
		if !ok {
			return false
		}
		for _, key := range *element.Key {
			field, ok := fields[key.Name]
			if !ok || !value.Equals(key.Value, value.NewValueInterface(field)) {
				return false
			}
		}
		return true
	}
	return false
}
