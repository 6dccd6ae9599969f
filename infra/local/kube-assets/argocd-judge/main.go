// Prints what Argo CD says of Kubernetes objects.
//
//	argocd-judge             objects on standard input, one as JSON on each line; one line for each on standard output
//	argocd-judge --time      how long Argo CD takes for an object, without its JSON; objects as above
//	argocd-judge --version   the version of Argo CD
//
// A line is {"status": ..., "message": ...}, as Argo CD's application controller gets it for a resource whose health nobody
// has customized: its Lua scripts first, then its built-in rules; null for an object that it has no rule for. Where the
// rule fails, or the line is no object, there is an "error" as well.
//
// --time parses all objects, and judges them in turn for half a second. It prints {"rounds": ..., "nanoseconds": ...}: how
// often it has judged all of them, and how long an object took in the round that took the median time.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/argoproj/argo-cd/gitops-engine/v3/pkg/health"
	"github.com/argoproj/argo-cd/v3/util/lua"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	module = "github.com/argoproj/argo-cd/v3"
	tries  = 10
	timed  = 500 * time.Millisecond
)

type line struct {
	Status  health.HealthStatusCode `json:"status,omitempty"`
	Message string                  `json:"message,omitempty"`
	Error   string                  `json:"error,omitempty"`
}

var overrides = lua.ResourceHealthOverrides(nil)

// assess retries a script that was not done within its second: a busy machine may have let it wait.
func assess(object *unstructured.Unstructured) (verdict *health.HealthStatus, err error) {
	for range tries {
		verdict, err = health.GetResourceHealth(object, overrides)
		if err == nil || !strings.Contains(err.Error(), context.DeadlineExceeded.Error()) {
			break
		}
	}
	return verdict, err
}

// judge gives what is printed of one object; nil where Argo CD has no rule.
func judge(text []byte) *line {
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(text); err != nil {
		return &line{Error: err.Error()}
	}
	verdict, err := assess(object)
	if verdict == nil && err == nil {
		return nil
	}
	said := &line{}
	if verdict != nil {
		said.Status, said.Message = verdict.Status, verdict.Message
	}
	if err != nil {
		said.Error = err.Error()
	}
	return said
}

// judgeAll answers whatever is there before it waits for more: the other side may wait for the answers.
func judgeAll(in io.Reader, out io.Writer) error {
	reader, writer := bufio.NewReaderSize(in, 1<<20), bufio.NewWriterSize(out, 1<<20)
	answers := json.NewEncoder(writer)
	answers.SetEscapeHTML(false)
	for {
		text, err := reader.ReadBytes('\n')
		if len(text) > 0 {
			if err := answers.Encode(judge(text)); err != nil {
				return err
			}
		}
		if reader.Buffered() == 0 || err != nil {
			if err := writer.Flush(); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

type timing struct {
	Rounds      int   `json:"rounds"`
	Nanoseconds int64 `json:"nanoseconds"`
}

// timeAll does not count the first round.
func timeAll(in io.Reader, out io.Writer) error {
	var objects []*unstructured.Unstructured
	texts := bufio.NewReaderSize(in, 1<<20)
	for {
		text, err := texts.ReadBytes('\n')
		if len(text) > 0 {
			object := &unstructured.Unstructured{}
			if err := object.UnmarshalJSON(text); err != nil {
				return err
			}
			objects = append(objects, object)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	if len(objects) == 0 {
		return errors.New("no object on standard input")
	}
	round := func() (time.Duration, error) {
		start := time.Now()
		for _, object := range objects {
			if _, err := health.GetResourceHealth(object, overrides); err != nil {
				return 0, err
			}
		}
		return time.Since(start), nil
	}
	if _, err := round(); err != nil {
		return err
	}
	var rounds []time.Duration
	for start := time.Now(); time.Since(start) < timed; {
		took, err := round()
		if err != nil {
			return err
		}
		rounds = append(rounds, took)
	}
	slices.Sort(rounds)
	median := rounds[len(rounds)/2]
	return json.NewEncoder(out).Encode(timing{len(rounds), median.Nanoseconds() / int64(len(objects))})
}

func version() string {
	build, _ := debug.ReadBuildInfo()
	for _, dependency := range build.Deps {
		if dependency.Path == module {
			return dependency.Version
		}
	}
	return "unknown"
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "--version" {
		fmt.Println(version())
		return
	}
	run := judgeAll
	if len(os.Args) > 1 && os.Args[1] == "--time" {
		run = timeAll
	}
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
