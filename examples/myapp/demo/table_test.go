package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trueup-dev/trueup/testing/steptest"
)

func TestTable(t *testing.T) {
	want := []string{
		"KIND      NAME   REPLICAS   READY   STATE",
		"MyApp     web    3          2       Ready=False",
		"Service   web                       port 80",
	}
	got := table([]row{
		{"MyApp", "web", "3", "2", "Ready=False"},
		{kind: "Service", name: "web", state: "port 80"},
	})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
}

func TestFrameFitsTheTerminal(t *testing.T) {
	requests := &steptest.Requests{}
	s := newScreen(&bytes.Buffer{}, false, time.Now(), nil, requests)
	s.begin(0).tell("so far so good")
	frame := strings.Join(s.frame(24), "\n")
	for _, want := range []string{"> 1  " + story[0].title, "so far so good", "8  " + story[7].title, "KIND", "THE OPERATOR WROTE"} {
		if !strings.Contains(frame, want) {
			t.Errorf("the frame lacks %q:\n%s", want, frame)
		}
	}
	if lines := strings.Count(frame, "\n"); lines > 24 {
		t.Errorf("the frame has %d lines", lines)
	}
}

func TestDifferences(t *testing.T) {
	web := row{"MyApp", "web", "3", "2", "Ready=False"}
	ready := row{"MyApp", "web", "3", "3", "Ready=True"}
	service := row{kind: "Service", name: "web", state: "port 80"}
	cases := map[string]struct {
		before, after []row
		want          []string
	}{
		"nothing":  {[]row{web}, []row{web}, nil},
		"came":     {nil, []row{service}, []string{"Service web: port 80"}},
		"changed":  {[]row{web, service}, []row{ready, service}, []string{"MyApp web: 3 of 3 ready, Ready=True"}},
		"gone":     {[]row{web, service}, []row{web}, []string{"Service web is gone"}},
		"replaced": {[]row{web}, []row{service}, []string{"Service web: port 80", "MyApp web is gone"}},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, differences(test.before, test.after)); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCut(t *testing.T) {
	for line, want := range map[string]string{"short": "short", "exact!": "exact!", "too long": "too l…", "a\nb": "a b"} {
		if got := cut(line, 6); got != want {
			t.Errorf("cut(%q) is %q, want %q", line, got, want)
		}
	}
}

func TestTail(t *testing.T) {
	log := &tail{}
	for range 3 * kept / 8 {
		if n, err := log.Write([]byte("abcdefg\n")); n != 8 || err != nil {
			t.Fatal(n, err)
		}
	}
	text := log.String()
	if len(text) > kept || len(text) < kept-8 || strings.ReplaceAll(text, "abcdefg\n", "") != "" {
		t.Errorf("%d bytes are kept, which begin with %q", len(text), text[:min(16, len(text))])
	}
}
