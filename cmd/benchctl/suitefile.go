package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/config"
	"github.com/benchd/benchd/internal/spec"
)

// readSuite reads the file of -f.
func (f *submissionFlags) readSuite(cmd *cobra.Command, origins config.Origins, s *spec.Submission) error {
	if f.suite == "" {
		if f.trial || len(f.variables) > 0 {
			return &cli.UsageError{Command: cmd.CommandPath(), Err: errors.New("--trial and --var need a suite file; name it with -f")}
		}
		return nil
	}
	if len(f.files) > 0 {
		return &cli.UsageError{Command: cmd.CommandPath(), Err: fmt.Errorf("-P %s and -f %s exclude each other: put the settings of properties files under properties: in the suite file, or set them with -p", f.files[0], f.suite)}
	}
	content, err := read(f.suite)
	if err != nil {
		return &cli.UsageError{Command: cmd.CommandPath(), Err: fmt.Errorf("read suite file %s (%s): %w", f.suite, origins["file"], err)}
	}
	s.Suite, s.Trial = &spec.File{Name: f.suite, Content: content}, f.trial
	for _, v := range f.variables {
		s.Variables = append(s.Variables, spec.Setting{Key: v.Key, Value: v.Value, Origin: origins["var"]})
	}
	return nil
}

// attach reads the files that a suite includes and those that its settings name. The reader reports files that cannot be read,
// with the place that names them.
func (f *submissionFlags) attach(s *spec.Submission) {
	reader := f.targets.Reader()
	s.Attachments = map[string][]byte{}
	tried := map[string]bool{}
	for again := true; again; {
		again = false
		for _, name := range reader.Needs(*s) {
			if tried[name] {
				continue
			}
			tried[name] = true
			if info, err := os.Stat(name); err != nil || info.Size() > spec.MaxAttachment && !isTrace(name) {
				continue
			}
			if content, err := f.attachment(name); err == nil {
				s.Attachments[name] = content
				again = true // it may include others
			}
		}
	}
}
