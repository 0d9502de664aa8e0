package view

import (
	"fmt"
	"io"

	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/report"
)

// Status appends YCSB's status lines to its writers, and shows no other progress. Other messages go to the first writer.
type Status struct {
	*Plain
	outs []io.Writer
}

// NewStatus makes a Status.
func NewStatus(outs ...io.Writer) *Status { return &Status{Plain: NewPlain(outs[0], true), outs: outs} }

// Progress appends the status lines in p.
func (v *Status) Progress(p remote.Progress) {
	clean(&p)
	for _, s := range p.Statuses {
		line := report.StampStatus(s.Label, s.At.Local(), s.Text)
		for _, out := range v.outs {
			_, _ = fmt.Fprintln(out, line)
		}
	}
}
