package delivery_test

import (
	"bytes"
	"debug/elf"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/trueup-dev/trueup/examples/internal/toolbox"
)

// base is the image that programs are put into: nothing but certificates, time zones and
// a user who is not root.
const base = "gcr.io/distroless/static:nonroot"

// buildStage is a stage of a Dockerfile, as BuildKit reads it.
type buildStage struct {
	Base, Platform, Name string
	Commands, Run        []string
}

// stagesOf has BuildKit read a Dockerfile. What its linter warns of is an error.
func stagesOf(t *testing.T, bin, path string) []buildStage {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	cmd := exec.CommandContext(t.Context(), filepath.Join(bin, "dockerfile"))
	var out, complaint bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = file, &out, &complaint
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v: %s", path, err, complaint.String())
	}
	var stages []buildStage
	if err := json.Unmarshal(out.Bytes(), &stages); err != nil {
		t.Fatal(err)
	}
	return stages
}

// The Dockerfiles build on the builder's own platform for any other, and the program runs
// as somebody other than root on next to nothing.
func TestDockerfiles(t *testing.T) {
	bin := toolbox.Build(t, "dockerfile")
	for _, path := range []string{filepath.Join(app, "Dockerfile"), "../../../guide/Dockerfile"} {
		stages := stagesOf(t, bin, path)
		if len(stages) != 2 {
			t.Fatalf("%s has %d stages", path, len(stages))
		}
		build, final := stages[0], stages[1]
		if build.Platform != "$BUILDPLATFORM" || !slices.Contains(build.Commands, "ARG TARGETOS TARGETARCH") {
			t.Errorf("%s: what is built is not for whom it is asked for: %+v", path, build)
		}
		if final.Base != base || final.Platform != "" {
			t.Errorf("%s: the base is %+v, want %s", path, final, base)
		}
		for _, want := range []string{"COPY --from=build /manager /manager", "USER 65532:65532", `ENTRYPOINT ["/manager"]`} {
			if !slices.Contains(final.Commands, want) {
				t.Errorf("%s: the image is made by %q, which lacks %q", path, final.Commands, want)
			}
		}
	}
}

// docker stands in for Docker: it has make call it, and returns what it was called with.
func docker(t *testing.T, target string) []string {
	t.Helper()
	bin := t.TempDir()
	said := filepath.Join(bin, "said")
	script := "#!/bin/sh\nprintf '%s\\n' \"$@\" > " + said + "\n"
	if err := os.WriteFile(filepath.Join(bin, "docker"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	runMake(t, app, []string{"PATH=" + bin + ":" + os.Getenv("PATH")}, target, "IMG=example.com/myapp:v1")
	text, err := os.ReadFile(said)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// What make has Docker do is to make a program for each platform that needs nothing else:
// it is done here without Docker, with what Docker is given.
func TestMakeBuildsAnImage(t *testing.T) {
	context, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	const program = "PACKAGE=github.com/trueup-dev/trueup/examples/myapp"
	for target, want := range map[string][]string{
		"docker-build":  {"build", "-t", "example.com/myapp:v1", "-f", "Dockerfile", "--build-arg", program, context},
		"docker-buildx": {"buildx", "build", "--push", "--platform=linux/amd64,linux/arm64", "-t", "example.com/myapp:v1", "-f", "Dockerfile", "--build-arg", program, context},
	} {
		if diff := cmp.Diff(want, docker(t, target)); diff != "" {
			t.Errorf("make %s (-want +got):\n%s", target, diff)
		}
	}
	stages := stagesOf(t, toolbox.Build(t, "dockerfile"), filepath.Join(app, "Dockerfile"))
	command := stages[0].Run[len(stages[0].Run)-1]
	if byDefault := "ARG PACKAGE=./examples/myapp"; !slices.Contains(stages[0].Commands, byDefault) {
		t.Errorf("the program is made by %q, which lacks %q", stages[0].Commands, byDefault)
	}
	for architecture, machine := range map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64} {
		file := filepath.Join(t.TempDir(), "manager")
		cmd := exec.CommandContext(t.Context(), "sh", "-ec", strings.ReplaceAll(command, "/manager", file))
		cmd.Dir = context
		cmd.Env = append(os.Environ(), "TARGETOS=linux", "TARGETARCH="+architecture, program)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
		checkProgram(t, file, machine)
	}
}

// checkProgram looks at whom a program is for, and that it needs no library.
func checkProgram(t *testing.T, path string, machine elf.Machine) {
	t.Helper()
	file, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	if file.Machine != machine {
		t.Errorf("the program is for %s, want %s", file.Machine, machine)
	}
	for _, part := range file.Progs {
		if part.Type == elf.PT_INTERP {
			t.Error("the program needs a loader")
		}
	}
}

// ko makes an image for each platform. Its base is another one here, from a registry on
// this machine.
func TestKo(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(app, ".ko.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var says struct{ DefaultBaseImage string }
	if err := yaml.Unmarshal(text, &says); err != nil || says.DefaultBaseImage != base {
		t.Errorf("the base is %q (%v), want %s", says.DefaultBaseImage, err, base)
	}
	layout, err := os.MkdirTemp("", "ko") //nolint:usetesting // ko takes no path with capital letters, which t.TempDir has
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(layout) })
	cmd := exec.CommandContext(t.Context(), "go", "run", "github.com/google/ko@v0.19.1",
		"build", "--push=false", "--oci-layout-path="+layout, ".")
	cmd.Dir = app
	cmd.Env = append(os.Environ(), "KO_DEFAULTBASEIMAGE="+registry(t)+"/base:latest", "KO_DOCKER_REPO=example.com/myapp")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("ko: %v\n%s", err, out)
	}
	platforms := map[string]bool{}
	read := func(digest string, into any) {
		blob, err := os.ReadFile(filepath.Join(layout, "blobs", strings.ReplaceAll(digest, ":", "/")))
		if err == nil {
			err = json.Unmarshal(blob, into)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	type manifest struct {
		Manifests []struct {
			Digest   string
			Platform struct{ OS, Architecture string }
		}
		Config struct{ Digest string }
	}
	index := manifest{}
	top, err := os.ReadFile(filepath.Join(layout, "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(top, &index); err != nil || len(index.Manifests) != 1 {
		t.Fatalf("%v: %s", err, top)
	}
	images := manifest{}
	read(index.Manifests[0].Digest, &images)
	for _, image := range images.Manifests {
		made, config := manifest{}, struct{ Config struct{ Entrypoint []string } }{}
		read(image.Digest, &made)
		read(made.Config.Digest, &config)
		if len(config.Config.Entrypoint) != 1 || filepath.Base(config.Config.Entrypoint[0]) != "myapp" {
			t.Errorf("the image runs %q", config.Config.Entrypoint)
		}
		platforms[image.Platform.OS+"/"+image.Platform.Architecture] = true
	}
	if !platforms["linux/amd64"] || !platforms["linux/arm64"] {
		t.Errorf("there are images for %v", platforms)
	}
}

// registry starts a registry on this machine and returns its address.
func registry(t *testing.T) string {
	t.Helper()
	cmd := exec.Command(filepath.Join(toolbox.Build(t, "registry"), "registry"))
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = input.Close(); _ = cmd.Wait() }) // it ends with its input
	line := make([]byte, 100)
	n, err := output.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(line[:n]))
}
