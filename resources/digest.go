package resources

import (
	"crypto/sha256"
	"reflect"
	"strings"
	"sync"
)

// digest is the first half of a SHA-256: enough that two contents in a row are
// not taken for the same, and half the memory.
type digest [sha256.Size / 2]byte

func digestOf(data []byte) digest {
	sum := sha256.Sum256(data)
	return digest(sum[:len(digest{})])
}

// hash returns a digest of what an author built: the same for equal children, in
// every pass. It is what a pass over a converged child spends most of its time on.
func (e *engine[T, C]) hash(desired C) (digest, error) {
	if message, ok := any(desired).(protobuf); ok && e.builtIn {
		return digestOfProtobuf(message)
	}
	data, err := e.marshal(desired)
	if err != nil {
		return digest{}, err
	}
	return digestOf(data), nil
}

// protobuf is what the generated code of the built-in kinds can do. Their
// protobuf form has everything but the kind, with the keys of maps in order, and
// takes a small part of the time of JSON.
type protobuf interface {
	Size() int
	MarshalToSizedBuffer(data []byte) (int, error)
}

// isBuiltIn reports whether a type is of Kubernetes' own API. Other types may
// have methods of these names that put maps in any order.
func isBuiltIn(object reflect.Type) bool {
	return strings.HasPrefix(object.PkgPath(), "k8s.io/api/")
}

// buffers are for messages that only live as long as it takes to hash them.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

func digestOfProtobuf(message protobuf) (digest, error) {
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	size := message.Size()
	if cap(*buffer) < size {
		*buffer = make([]byte, size)
	}
	data := (*buffer)[:size]
	n, err := message.MarshalToSizedBuffer(data)
	if err != nil {
		return digest{}, err
	}
	return digestOf(data[size-n:]), nil
}
