package resources_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
)

func TestReferenceWakesItsOwners(t *testing.T) {
	r := newRollout(t)
	one, two, other := r.app("one", "creds"), r.app("two", "creds"), r.app("other", "else")
	for _, app := range []*v1.MyApp{one, two, other} {
		r.says(app, "NotFound")
	}
	// It is created later.
	secret := r.secret("creds")
	r.create(secret)
	first, _ := r.rolledOut(one, "")
	if same, _ := r.rolledOut(two, ""); same != first {
		t.Errorf("two objects have the hashes %s and %s of one Secret", first, same)
	}
	r.says(one, "Ready")
	r.says(two, "Ready")
	r.idle(one, two, other)
	r.writes()

	// Its labels change: those who refer to it look, and nothing is sent.
	undisturbed := r.passesOver(other)
	r.woken(func() {
		secret.Labels = map[string]string{"a": "b"}
		r.update(secret)
	}, one, two)
	r.wrote("a label of the Secret")
	if got := r.passesOver(other); got != undisturbed {
		t.Errorf("an object that does not refer to it was woken %d times", got-undisturbed)
	}

	// Its content changes: one rollout for each.
	secret.Data["password"] = []byte("b")
	r.update(secret)
	second, generation := r.rolledOut(one, first)
	if generation != 2 {
		t.Errorf("the Deployment is at generation %d, want one rollout", generation)
	}
	if same, _ := r.rolledOut(two, first); same != second {
		t.Errorf("two objects have the hashes %s and %s of one Secret", second, same)
	}
	r.idle(one, two)
	got := r.writes()
	for i, write := range got {
		got[i] = strings.TrimPrefix(write, "patch deployments ")
	}
	if len(got) == 2 && got[0] > got[1] {
		got[0], got[1] = got[1], got[0]
	}
	if diff := cmp.Diff([]string{"one", "two"}, got); diff != "" {
		t.Errorf("a changed Secret: writes (-want +got):\n%s", diff)
	}

	// One of them turns to another Secret.
	better := r.secret("better")
	better.Data["password"] = []byte("c")
	r.create(better)
	r.get(one)
	one.Annotations["secret"] = "better"
	r.update(one)
	third, _ := r.rolledOut(one, second)
	r.idle(one, two)
	r.writes()
	r.woken(func() {
		secret.Labels = nil
		r.update(secret)
	}, two)
	r.woken(func() {
		better.Data["password"] = []byte("d")
		r.update(better)
	}, one)
	if fourth, _ := r.rolledOut(one, third); fourth == second {
		t.Error("it still has the hash of the Secret that it has turned from")
	}

	// It is deleted: who still refers to it waits, and leaves what it made.
	if err := r.User.Delete(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	r.says(two, "NotFound")
	r.says(one, "Ready")
	if hash, _ := r.rolledOut(two, ""); hash != second {
		t.Errorf("the Deployment was changed when the Secret went: hash %s, was %s", hash, second)
	}

	// Deletion does not wait for it.
	if err := r.User.Delete(t.Context(), two); err != nil {
		t.Fatal(err)
	}
	r.eventually("it is gone", func(ctx context.Context) bool {
		return apierrors.IsNotFound(r.User.Get(ctx, client.ObjectKeyFromObject(two), &v1.MyApp{}))
	})
}
