package process

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// helperVariable makes this test binary act as a program that starts processes
// and is then killed.
const helperVariable = "TRUEUP_TEST_WATCHED_DIRECTORY"

func TestMain(m *testing.M) {
	if directory := os.Getenv(helperVariable); directory != "" {
		if err := helper(directory); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		select {} // until killed
	}
	os.Exit(m.Run())
}

// helper starts a process that ends when it is asked to, one that does not,
// and one that has ended, and prints the groups of the first two.
func helper(directory string) error {
	w, err := NewWatchdog(directory)
	if err != nil {
		return err
	}
	if os.Getenv("KEEP") != "" {
		if err := w.Keep(); err != nil {
			return err
		}
	}
	for _, script := range []string{"exit 0", "sleep 1000 & wait", "trap '' TERM; touch deaf; while :; do sleep 0.05; done"} {
		p, err := w.Start(Command{
			Name: "script", Path: shell, Args: []string{"-c", script},
			Directory: directory, Environment: []string{"PATH=" + os.Getenv("PATH")}, Log: filepath.Join(directory, "log"),
		})
		if err != nil {
			return err
		}
		if script == "exit 0" {
			<-p.Done()
			continue
		}
		fmt.Println(p.ID())
	}
	fmt.Println("ready")
	return nil
}

func TestWatchdogCleansUp(t *testing.T) {
	cases := map[string]struct {
		reason      string
		environment string
		kept        bool
	}{
		"Remove": {reason: "Processes and directory should be gone when the program was killed."},
		"Keep":   {reason: "Only the processes should be gone when the directory is to be kept.", environment: "KEEP=1", kept: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			directory := filepath.Join(t.TempDir(), "watched")
			if err := os.Mkdir(directory, 0o700); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), helperVariable+"="+directory, tc.environment)
			output, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			groups := readGroups(t, bufio.NewScanner(output))
			eventually(t, "the stubborn script is deaf", func() bool { return exists(filepath.Join(directory, "deaf")) })
			for _, group := range groups {
				if !alive(group) {
					t.Errorf("group %d should be alive before the program is killed", group)
				}
			}
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			for _, group := range groups {
				eventually(t, fmt.Sprintf("group %d is gone", group), func() bool { return !alive(group) })
			}
			if tc.kept {
				if !exists(directory) {
					t.Errorf("\n%s\nthe directory is gone", tc.reason)
				}
				return
			}
			eventually(t, "the directory is gone", func() bool { return !exists(directory) })
		})
	}
}

func readGroups(t *testing.T, lines *bufio.Scanner) []int {
	t.Helper()
	var groups []int
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "ready" {
			return groups
		}
		group, err := strconv.Atoi(line)
		if err != nil {
			t.Fatalf("helper: %s", line)
		}
		groups = append(groups, group)
	}
	t.Fatal("helper ended early")
	return nil
}

func TestReleaseLeavesDirectoryAlone(t *testing.T) {
	directory := t.TempDir()
	w, err := NewWatchdog(directory)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second does nothing
		if err := w.Release(); err != nil {
			t.Fatal(err)
		}
	}
	if !exists(directory) {
		t.Error("a released watchdog should not remove the directory")
	}
	if err := w.Keep(); err != nil {
		t.Errorf("telling a released watchdog should do nothing, got %v", err)
	}
}

func TestStartUnderDeadWatchdog(t *testing.T) {
	directory := t.TempDir()
	w, err := NewWatchdog(directory)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "starting is refused", func() bool {
		p, err := w.Start(Command{Name: "script", Path: shell, Args: []string{"-c", "exit 0"}, Log: filepath.Join(directory, "log")})
		if err == nil {
			<-p.Done() // the kill had not come to pass
		}
		return err != nil
	})
}

// alive reports whether a process group has a process that is not a zombie.
func alive(group int) bool {
	if errors.Is(syscall.Kill(-group, 0), syscall.ESRCH) {
		return false
	}
	listed, err := exec.Command("ps", "-A", "-o", "pgid=", "-o", "stat=").Output()
	if err != nil {
		return true
	}
	for line := range strings.Lines(string(listed)) {
		fields := strings.Fields(line)
		if len(fields) == 2 && fields[0] == strconv.Itoa(group) && !strings.HasPrefix(fields[1], "Z") {
			return true
		}
	}
	return false
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	err := wait.PollUntilContextTimeout(context.Background(), 10*time.Millisecond, time.Minute, true,
		func(context.Context) (bool, error) { return condition(), nil })
	if err != nil {
		t.Fatalf("never happened: %s", what)
	}
}
