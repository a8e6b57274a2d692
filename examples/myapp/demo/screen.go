package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/trueup-dev/trueup/testing/steptest"
)

// refresh is how often the screen looks at the clock and for writes, and breath
// is how long it lets a person look at what an act has left.
const (
	refresh = 200 * time.Millisecond
	breath  = 2 * time.Second
)

// screen shows the story. On a terminal it draws a table, again and again in the
// same place; elsewhere it prints a line for everything that happens.
type screen struct {
	out      io.Writer
	terminal *os.File // nil if out is none
	patient  bool     // with a person who reads
	start    time.Time
	user     *user
	requests *steptest.Requests

	mu      sync.Mutex
	parts   []*part
	rows    []row
	shown   int      // how many writes were printed as lines
	invited []string // what a person may do after the story
}

func newScreen(out io.Writer, patient bool, start time.Time, user *user, requests *steptest.Requests) *screen {
	s := &screen{out: out, patient: patient, start: start, user: user, requests: requests}
	for range story {
		s.parts = append(s.parts, &part{screen: s})
	}
	if file, ok := out.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		s.terminal = file
	}
	return s
}

// pause waits for a person to read the table. Lines can be read later.
func (s *screen) pause(ctx context.Context) error {
	if s.terminal == nil || !s.patient {
		return nil
	}
	select {
	case <-time.After(breath):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// begin says that an act begins.
func (s *screen) begin(i int) *part {
	part := s.parts[i]
	s.change(fmt.Sprintf("act %d of %d: %s", i+1, len(story), story[i].title), func() { part.state = going })
	return part
}

// invite tells a person what to do after the story.
func (s *screen) invite(lines ...string) {
	s.change(strings.Join(append(lines, ""), "\n"), func() { s.invited = lines })
}

// change changes what the screen knows, and where there is no table prints a
// line about it, after what has happened before.
func (s *screen) change(line string, change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
	if s.terminal != nil {
		return
	}
	s.printWrites()
	s.print(offset(time.Now(), s.start) + "  " + line)
}

// during keeps the screen up to date while fn runs.
func (s *screen) during(ctx context.Context, fn func() error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if s.terminal != nil {
		wipe(s.out)
		defer restore(s.out)
	}
	if err := s.user.watch(ctx, s.update); err != nil {
		return err
	}
	var group sync.WaitGroup
	group.Go(func() { s.follow(ctx) })
	err := fn()
	cancel()
	group.Wait()
	s.refresh() // the end is worth seeing
	return err
}

// follow refreshes the screen until the context is done.
func (s *screen) follow(ctx context.Context) {
	ticker := time.NewTicker(refresh)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			s.refresh()
		}
	}
}

// update shows a scene.
func (s *screen) update(rows []row) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.rows
	s.rows = rows
	s.draw()
	if s.terminal != nil {
		return
	}
	for _, line := range differences(before, rows) {
		s.print(offset(time.Now(), s.start) + "      " + line)
	}
}

// refresh shows how late it is and what was written.
func (s *screen) refresh() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.draw()
}

// draw draws the table, or where there is none prints what was written since.
// Its caller holds the lock.
func (s *screen) draw() {
	if s.terminal != nil {
		width, height, err := term.GetSize(int(s.terminal.Fd()))
		if err != nil {
			width, height = 100, 40
		}
		draw(s.out, s.frame(height), width)
		return
	}
	s.printWrites()
}

// printWrites prints the writes that are not yet printed.
func (s *screen) printWrites() {
	all := s.requests.All(tells)
	for _, request := range all[s.shown:] {
		s.print(write(request, s.start))
	}
	s.shown = len(all)
}

func (s *screen) print(line string) { _, _ = fmt.Fprintln(s.out, line) }
