package foreign

import (
	"strings"
)

// known are YCSB's own properties that a result keeps. Those of bindings are left out: they may be passwords.
func known() []string {
	return strings.Fields(`recordcount operationcount insertstart insertcount threadcount target maxexecutiontime workload db
		table fieldcount fieldlength minfieldlength fieldlengthdistribution fieldnameprefix readallfields readallfieldsbyname writeallfields
		readproportion updateproportion insertproportion scanproportion readmodifywriteproportion requestdistribution
		minscanlength maxscanlength scanlengthdistribution insertorder zeropadding hotspotdatafraction hotspotopnfraction
		exponential.percentile exponential.frac dataintegrity measurementtype measurement.interval hdrhistogram.percentiles histogram.buckets
		status.interval columnfamily clientbuffering writebuffersize durability spin.sleep
		core_workload_insertion_retry_limit core_workload_insertion_retry_interval core_workload_insertion_keep_going_on_error
		reportlatencyforeacherror latencytrackederrors`)
}

const maxProperty = 256 // characters of a value

// commandLine reads the properties that YCSB was started with. A -P file is not there, so what it set is unknown.
func (r *reader) commandLine(text string) {
	if len(text) > 1<<20 || len(r.loads) == maxSheets {
		return
	}
	r.ycsb = true
	keep := make(map[string]bool)
	for _, name := range known() {
		keep[name] = true
	}
	put := func(name, value string) {
		if keep[name] {
			value = clean(value)
			r.properties[name] = value[:min(len(value), maxProperty)]
		}
	}
	load := false
	words := strings.Fields(text)
	for i, word := range words {
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		switch word {
		case "-load":
			load = true
		case "-t":
			load = false
		case "-threads":
			put("threadcount", next)
		case "-target":
			put("target", next)
		case "-db":
			put("db", next)
		case "-p":
			name, value, _ := strings.Cut(next, "=")
			put(name, value)
		case "-P":
			r.unread = true
			r.warn("the properties of the file %s (-P) are not in the output: only those of the command line are known", nameOf(next))
		}
	}
	r.loads = append(r.loads, load)
}
