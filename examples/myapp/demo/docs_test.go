package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// moments are what is another time in each run.
var moments = regexp.MustCompile(`[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z|\b([0-9]+m)?[0-9]+s\b`)

// behind is the blanks whose number depends on how long a time before them is.
var behind = regexp.MustCompile(`\b(AGE|TIME) +`)

// timeless returns a text without times.
func timeless(text string) string {
	return behind.ReplaceAllString(moments.ReplaceAllString(text, "TIME"), "$1 ")
}

// checkDocs checks that what package status shows of kubectl is what the demo has
// printed, which is what the API server says.
func checkDocs(t *testing.T, printed string) {
	t.Helper()
	source, err := os.ReadFile("../../../status/doc.go")
	if err != nil {
		t.Fatal(err)
	}
	printed = timeless(strings.ReplaceAll(printed, "\n"+margin, "\n"))
	var shown []string // each from its prompt to the empty line
	for _, line := range strings.Split(string(source), "\n") {
		text, ok := strings.CutPrefix(line, "//\t")
		switch {
		case !ok:
			shown = append(shown, "")
		case strings.HasPrefix(text, "$ ") || len(shown) == 0:
			shown = append(shown, text)
		default:
			shown[len(shown)-1] += "\n" + text
		}
	}
	found := 0
	for _, block := range shown {
		if !strings.HasPrefix(block, "$ kubectl") {
			continue
		}
		if found++; !strings.Contains(printed, timeless(block)) {
			t.Errorf("status/doc.go shows what is not printed:\n%s\nprinted was:\n%s", timeless(block), printed)
		}
	}
	if found < 4 {
		t.Errorf("status/doc.go shows the output of %d commands", found)
	}
}
