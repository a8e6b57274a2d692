package steptest

import (
	"net/http"
	"sync"
	"testing"
	"time"

	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/steptest/memory"
)

var served = sync.OnceValues(func() (*memory.Kinds, error) { return memory.NewKinds(clientgoscheme.Scheme) })

var done = map[string]string{"Mirrored": "True Done"}

// calm is what is wanted of a pass that has nothing to do.
var calm = Want{After: time.Hour}

// cases are what a Case can do.
var cases = map[string]Case{
	"first pass": {
		Given: []client.Object{unseen(saying("hello"))},
		Want: Want{
			Writes: []string{"create configmaps demo", "patch services/status demo/web"},
			Events: []string{"Normal Made: made demo/web"}, Conditions: done, After: time.Hour,
			Objects: []client.Object{owned(said("hello"))},
			Golden:  "testdata/mirror.yaml",
		},
	},
	"what is given, with its owner": {
		Given: []client.Object{saying("hello"), owned(said("hello"))},
		Want:  Want{Conditions: done, After: time.Hour, Golden: "testdata/mirror.yaml"},
	},
	"a request that fails": {
		Given:  []client.Object{saying("hello")},
		Refuse: map[string]int{"create configmaps demo": http.StatusInternalServerError},
		Want: Want{
			Writes: []string{"create configmaps demo refused: Internal Server Error"},
			Error:  "refused by the test",
		},
	},
	"a request that fails once": {
		Given: []client.Object{unseen(saying("hello"))},
		Fail:  []Failure{{Request: "create configmaps demo", Code: http.StatusInternalServerError}},
		Want: Want{
			Writes: []string{"create configmaps demo refused: Internal Server Error"},
			Error:  "refused by the test",
		},
		Then: []Next{{Wait: time.Second, Want: Want{
			Writes: []string{"create configmaps demo", "patch services/status demo/web"},
			Events: []string{"Normal Made: made demo/web"}, Conditions: done, After: time.Hour,
		}}},
	},
	"a request that fails twice, later": {
		Given: []client.Object{saying("hello"), owned(said("hello"))},
		Want:  calm,
		Then: []Next{
			{
				Do:   say("good bye"),
				Fail: []Failure{{Request: "update configmaps demo/web", Code: http.StatusInternalServerError, Times: 2}},
				Want: Want{Writes: []string{"update configmaps demo/web refused: Internal Server Error"}, Error: "refused by the test"},
			},
			{Wait: time.Second, Want: Want{Writes: []string{"update configmaps demo/web refused: Internal Server Error"}, Error: "refused by the test"}},
			{Wait: time.Second, Want: Want{Writes: []string{"update configmaps demo/web"}, After: time.Hour}},
		},
	},
	"an answer that is lost": {
		Given: []client.Object{saying("hello")},
		Fail:  []Failure{{Request: "create configmaps demo", Lost: true}},
		Want: Want{
			Writes: []string{"create configmaps demo"}, Error: "unexpected EOF",
			Objects: []client.Object{owned(said("hello"))},
		},
		Then: []Next{{Wait: time.Second, Want: calm}},
	},
	"an answer that takes too long": {
		Given: []client.Object{saying("hello")},
		Fail:  []Failure{{Request: "create configmaps demo", Timeout: true}},
		Want: Want{
			Writes: []string{"create configmaps demo refused: Gateway Timeout"}, Error: "in the time allotted",
			Objects: []client.Object{owned(said("hello"))},
		},
		Then: []Next{{Wait: time.Second, Want: calm}},
	},
	"a cache that does not show what was made": {
		Given: []client.Object{saying("hello")},
		Want:  Want{Writes: []string{"create configmaps demo"}, Events: []string{"Normal Made: made demo/web"}, After: time.Hour},
		Then: []Next{
			{Behind: []client.Object{said("")}, Want: Want{
				Writes: []string{"create configmaps demo refused: Conflict"}, Error: "already exists",
			}},
			{Wait: time.Second, Want: calm},
		},
	},
	"a read that is stale: the child": {
		Given: []client.Object{saying("good bye"), owned(said("good day"))},
		Stale: []client.Object{owned(said("hello"))},
		Want:  Want{Writes: []string{"update configmaps demo/web refused: Conflict"}, Error: "the object has been modified"},
		Then:  []Next{{Wait: time.Second, Want: Want{Writes: []string{"update configmaps demo/web"}, After: time.Hour}}},
	},
	"a read that is stale: the owner": {
		Given: []client.Object{saying("good bye"), owned(said("good bye"))},
		Stale: []client.Object{saying("hello")},
		Want:  Want{Writes: []string{"update configmaps demo/web"}, After: time.Hour, Restless: true},
		Then:  []Next{{Want: Want{Writes: []string{"update configmaps demo/web"}, After: time.Hour}}},
	},
	"a read that is stale: what is gone": {
		Given: []client.Object{saying("hello")},
		Stale: []client.Object{owned(said("hello"))},
		Want:  Want{Gone: []client.Object{said("")}, After: time.Hour, Restless: true},
		Then: []Next{{Want: Want{
			Writes: []string{"create configmaps demo"}, Events: []string{"Normal Made: made demo/web"}, After: time.Hour,
		}}},
	},
	"what is being deleted": {
		Given: []client.Object{dying(held(saying("hello")))},
		Want:  Want{Writes: []string{"patch services demo/web"}, Gone: []client.Object{saying("")}},
	},
	"a read that is stale: what is being deleted": {
		Given: []client.Object{dying(held(saying("hello"))), owned(said("hello"))},
		Stale: []client.Object{held(saying("hello"))},
		Want:  Want{After: time.Hour, Restless: true},
		Then:  []Next{{Want: Want{Writes: []string{"patch services demo/web"}, After: time.Hour, Gone: []client.Object{saying("")}}}},
	},
	"what the cache does not show": {
		Given:  []client.Object{saying("hello"), owned(said("hello"))},
		Unseen: []client.Object{said("")},
		Want:   Want{Writes: []string{"create configmaps demo refused: Conflict"}, Error: "already exists"},
	},
	"what a user does, and time that goes by": {
		Given: []client.Object{saying("hello"), owned(said("hello"))},
		Want:  calm,
		Then: []Next{
			{Do: say("good bye"), Want: Want{Writes: []string{"update configmaps demo/web"}, After: time.Hour}},
			{Wait: time.Hour - time.Second, Idle: true, Want: Want{After: time.Second}},
			{Wait: time.Second, Want: calm},
		},
	},
}

// The same cases hold in memory and on a real API server, for a reconciler that is
// written by hand.
func TestCases(t *testing.T) {
	kinds, err := served()
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range cases {
		test.Kinds, test.Setup, test.Reason = kinds, mirror{}.setup, name
		t.Run(name, func(t *testing.T) {
			t.Run("in memory", test.Run)
			t.Run("on a cluster", func(t *testing.T) {
				shared := cluster.Shared(t)
				test.RunOn(t, shared.Config(), shared.Namespace(t))
			})
		})
	}
}

// The clock is where the test has put it.
func TestTimeOfACase(t *testing.T) {
	kinds, err := served()
	if err != nil {
		t.Fatal(err)
	}
	given := said("hello")
	given.Data["at"] = "2000-01-01T00:00:00Z"
	Case{
		Kinds: kinds, Setup: mirror{dated: true}.setup, Given: []client.Object{saying("hello"), owned(given)}, Want: calm,
		Then: []Next{{Wait: time.Hour, Want: Want{Writes: []string{"update configmaps demo/web"}, After: time.Hour}}},
	}.Run(t)
}
