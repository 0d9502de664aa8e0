package spec

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/benchd/benchd/internal/pacing"
	"github.com/benchd/benchd/internal/property"
	"github.com/benchd/benchd/internal/trace"
	"github.com/benchd/benchd/internal/workload"
)

// The properties of a replay. TraceCard carries the card of the file, which benchctl sends to the coordinator separately: it names
// the trace by its content.
const (
	TraceFile   = "trace"
	TraceCard   = "trace.card"
	replaySpeed = "replay.speed"
	replay      = string(pacing.Replay)
)

// traceKeys are the properties of a replay.
func traceKeys() []property.Key {
	return []property.Key{
		{Name: TraceFile, Kind: property.Text, File: true, Doc: "file of benchctl capture; a run repeats its operations at their instants, and a load writes the rows that they need"},
		{Name: TraceCard, Kind: property.Text, Check: checkCard, Doc: "description of that file, with its checksums; filled in from the file"},
		{Name: replaySpeed, Kind: property.Float, Default: "1", Min: 0.001, Max: 1000, Doc: "speed of a replay: 4 repeats the trace in a quarter of its time"},
	}
}

func checkCard(text string) (string, error) {
	card, err := trace.ParseCard([]byte(text))
	if err != nil {
		return "", err
	}
	return card.Text(), nil
}

// attachTrace adds the card of the file that the property trace names. The attachment of a trace is its card.
func (r *resolver) attachTrace(attachments map[string][]byte) {
	e, named := r.given[TraceFile]
	if _, filled := r.given[TraceCard]; filled || !named || e.value == "" || r.bad[TraceCard] {
		return
	}
	content, ok := attachments[e.value]
	var text string
	var err error
	switch {
	case !ok:
		err = fmt.Errorf("file %s is not attached; does it exist on the machine that you submit from?", property.Quote(e.value))
	case !bytes.HasPrefix(content, []byte(`{"version":`)):
		err = fmt.Errorf("file %s is not a trace; make one from a log with `benchctl capture %s --out FILE`", property.Quote(e.value), e.value)
	default:
		if text, err = checkCard(string(content)); err != nil {
			err = fmt.Errorf("file %s: %w", property.Quote(e.value), err)
		}
	}
	if err != nil {
		r.bad[TraceFile], r.bad[TraceCard] = true, true
		r.fail(e, "%s", err)
		return
	}
	key, _ := r.table.find(TraceCard)
	r.given[TraceCard] = entry{key: key, written: TraceCard, value: text, place: e.value, rank: e.rank, order: e.order}
}

// settleTrace derives the settings of the workload from a trace: it has the operations, their number and their instants.
func (r *resolver) settleTrace() {
	e, ok := r.given[TraceCard]
	if !ok || r.bad[TraceCard] {
		return
	}
	card, err := trace.ParseCard([]byte(e.value))
	if err != nil {
		return // its check has reported it
	}
	at := r.blame(TraceFile, TraceCard)
	for _, other := range []struct{ name, cure string }{
		{"rate", "remove it; replay.speed changes the speed of a replay"},
		{"target", "remove it; replay.speed changes the speed of a replay"},
		{"warmup", "remove it: a replay measures from the first operation of the trace"},
		{"warmup.ops", "remove it: a replay measures from the first operation of the trace"},
		{"warmup.until", "remove it: a replay measures from the first operation of the trace"},
		{searchVary, "remove it: the trace has the rate of its operations"},
		{"batchsize", "remove it: a trace has the operations one by one"},
		{"insertstart", "remove it: a load writes the rows of the trace"},
		{"insertcount", "remove it: a load writes the rows of the trace"},
		{"dataintegrity", "remove it: the sizes of the trace's values do not fit to values that can be verified"},
	} {
		if set, given := r.given[other.name]; given && !set.idle() && set.value != "" {
			r.bad[other.name] = true
			r.fail(set, "conflicts with %s (%s); %s", at.written, at.value, other.cure)
			delete(r.given, other.name)
		}
	}
	if card.Rows == 0 && r.value("phase") != "run" && r.sound("phase") {
		r.bad["phase"] = true
		r.fail(r.blame("phase", TraceFile), "a load has nothing to write: the trace inserts all of its rows itself; write phase=run")
	}
	r.derive(at, "recordcount", strconv.FormatInt(max(card.Rows, 1), 10))
	r.derive(at, "operationcount", strconv.FormatInt(card.Ops, 10))
	r.derive(at, "arrival", replay)
	r.derive(at, insertBase, fromRecordCount)
	for _, share := range (&workload.Proportions{}).Shares() {
		r.derive(at, share.Property, strconv.FormatFloat(card.Share(share.Kind.String()), 'g', -1, 64))
	}
}

// derive sets a property to what the trace demands, and warns if the submission sets it otherwise.
func (r *resolver) derive(at entry, name, value string) {
	if set, given := r.given[name]; given && set.place != "" && !strings.HasPrefix(set.place, "trace ") && set.value != value && !set.idle() {
		r.warn(set, "has no effect: %s has %s", at.written, value)
	}
	key, _ := r.table.find(name)
	r.given[name] = entry{key: key, written: name, value: value, place: "trace " + at.value, rank: at.rank}
	delete(r.bad, name)
}
