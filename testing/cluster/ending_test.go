package cluster

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// endingVariable makes the test binary a program that starts a cluster and ends
// as the variable says.
const endingVariable = "TRUEUP_TEST_ENDING"

func endBadly(ending string) {
	options := Options{}
	if ending == "kill whole" {
		options = Full()
	}
	if _, err := Start(context.Background(), options); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("ready")
	switch ending {
	case "panic":
		panic("as asked for")
	case "exit":
		os.Exit(3)
	}
	select {} // until a signal ends it
}

// TestNothingIsLeft starts programs that start a cluster and end without
// stopping it.
func TestNothingIsLeft(t *testing.T) {
	cases := map[string]struct {
		ending string
		early  bool // ends while the cluster starts
		signal syscall.Signal
		group  bool // the whole process group is signalled, as a terminal does
	}{
		"Exit":           {ending: "exit"},
		"Panic":          {ending: "panic"},
		"Kill":           {ending: "kill", signal: syscall.SIGKILL},
		"KillWhole":      {ending: "kill whole", signal: syscall.SIGKILL},
		"KillWhileStart": {ending: "kill early", signal: syscall.SIGKILL, early: true},
		"Interrupt":      {ending: "interrupt", signal: syscall.SIGINT, group: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			parent := temporaryDirectory(t)
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), endingVariable+"="+tc.ending, "TMPDIR="+parent)
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			output, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if tc.early {
				eventually(t, "the API server is started", func(context.Context) (bool, error) {
					return len(processesIn(t, parent)) >= 3, nil // watchdog, etcd, API server
				})
			} else if lines := bufio.NewScanner(output); !lines.Scan() || lines.Text() != "ready" {
				t.Fatalf("program: %s", lines.Text())
			}
			if tc.signal != 0 {
				target := cmd.Process.Pid
				if tc.group {
					target = -target
				}
				if err := syscall.Kill(target, tc.signal); err != nil {
					t.Fatal(err)
				}
			}
			if err := cmd.Wait(); err == nil {
				t.Error("the program should have ended badly")
			}
			eventually(t, "the processes are gone", func(context.Context) (bool, error) {
				left := processesIn(t, parent)
				return len(left) == 0, fmt.Errorf("left are %s", describe(left))
			})
			eventually(t, "the directory is gone", func(context.Context) (bool, error) {
				left := clusterDirectories(parent)
				return len(left) == 0, fmt.Errorf("left are %s", describe(left))
			})
		})
	}
}
