package main

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/trueup-dev/trueup/testing/cluster"
)

// frame returns what the screen shows on a terminal of a height: how far the
// story is, what there is, and as many of the last writes as there is room for.
// Its caller holds the lock.
func (s *screen) frame(height int) []string {
	lines := []string{
		fmt.Sprintf("The MyApp operator on Kubernetes %s, as a service account with exactly the generated ClusterRole   %s",
			cluster.KubernetesVersion, strings.TrimSpace(offset(time.Now(), s.start))), "",
	}
	if len(s.invited) > 0 {
		lines = append(append(lines, s.invited...), "")
	}
	for i, part := range s.parts {
		lines = append(lines, part.lines(i)...)
	}
	lines = append(append(append(lines, ""), table(s.rows)...), "", "THE OPERATOR WROTE")
	writes := s.requests.All(tells)
	room := max(3, height-len(lines)-1)
	for _, request := range writes[max(0, len(writes)-room):] {
		lines = append(lines, write(request, s.start))
	}
	return lines
}

// lines tells an act: its title and how it came out, and while it goes on what
// there was to tell.
func (p *part) lines(i int) []string {
	mark := map[state]string{coming: " ", going: ">", passed: "✓", failed: "✗"}[p.state]
	lines := []string{fmt.Sprintf(" %s %d  %-50s %s", mark, i+1, story[i].title, p.result)}
	if p.state == going || p.state == failed {
		for _, note := range p.notes {
			for _, line := range briefly(note) {
				lines = append(lines, "      "+line)
			}
		}
	}
	return lines
}

// table lays rows out in columns.
func table(rows []row) []string {
	text := &strings.Builder{}
	columns := tabwriter.NewWriter(text, 0, 0, 3, ' ', 0)
	_, _ = fmt.Fprintln(columns, "KIND\tNAME\tREPLICAS\tREADY\tSTATE")
	for _, row := range rows {
		_, _ = fmt.Fprintln(columns, strings.Join([]string{row.kind, row.name, row.replicas, row.ready, row.state}, "\t"))
	}
	_ = columns.Flush() // a Builder takes everything
	return strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n")
}
