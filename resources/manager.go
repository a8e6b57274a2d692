package resources

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/types"

	"github.com/trueup-dev/trueup/reconcile"
)

// maxFieldManager is how long the API server lets the name of a field manager be
// (k8s.io/apimachinery, FieldManagerMaxLength).
const maxFieldManager = 128

// FieldManager gives the step a field manager of its own, instead of the
// pipeline's. Two steps, of one pipeline or of several, that hold parts of one
// object need different ones: what one of them applied and the other does not
// would be removed by the other. One of the two, the one without [Child.Share],
// holds the object's life: it makes, owns and deletes it.
//
// The name must stay the same over the versions of an operator, and other than
// that of every other step that may hold the same object, which is checked in
// each pass for the steps of a pipeline. It has up to 128 printable characters.
// Defaults to the pipeline's.
func (c *Child[T, C]) FieldManager(name string) *Child[T, C] {
	c.err = errors.Join(c.err, c.engine.setManager(name))
	return c
}

// FieldManager gives the step a field manager of its own, as
// [Child.FieldManager].
func (s *Set[T, C]) FieldManager(name string) *Set[T, C] {
	s.err = errors.Join(s.err, s.engine.setManager(name))
	return s
}

func (e *engine[T, C]) setManager(name string) error {
	switch {
	case name == "":
		return errors.New("FieldManager: the name is empty")
	case len(name) > maxFieldManager:
		return fmt.Errorf("FieldManager: the name has %d characters, more than the %d that the API server accepts",
			len(name), maxFieldManager)
	case strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }):
		return fmt.Errorf("FieldManager: the name %q has characters that are not printable", name)
	}
	e.fieldManager = name
	return nil
}

// manager returns the field manager under which the step applies: that of the
// step, else of the pipeline, and for what owners share one for each owner, or
// they would take each other's fields away.
func (e *engine[T, C]) manager(run *reconcile.Run[T]) string {
	name := e.fieldManager
	if name == "" {
		name = run.FieldManager()
	}
	if !e.shared {
		return name
	}
	return sharedManager(name, run.Object().GetUID())
}

// shareSuffix is how long the part of a shared manager is that stands for the
// owner: a dash and the beginning of a hash.
const shareSuffix = 1 + 10

// sharedManager returns the field manager of one owner among those that share an
// object: no longer than the API server accepts, and stable.
func sharedManager(name string, owner types.UID) string {
	return stem(name) + "-" + shortHash(name, string(owner))
}

// stem is the part of a shared manager that all owners have in common.
func stem(name string) string {
	return strings.ToValidUTF8(name[:min(len(name), maxFieldManager-shareSuffix)], "")
}

// shortHash returns ten hexadecimal digits that stand for some words.
func shortHash(words ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(words, "/")))
	return hex.EncodeToString(sum[:])[:shareSuffix-1]
}

// isManagerOf reports whether a field manager is one of the given, or that of an
// owner which shares objects under one of them.
func isManagerOf(manager string, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		if manager == name {
			return true
		}
		hash, ok := strings.CutPrefix(manager, stem(name)+"-")
		return ok && len(hash) == shareSuffix-1 && strings.Trim(hash, "0123456789abcdef") == ""
	})
}
