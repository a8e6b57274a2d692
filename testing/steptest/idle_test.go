package steptest

import (
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// What has no effect in a case is told: the case would pass without it.
func TestCasesTellWhatHasNoEffect(t *testing.T) {
	kinds, err := served()
	if err != nil {
		t.Fatal(err)
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "web"}}
	cases := map[string]struct {
		change func(*Case)
		want   string // how what is wrong begins
	}{
		"nothing is given": {func(c *Case) { c.Given, c.Want = nil, Want{} }, "there is no pass: nothing that is given wakes a controller"},
		"nothing wakes it": {func(c *Case) { c.Given, c.Want = []client.Object{secret}, Want{} }, "there is no pass: nothing that is given wakes a controller"},
		"a refusal": {
			func(c *Case) { c.Refuse = map[string]int{"create configmap demo": http.StatusForbidden} },
			`Refuse "create configmap demo": no such request was sent`,
		},
		"a failure that comes once only": {
			func(c *Case) {
				c.Want.Writes, c.Want.Events, c.Want.Error, c.Want.After = []string{"create configmaps demo"}, nil, "EOF", 0
				c.Fail = []Failure{{Request: "create configmaps demo", Lost: true, Times: 2}}
			},
			`Fail "create configmaps demo": it was sent 1 times too few`,
		},
		"a cache that is not behind": {
			func(c *Case) {
				c.Given, c.Want = []client.Object{saying("hello"), owned(said("hello"))}, calm
				c.Then = []Next{{Behind: []client.Object{said("")}, Want: calm}}
			},
			"then, 1: Behind has a ConfigMap, and none was changed",
		},
		"a kind that is not cached": {func(c *Case) { c.Stale = []client.Object{secret} }, "Stale or Unseen has a Secret, of which the cache shows none"},
		"a kind that is not given":  {func(c *Case) { c.Unseen = []client.Object{said("")} }, "Unseen has a ConfigMap, and none is given"},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			c := sound()
			c.Kinds = kinds
			test.change(&c)
			wrong := c.check(t)
			if len(wrong) != 1 || !strings.HasPrefix(wrong[0], test.want) {
				t.Errorf("%q is told, want one that begins with %q", wrong, test.want)
			}
		})
	}
}

// sound is a case that passes.
func sound() Case {
	return Case{Setup: mirror{}.setup, Given: []client.Object{unseen(saying("hello"))}, Want: Want{
		Writes: []string{"create configmaps demo", "patch services/status demo/web"},
		Events: []string{"Normal Made: made demo/web"}, After: time.Hour,
	}}
}

// broken are cases that end the test that runs them.
var broken = map[string]struct {
	change func(*Case)
	want   string // what is said
}{
	"no kinds":       {func(c *Case) { c.Kinds = nil }, "Kinds is required"},
	"no setup":       {func(c *Case) { c.Setup = nil }, "Setup is required"},
	"no controller":  {func(c *Case) { c.Setup = func(ctrl.Manager) error { return nil } }, "no controller was added to the manager"},
	"nil":            {func(c *Case) { c.Given = append(c.Given, nil) }, "an object is nil"},
	"conditions":     {func(c *Case) { c.Given, c.Want = nil, Want{Conditions: done} }, "Conditions are those of the first object that is given"},
	"failure":        {func(c *Case) { c.Fail = []Failure{{Request: "create configmaps demo"}} }, "one of Code, Lost and Timeout are required"},
	"failure's code": {func(c *Case) { c.Fail = []Failure{{Request: "create configmaps demo", Code: 200}} }, "200 is no code of a refusal"},
	"terminal":       {func(c *Case) { c.Want.Terminal = true }, "Terminal is said of an error, and none is wanted"},
	"code":           {func(c *Case) { c.Refuse = map[string]int{"create configmaps demo": 0} }, "0 is no code of a refusal"},
	"gone":           {func(c *Case) { c.Given = []client.Object{dying(saying("hello"))} }, "it has a deletionTimestamp and no finalizer: such an object is gone"},
	"comes back":     {func(c *Case) { c.Stale = []client.Object{dying(held(saying("hello")))} }, "it is being deleted where it is stale"},
}

// TestBroken runs the broken case that the environment names, for the next test.
func TestBroken(t *testing.T) {
	test, ok := broken[os.Getenv("STEPTEST_BROKEN")]
	if !ok {
		return // there is nothing to see unless the next test runs it
	}
	kinds, err := served()
	if err != nil {
		t.Fatal(err)
	}
	c := sound()
	c.Kinds = kinds
	test.change(&c)
	c.Run(t)
}

// A case that lacks what it cannot do without, or that cannot be, ends its test and says
// why.
func TestCasesThatCannotBeRun(t *testing.T) {
	for name, test := range broken {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			command := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestBroken$")
			command.Env = append(os.Environ(), "STEPTEST_BROKEN="+name)
			output, err := command.CombinedOutput()
			if err == nil || !strings.Contains(string(output), test.want) || strings.Contains(string(output), "panic") {
				t.Errorf("the test ended with %v and said\n%s\nwant %q", err, output, test.want)
			}
		})
	}
}
