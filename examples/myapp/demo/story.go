package main

import (
	"context"
	"fmt"
	"time"

	"github.com/trueup-dev/trueup/testing/steptest"
)

// patience is how long an act may take. They take a second or three.
const patience = 30 * time.Second

// An act is one thing that is done to an app, and what must have come of it when
// it returns.
type act struct {
	title string
	play  func(ctx context.Context, user *user, tell func(format string, args ...any)) error
}

// story is all acts, in order.
var story = []act{
	{"somebody applies the sample", applied},
	{"somebody scales it to 3", scaled},
	{"somebody sets another image on its Deployment", meddled},
	{"somebody deletes its Service", robbed},
	{"somebody asks for a port that does not exist", rejected},
	{"somebody asks for what only a Deployment refuses", refused},
	{"somebody else's Service is in the way", obstructed},
	{"somebody deletes the app, which a backup still holds", deleted},
}

// play plays the story. After each act the operator has to become quiet: it
// writes nothing more.
func play(ctx context.Context, user *user, requests *steptest.Requests, screen *screen) error {
	for i, act := range story {
		if err := screen.pause(ctx); err != nil {
			return err
		}
		if err := playOne(ctx, act, user, requests, screen.begin(i)); err != nil {
			return fmt.Errorf("act %d, %s: %w", i+1, act.title, err)
		}
	}
	return nil
}

func playOne(ctx context.Context, act act, user *user, requests *steptest.Requests, part *part) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	start, before := time.Now(), len(requests.All(tells))
	if err := act.play(ctx, user, part.tell); err != nil {
		part.fail(ctx)
		return err
	}
	took := time.Since(start)
	after, err := requests.Quiet(ctx, tells)
	if err != nil {
		part.fail(ctx)
		return err
	}
	part.pass(fmt.Sprintf("as it should be after %.1fs; %s, and quiet since", took.Seconds(), writes(after-before)))
	return nil
}

func writes(n int) string {
	switch n {
	case 0:
		return "no write"
	case 1:
		return "1 write"
	}
	return fmt.Sprintf("%d writes", n)
}
