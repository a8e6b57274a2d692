package resources

import (
	"bytes"
	"encoding/json"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

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
	fields, err := ownedFields(object, entry)
	if err != nil {
		return digest{}, false, err
	}
	var data bytes.Buffer
	data.Write(entry.FieldsV1.GetRawBytes())
	if err := json.NewEncoder(&data).Encode(fields); err != nil {
		return digest{}, false, fmt.Errorf("read what %s owns: %w", manager, err)
	}
	return digestOf(data.Bytes()), true, nil
}
