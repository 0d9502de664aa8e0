package spec

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/keyspace"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/property"
	"github.com/benchd/benchd/internal/workload"
)

// attach adds the contents of files that properties name to the settings.
func (r *resolver) attach(attachments map[string][]byte) {
	for _, f := range lengthFiles() {
		r.attachLengths(f, attachments)
	}
	r.attachTrace(attachments)
	for _, a := range r.target().Attachments {
		r.attachFile(a, attachments)
	}
}

// fileOf returns the name of the file that an attachment needs, or "".
func (r *resolver) fileOf(a descriptor.Attachment) string {
	if _, filled := r.given[a.Into]; filled {
		return ""
	}
	return r.value(a.File)
}

// attachFile adds the content of a target's file to the settings.
func (r *resolver) attachFile(a descriptor.Attachment, attachments map[string][]byte) {
	name := r.fileOf(a)
	if name == "" || r.bad[a.File] || r.bad[a.Into] {
		return
	}
	e := r.setting(a.File)
	content, ok := attachments[name]
	if !ok {
		r.bad[a.Into] = true
		r.fail(e, "file %s is not attached; does it exist on the machine that you submit from?", property.Quote(name))
		return
	}
	text, err := decodeText(content)
	var value string
	if err == nil {
		value, err = a.Parse(text)
	}
	if err != nil {
		r.bad[a.Into] = true
		r.fail(e, "file %s: %s", property.Quote(name), err)
		return
	}
	key, _ := r.table.find(a.Into)
	r.given[a.Into] = entry{key: key, written: a.Into, value: value, place: name, rank: e.rank, order: e.order}
}

// lengthFile is a file from which field lengths or requests are drawn, if the distribution is the one that needs it.
type lengthFile struct {
	property      string // of the distribution
	distribution  workload.Distribution
	file, content string // properties
	// parse validates the text of the file, and returns what agents get of it.
	parse func(name, text string) (string, error)
}

func lengthFiles() []lengthFile {
	const lengthDistribution = "fieldlengthdistribution"
	return []lengthFile{
		{"requestdistribution", workload.Histogram, "requesthistogram", RequestsContent, func(name, text string) (string, error) {
			_, err := keyspace.ParsePopularity(name, strings.NewReader(text))
			return text, err //nolint:wrapcheck // it names the file
		}},
		{lengthDistribution, workload.Histogram, "fieldlengthhistogram", HistogramContent, func(name, text string) (string, error) {
			_, err := keyspace.ParseLengthHistogram(name, strings.NewReader(text))
			return text, err //nolint:wrapcheck // it names the file
		}},
		{lengthDistribution, workload.Sample, valueSizes, SizesContent, func(name, text string) (string, error) {
			sample, err := keyspace.ParseLengthSample(name, text)
			if err != nil {
				return "", err //nolint:wrapcheck // it names the file
			}
			return sample.String(), nil
		}},
	}
}

// needed returns the name of the file, or "" if the settings do not need it.
func (f lengthFile) needed(r *resolver) string {
	if _, filled := r.given[f.content]; filled || r.value(f.property) != string(f.distribution) {
		return ""
	}
	return r.value(f.file)
}

func (r *resolver) attachLengths(f lengthFile, attachments map[string][]byte) {
	if r.value(f.property) != string(f.distribution) {
		if e, ok := r.given[f.content]; ok {
			r.warn(e, "has no effect without %s=%s", f.property, f.distribution)
			delete(r.given, f.content)
		}
		return
	}
	if _, filled := r.given[f.content]; filled || r.bad[f.file] || r.bad[f.content] {
		return
	}
	name := r.value(f.file)
	if name == "" {
		r.bad[f.content] = true
		r.fail(r.setting(f.property), "%s needs a file: write %s=FILE", f.distribution, f.file)
		return
	}
	content, ok := attachments[name]
	if !ok {
		r.bad[f.content] = true
		r.fail(r.setting(f.file), "file %s is not attached; does it exist on the machine that you submit from?", property.Quote(name))
		return
	}
	text, err := decodeText(content)
	if err == nil {
		text, err = f.parse(name, text)
	}
	if err != nil {
		r.bad[f.content] = true
		r.failEach(r.setting(f.file), err)
		return
	}
	key, _ := r.table.find(f.content)
	r.given[f.content] = entry{key: key, written: f.content, value: text, place: name}
}

// settle resolves settings that exclude each other. It returns the value of each property that the target has, and the
// settings that follow from them.
func (r *resolver) settle() (map[string]string, plan.Settings) {
	r.settleTrace()
	r.settleSearch()
	r.rivals("threadcount", "threads.total")
	r.rivals("target", "rate")
	for _, pair := range r.table.targets.Exclusive() {
		r.rivals(pair[0], pair[1])
	}
	r.settleArrival()
	r.settleRecords()
	r.settleWarmup()
	db := r.value("db")
	properties := make(map[string]string)
	for _, k := range r.table.keys {
		if k.Status != property.Honoured && k.Status != property.Reporting || !k.Serves(db) {
			continue
		}
		if v := r.value(k.Name); v != "" || k.Default != "" {
			properties[k.Name] = v
		}
	}
	// Settings are read with all defaults, including empty ones.
	return properties, values{properties, r.table.targets}.settings()
}

// rivals resolves two properties of which only one can apply: the one from the stronger source wins.
func (r *resolver) rivals(a, b string) {
	x, inX := r.given[a]
	y, inY := r.given[b]
	if !inX || !inY || x.idle() || y.idle() {
		return
	}
	if x.rank == y.rank {
		r.bad[a], r.bad[b] = true, true
		r.fail(y, "conflicts with %s (%s); set only one of them", x.written, cmp.Or(x.place, "set too"))
		return
	}
	if x.rank > y.rank {
		x, y = y, x
	}
	r.warn(x, "is overridden by %s (%s)", y.written, y.place)
	delete(r.given, x.key.Name)
}

// idle reports whether a setting equals its default.
func (e entry) idle() bool { return e.value == e.key.Default }

// settleArrival makes rate and arrival agree: a rate means an open loop, with fixed arrivals by default. A rate that is
// not from a flag gets a warning about that.
func (r *resolver) settleArrival() {
	rate, hasRate := r.given["rate"]
	arrival, hasArrival := r.given["arrival"]
	hasRate = hasRate && rate.value != ""
	open := hasArrival && arrival.value != "closed"
	switch {
	case arrival.value == replay && r.sound(TraceFile, TraceCard) && r.value(TraceCard) == "":
		r.bad["arrival"] = true
		r.fail(arrival, "%s needs a trace; write trace=FILE", arrival.value)
	case arrival.value == replay:
	case r.bad["rate"] || r.bad["arrival"] || !hasRate && !open || hasRate && open:
	case !hasRate:
		r.bad["rate"], r.bad["target"] = true, true
		cure := "write the operations per second, such as rate=1000"
		if target := r.value("target"); target != "0" {
			cure = fmt.Sprintf("target throttles a closed loop; write rate=%s instead", target)
		}
		r.fail(arrival, "%s needs a rate; %s", arrival.value, cure)
	case !hasArrival:
		r.fixed(rate)
		if rate.rank < r.flags {
			r.warn(rate, "arrival is not set: a rate means an open loop with arrival=fixed")
		}
	case arrival.rank > rate.rank:
		r.warn(rate, "is overridden by arrival=closed (%s)", arrival.place)
		delete(r.given, "rate")
	case arrival.rank < rate.rank:
		r.warn(arrival, "is overridden by rate (%s), which means an open loop", rate.place)
		r.fixed(rate)
	default:
		r.bad["rate"] = true
		r.fail(rate, "needs an open loop, but arrival is closed; write arrival=fixed or arrival=poisson, or use target to throttle a closed loop")
	}
}

// goOnInserting lets a case of a suite file insert after the rows of earlier runs, unless it sets insert.base: a repeat
// that writes the same rows again would measure overwrites.
func (r *resolver) goOnInserting() {
	if _, set := r.given[insertBase]; !set {
		key, _ := r.table.find(insertBase)
		r.given[insertBase] = entry{key: key, written: insertBase, value: goOn}
	}
}

// settleInserts assigns key numbers to workers if a seed is set, so that the run can be reproduced. It applies to
// submissions only: resolved properties always contain a seed.
func (r *resolver) settleInserts() {
	seed, given := r.given["seed"]
	if _, chosen := r.given[insertNumbers]; chosen || !given || seed.idle() || r.bad["seed"] {
		return
	}
	key, _ := r.table.find(insertNumbers)
	r.given[insertNumbers] = entry{key: key, written: insertNumbers, value: dealt, place: seed.place, rank: seed.rank, order: seed.order}
}

// fixed sets arrival=fixed at the place of a rate.
func (r *resolver) fixed(rate entry) {
	key, _ := r.table.find("arrival")
	r.given["arrival"] = entry{key: key, written: "arrival", value: "fixed", place: rate.place, rank: rate.rank, order: rate.order}
}

// settleRecords sets the number of rows if recordcount is not set: insertstart+insertcount, or in a run 2^31-1, as in
// YCSB.
func (r *resolver) settleRecords() {
	const all = math.MaxInt32
	if r.value("workload") == seriesWorkload || r.value("recordcount") != "0" || !r.sound("recordcount", "insertstart", "insertcount", "phase") {
		return
	}
	v := property.Values{"insertstart": r.value("insertstart"), "insertcount": r.value("insertcount")}
	e := r.setting("recordcount")
	e.key, _ = r.table.find("recordcount")
	switch start, count := v.Int64("insertstart"), v.Int64("insertcount"); {
	case count > 0:
		e.value = strconv.FormatInt(start+count, 10)
		if r.value("phase") != "load" {
			r.warn(e, "is not set: insertstart+insertcount applies, %s", e.value)
		}
	case r.value("phase") == "run":
		e.value = strconv.Itoa(all)
		r.warn(e, "is not set: requests go to %s rows, as in YCSB; set it to the number of rows in the table", e.value)
	default:
		return
	}
	r.given["recordcount"] = e
}
