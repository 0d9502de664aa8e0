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
)

// attach puts the contents of files that properties name among the settings.
func (j *judge) attach(attachments map[string][]byte) {
	j.attachHistogram(attachments)
	for _, a := range j.target().Attachments {
		j.attachFile(a, attachments)
	}
}

// fileOf is the name of the file whose content an attachment needs, or "".
func (j *judge) fileOf(a descriptor.Attachment) string {
	if _, filled := j.given[a.Into]; filled {
		return ""
	}
	return j.value(a.File)
}

// attachFile puts the content of a file of the target's among the settings.
func (j *judge) attachFile(a descriptor.Attachment, attachments map[string][]byte) {
	name := j.fileOf(a)
	if name == "" || j.bad[a.File] || j.bad[a.Into] {
		return
	}
	said := j.said(a.File)
	content, ok := attachments[name]
	if !ok {
		j.bad[a.Into] = true
		j.fail(said, "the content of file %s was not handed in; is there such a file where you submit from?", property.Quote(name))
		return
	}
	text, err := decodeText(content)
	var value string
	if err == nil {
		value, err = a.Parse(text)
	}
	if err != nil {
		j.bad[a.Into] = true
		j.fail(said, "file %s: %s", property.Quote(name), err)
		return
	}
	key, _ := j.table.find(a.Into)
	j.given[a.Into] = entry{key: key, written: a.Into, value: value, place: name, rank: said.rank, order: said.order}
}

func (j *judge) attachHistogram(attachments map[string][]byte) {
	if j.value("fieldlengthdistribution") != "histogram" {
		if e, ok := j.given[HistogramContent]; ok {
			j.warn(e, "has no effect without fieldlengthdistribution=histogram")
			delete(j.given, HistogramContent)
		}
		return
	}
	if _, ok := j.given[HistogramContent]; ok || j.bad["fieldlengthhistogram"] || j.bad[HistogramContent] {
		return
	}
	name := j.value("fieldlengthhistogram")
	content, ok := attachments[name]
	if !ok {
		j.bad[HistogramContent] = true
		j.fail(j.said("fieldlengthhistogram"), "the content of file %s was not handed in; is there such a file where you submit from?", property.Quote(name))
		return
	}
	text, err := decodeText(content)
	if err == nil {
		_, err = keyspace.ParseLengthHistogram(name, strings.NewReader(text))
	}
	if err != nil {
		j.bad[HistogramContent] = true
		j.fail(j.said("fieldlengthhistogram"), "%s", err)
		return
	}
	key, _ := j.table.find(HistogramContent)
	j.given[HistogramContent] = entry{key: key, written: HistogramContent, value: text, place: name}
}

// settle resolves what excludes each other and returns every setting of this run's target with its value, and
// what they mean.
func (j *judge) settle() (map[string]string, plan.Settings) {
	j.rivals("threadcount", "threads.total")
	j.rivals("target", "rate")
	for _, pair := range j.table.targets.Exclusive() {
		j.rivals(pair[0], pair[1])
	}
	j.settleArrival()
	j.settleRecords()
	j.settleWarmup()
	db := j.value("db")
	properties := make(map[string]string)
	for _, k := range j.table.keys {
		if k.Status != property.Honoured && k.Status != property.Reporting || !k.Serves(db) {
			continue
		}
		if v := j.value(k.Name); v != "" || k.Default != "" {
			properties[k.Name] = v
		}
	}
	// Settings are read with all defaults, those of no value too.
	return properties, values{properties, j.table.targets}.settings()
}

// rivals are two properties of which only one can hold: the one that was said in the stronger source.
func (j *judge) rivals(a, b string) {
	x, inX := j.given[a]
	y, inY := j.given[b]
	if !inX || !inY || x.idle() || y.idle() {
		return
	}
	if x.rank == y.rank {
		j.bad[a], j.bad[b] = true, true
		j.fail(y, "excludes %s (%s); give one of them", x.written, cmp.Or(x.place, "set too"))
		return
	}
	if x.rank > y.rank {
		x, y = y, x
	}
	j.warn(x, "is given up for %s (%s)", y.written, y.place)
	delete(j.given, x.key.Name)
}

// idle reports whether a setting says no more than its default does.
func (e entry) idle() bool { return e.value == e.key.Default }

// settleArrival makes rate and arrival agree: a rate means an open loop, at a fixed rate where nothing else is
// said. A flag's rate says so by itself; elsewhere it is worth a word.
func (j *judge) settleArrival() {
	rate, hasRate := j.given["rate"]
	arrival, hasArrival := j.given["arrival"]
	hasRate = hasRate && rate.value != ""
	open := hasArrival && arrival.value != "closed"
	switch {
	case j.bad["rate"] || j.bad["arrival"] || !hasRate && !open || hasRate && open:
	case !hasRate:
		j.bad["rate"], j.bad["target"] = true, true
		cure := "write how many operations per second, such as rate=1000"
		if target := j.value("target"); target != "0" {
			cure = fmt.Sprintf("target is of a closed loop; write rate=%s instead of it", target)
		}
		j.fail(arrival, "%s needs a rate: %s", arrival.value, cure)
	case !hasArrival:
		j.fixed(rate)
		if rate.rank < j.flags {
			j.warn(rate, "without arrival: taken as an open loop, arrival=fixed")
		}
	case arrival.rank > rate.rank:
		j.warn(rate, "is given up for arrival=closed (%s)", arrival.place)
		delete(j.given, "rate")
	case arrival.rank < rate.rank:
		j.warn(arrival, "is given up for rate (%s), which is of an open loop", rate.place)
		j.fixed(rate)
	default:
		j.bad["rate"] = true
		j.fail(rate, "is of an open loop, and arrival=closed says that there is none; write arrival=fixed or arrival=poisson, or target for a closed loop that is throttled")
	}
}

// goOnInserting lets a case of a suite file insert behind what the runs before it have inserted, unless it says otherwise:
// a repeat that writes the same rows again would measure overwrites.
func (j *judge) goOnInserting() {
	if _, said := j.given[insertBase]; !said {
		key, _ := j.table.find(insertBase)
		j.given[insertBase] = entry{key: key, written: insertBase, value: goOn}
	}
}

// settleInserts deals key numbers out to workers where a seed says that the run is to be repeated. It is for what a
// user says: resolved properties always hold a seed.
func (j *judge) settleInserts() {
	seed, given := j.given["seed"]
	if _, chosen := j.given[insertNumbers]; chosen || !given || seed.idle() || j.bad["seed"] {
		return
	}
	key, _ := j.table.find(insertNumbers)
	j.given[insertNumbers] = entry{key: key, written: insertNumbers, value: dealt, place: seed.place, rank: seed.rank, order: seed.order}
}

// fixed makes arrivals fixed because of a rate.
func (j *judge) fixed(rate entry) {
	key, _ := j.table.find("arrival")
	j.given["arrival"] = entry{key: key, written: "arrival", value: "fixed", place: rate.place, rank: rate.rank, order: rate.order}
}

// settleRecords decides how many rows there are where recordcount does not say: those of the part that
// insertcount tells, or in a run, as YCSB does, 2^31-1.
func (j *judge) settleRecords() {
	const all = math.MaxInt32
	if j.value("recordcount") != "0" || !j.sound("recordcount", "insertstart", "insertcount", "phase") {
		return
	}
	v := property.Values{"insertstart": j.value("insertstart"), "insertcount": j.value("insertcount")}
	e := j.said("recordcount")
	e.key, _ = j.table.find("recordcount")
	switch start, count := v.Int64("insertstart"), v.Int64("insertcount"); {
	case count > 0:
		e.value = strconv.FormatInt(start+count, 10)
		if j.value("phase") != "load" {
			j.warn(e, "not given: taken as insertstart+insertcount, %s", e.value)
		}
	case j.value("phase") == "run":
		e.value = strconv.Itoa(all)
		j.warn(e, "not given: rows are drawn from %s as in YCSB; say how many the table has", e.value)
	default:
		return
	}
	j.given["recordcount"] = e
}
