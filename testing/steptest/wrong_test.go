package steptest

import (
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// What is not as it is wanted is told, each thing by itself.
func TestCasesTellWhatIsWrong(t *testing.T) {
	kinds, err := served()
	if err != nil {
		t.Fatal(err)
	}
	first := cases["first pass"]
	cases := map[string]struct {
		change func(*Case)
		want   string // how what is wrong begins
	}{
		"writes":       {func(c *Case) { c.Want.Writes = nil }, "writes (-want +got)"},
		"events":       {func(c *Case) { c.Want.Events = nil }, "events (-want +got)"},
		"conditions":   {func(c *Case) { c.Want.Conditions = map[string]string{"Mirrored": "False Done"} }, "conditions (-want +got)"},
		"error":        {func(c *Case) { c.Want.Error = "none" }, `the error is "", want "none"`},
		"after":        {func(c *Case) { c.Want.After = 0 }, "looks again after 1h0m0s, want 0s"},
		"objects":      {func(c *Case) { c.Given, c.Want.Objects = []client.Object{unseen(saying("bye"))}, nil }, "objects (-testdata/mirror.yaml +got)"},
		"an object":    {func(c *Case) { c.Want.Objects = []client.Object{said("bye")} }, "ConfigMap web (-want +got)"},
		"no owner":     {func(c *Case) { c.Want.Objects = []client.Object{ownedBy(said("hello"), "nobody")} }, "ConfigMap web (-want +got)"},
		"none":         {func(c *Case) { c.Want.Objects = []client.Object{other(said("hello"))} }, "there is no ConfigMap other"},
		"one too many": {func(c *Case) { c.Want.Gone = []client.Object{said("")} }, "ConfigMap web is there"},
		"quiet":        {func(c *Case) { c.Setup = mirror{restless: true}.setup }, "a second pass sent"},
		"no pass":      {func(c *Case) { c.Then = []Next{{Want: calm}} }, "then, 1: there is a pass: false, want true"},
		"a pass":       {func(c *Case) { c.Then = []Next{{Wait: time.Hour, Idle: true, Want: calm}} }, "then, 1: there is a pass: true, want false"},
		"a later pass": {func(c *Case) { c.Then = []Next{{Do: say("bye"), Want: calm}} }, "then, 1: writes (-want +got)"},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			c := first
			c.Kinds, c.Setup = kinds, mirror{}.setup
			test.change(&c)
			wrong := c.check(t)
			if len(wrong) != 1 || !strings.HasPrefix(wrong[0], test.want) {
				t.Errorf("%q is told, want one that begins with %q", wrong, test.want)
			}
		})
	}
}
