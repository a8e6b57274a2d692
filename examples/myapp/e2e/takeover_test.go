package e2e

import (
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"syscall"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/examples/myapp/internal/stage"
)

// The times of leader election: short ones. The retry period is shorter in proportion
// than the one of the defaults, as it is what a takeover costs beyond the lease.
const (
	leaseDuration = 3 * time.Second
	renewDeadline = 2 * time.Second
	retryPeriod   = 200 * time.Millisecond
)

// compete starts a replica that leads if no other one does.
func (w *world) compete(name string) *replica {
	w.Helper()
	return w.start(name,
		"--leader-elect", "--leader-election-namespace="+stage.Namespace,
		"--leader-elect-lease-duration="+leaseDuration.String(),
		"--leader-elect-renew-deadline="+renewDeadline.String(),
		"--leader-elect-retry-period="+retryPeriod.String())
}

// TestTakeover kills the leader of two replicas again and again, while MyApps
// change. The other one takes over when the lease is over, as [takeover] says, and
// no write of the one that was killed comes after that.
func TestTakeover(t *testing.T) {
	w := newWorld(t)
	s := w.brew(or(appsFlag, 6), chance())
	leader := w.compete("lead-0")
	w.awaitLeader(leader, "")
	s.blow()
	var sinceKill, sinceRenewal []time.Duration
	kills := or(killsFlag, 2)
	for kill := range kills {
		next := w.compete(fmt.Sprintf("lead-%d", kill+1))
		leader.awaitWork(5)
		next.awaitWaiting()
		before, killed := w.holder(), leader.kill()
		w.awaitLeader(next, before)
		next.awaitWork(1) // which comes after the takeover in the audit log
		took := w.takeover(leader, next)
		took.check(t)
		sinceKill = append(sinceKill, took.taken.Sub(killed))
		sinceRenewal = append(sinceRenewal, took.taken.Sub(took.renewed))
		leader = next
	}
	leader.awaitWork(5)
	s.calm()
	w.awaitQuiet(time.Second, s.namespace)
	late := w.late()
	t.Logf("kills %d, lease %s, retry period %s; taken over %s after the kill, %s after the last renewal; "+
		"writes %d, writes after the lease was lost %d",
		kills, leaseDuration, retryPeriod, span(sinceKill), span(sinceRenewal), len(w.requests(isWork)), len(late))
	if len(late) > 0 {
		t.Errorf("written without a lease: %v", late)
	}
	w.empty(s.namespace)
	w.must(leader.stop())
}

// span tells the shortest, the middle and the longest of some times.
func span(times []time.Duration) string {
	slices.Sort(times)
	short := func(i int) time.Duration { return times[i].Round(10 * time.Millisecond) }
	return fmt.Sprintf("%s to %s (median %s)", short(0), short(len(times)-1), short(len(times)/2))
}

// TestPausedLeader stops the leader (SIGSTOP) in the middle of its work until the
// other replica has taken over, and has it continue. It ends, as one whose lease
// is lost, and writes nothing before it does.
func TestPausedLeader(t *testing.T) {
	w := newWorld(t)
	s := w.brew(or(appsFlag, 6), chance())
	leader := w.compete("pause-0")
	w.awaitLeader(leader, "")
	s.blow()
	pauses := or(killsFlag, 1)
	for pause := range pauses {
		next := w.compete(fmt.Sprintf("pause-%d", pause+1))
		leader.awaitWork(5)
		next.awaitWaiting()
		before := w.holder()
		leader.signal(syscall.SIGSTOP)
		w.awaitLeader(next, before)
		next.awaitWork(5)
		leader.signal(syscall.SIGCONT)
		<-leader.done
		if exit := (*exec.ExitError)(nil); !errors.As(leader.err, &exit) || exit.ExitCode() != 1 {
			t.Errorf("the one that was paused ended with %v", leader.err)
		}
		leader = next
	}
	s.calm()
	w.awaitQuiet(time.Second, s.namespace)
	late := w.late()
	t.Logf("pauses %d, writes %d, writes after the lease was lost %d", pauses, len(w.requests(isWork)), len(late))
	if len(late) > 0 {
		t.Errorf("written without a lease: %v", late)
	}
	w.empty(s.namespace)
	w.must(leader.stop())
}

// awaitLeader waits until another replica than the one before has the lease.
func (w *world) awaitLeader(r *replica, before string) {
	w.Helper()
	lease := &coordinationv1.Lease{}
	w.await(r.name+" leads", func() error {
		w.Helper()
		w.must(r.running())
		if err := w.client.Get(w.ctx, leaseKey, lease); err != nil {
			return err
		}
		if holder := lease.Spec.HolderIdentity; holder == nil || *holder == "" || *holder == before {
			return fmt.Errorf("the lease is %+v", lease.Spec)
		}
		return nil
	})
}

var leaseKey = client.ObjectKey{Namespace: stage.Namespace, Name: "myapp.apps.example.com"}

// holder returns who has the lease.
func (w *world) holder() string {
	w.Helper()
	lease := &coordinationv1.Lease{}
	w.must(w.client.Get(w.ctx, leaseKey, lease))
	return *lease.Spec.HolderIdentity
}

// awaitWaiting waits until the replica has looked at the lease that another one has.
func (r *replica) awaitWaiting() {
	r.Helper()
	r.await(r.name+" waits for the lease", func() error {
		r.Helper()
		r.must(r.running())
		if len(r.requests(by(r.name), isLease)) == 0 {
			return errors.New("it has not looked")
		}
		return nil
	})
}

// late returns what replicas have written, the lease not excepted, after another one had
// got the lease: in the order of the API server's answers, whatever their clocks say.
func (w *world) late() []sent {
	w.Helper()
	ended := map[string]bool{}
	leads := ""
	var late []sent
	for _, request := range w.requests(sent.changes) {
		switch {
		case ended[request.replica]:
			late = append(late, request)
		case isLease(request) && request.replica != leads:
			ended[leads], leads = true, request.replica
		}
	}
	return late
}
