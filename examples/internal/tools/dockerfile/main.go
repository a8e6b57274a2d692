// Program dockerfile prints the stages of the Dockerfile on its standard input as
// BuildKit reads them, and fails on what BuildKit refuses or its linter warns of.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
)

// stage is what there is to know of a stage.
type stage struct {
	Base, Platform, Name string
	Commands             []string // each as it is written
	Run                  []string // what is run, without the word RUN
}

func main() {
	log.SetFlags(0)
	file, err := parser.Parse(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	warnings := file.Warnings
	lint := linter.New(&linter.Config{Warn: func(rule, _, _, message string, location []parser.Range) {
		warnings = append(warnings, parser.Warning{Short: fmt.Sprintf("%s: %s at %v", rule, message, location)})
	}})
	parsed, _, err := instructions.Parse(file.AST, lint)
	if err != nil {
		log.Fatal(err)
	}
	if len(warnings) > 0 {
		log.Fatalf("%+v", warnings)
	}
	var stages []stage
	for _, one := range parsed {
		s := stage{Base: one.BaseName, Platform: one.Platform, Name: one.Name}
		for _, command := range one.Commands {
			s.Commands = append(s.Commands, fmt.Sprint(command))
			if run, ok := command.(*instructions.RunCommand); ok {
				s.Run = append(s.Run, strings.Join(run.CmdLine, " "))
			}
		}
		stages = append(stages, s)
	}
	if err := json.NewEncoder(os.Stdout).Encode(stages); err != nil {
		log.Fatal(err)
	}
}
