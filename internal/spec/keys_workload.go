package spec

import (
	"github.com/benchd/benchd/internal/property"
	"github.com/benchd/benchd/internal/workload"
)

// HistogramContent is the property under which the content of the fieldlengthhistogram file travels to the
// agents, which have not the user's disk.
const HistogramContent = "fieldlengthhistogram.content"

// How the numbers of the rows that a run inserts are given out.
const (
	insertNumbers = "insert.numbers"
	shared        = "shared"
	dealt         = "dealt"
)

// Where they begin; see plan.Settings.ContinueInserts.
const (
	insertBase      = "insert.base"
	fromRecordCount = "recordcount"
	goOn            = "continue"
)

// workloadKeys are the properties of what is done: rows, operations, fields.
func workloadKeys() []property.Key {
	const rows = 1 << 60
	proportion := func(name, byDefault, doc string) property.Key {
		return property.Key{Name: name, Kind: property.Float, Default: byDefault, Max: 1e6, Doc: doc}
	}
	return []property.Key{
		{Name: "recordcount", Kind: property.Int, Default: "0", Max: rows, Doc: "rows of the table; a load writes as many unless insertcount is given"},
		{Name: "operationcount", Kind: property.Int, Default: "0", Max: rows, Doc: "operations over all agents; 0 is endless"},
		{Name: "insertstart", Kind: property.Int, Default: "0", Max: rows, Doc: "the first row's number"},
		{Name: "insertcount", Kind: property.Int, Default: "0", Max: rows, Doc: "rows to load from insertstart on, and to draw from; 0 is recordcount, less insertstart to draw from"},
		{Name: "insertbase", Kind: property.Int, Default: "0", Max: rows, Doc: "the number of the first row that a run inserts; 0 is recordcount"},
		{Name: insertBase, Kind: property.Enum, Default: fromRecordCount, Values: []string{fromRecordCount, goOn}, Doc: "where a run or load of a suite of several begins to insert: recordcount, where the file says (a repeat writes the same rows again); continue, behind all rows that earlier ones inserted into the same dataset on the same target; continue is the default in suite files"},
		{Name: insertNumbers, Kind: property.Enum, Default: shared, Values: []string{shared, dealt}, Doc: "who inserts which number in a run: shared, each agent's workers take its next one as they come; dealt, each worker has numbers of its own and reads no new rows but its own, so that a seed repeats it all; dealt is the default where seed is given"},

		proportion("readproportion", "0.95", "weight of reads"),
		proportion("updateproportion", "0.05", "weight of updates"),
		proportion("insertproportion", "0", "weight of inserts"),
		proportion("scanproportion", "0", "weight of scans"),
		proportion("readmodifywriteproportion", "0", "weight of a read followed by an update of the same row"),
		proportion("deleteproportion", "0", "weight of deletes"),
		proportion("incrementproportion", "0", "weight of increments"),
		proportion("appendproportion", "0", "weight of appends"),
		proportion("multigetproportion", "0", "weight of reads of several rows at once"),
		proportion("checkandputproportion", "0", "weight of writes on a condition"),

		{Name: "fieldcount", Kind: property.Int, Default: "10", Min: 1, Max: 100_000, Doc: "fields of a row"},
		{Name: "fieldnameprefix", Kind: property.Text, Default: "field", Doc: "what a field's name begins with; its number follows"},
		{Name: "fieldlength", Kind: property.Int, Default: "100", Min: 1, Max: 64 << 20, Doc: "bytes of a field, or the most of them"},
		{Name: "minfieldlength", Kind: property.Int, Default: "1", Min: 1, Max: 64 << 20, Doc: "the least bytes of a field whose length is drawn"},
		{Name: "fieldlengthhistogram", Kind: property.Text, File: true, Default: "hist.txt", Doc: "the file of fieldlengthdistribution=histogram"},
		{Name: HistogramContent, Kind: property.Text, Check: checkHistogram, Doc: "what that file says; filled in from the file"},

		{Name: "readallfields", Kind: property.Bool, Default: "true", Doc: "read all fields, not one"},
		{Name: "readallfieldsbyname", Kind: property.Bool, Default: "false", Doc: "name them all instead of asking for the whole row"},
		{Name: "writeallfields", Kind: property.Bool, Default: "false", Doc: "update all fields, not one"},
		{Name: "minscanlength", Kind: property.Int, Default: "1", Min: 1, Max: 1e9, Doc: "the least rows of a scan"},
		{Name: "maxscanlength", Kind: property.Int, Default: "1000", Min: 1, Max: 1e9, Doc: "the most rows of a scan"},

		{Name: "insertorder", Kind: property.Enum, Default: "hashed", Values: []string{"hashed", "ordered"}, Doc: "whether a key is the hash of the row's number or the number itself"},
		{Name: "zeropadding", Kind: property.Int, Default: "1", Min: 0, Max: 1000, Doc: "the least digits of a key"},
		{Name: "keyprefix", Kind: property.Text, Default: "user", Doc: "what a key begins with"},
		{Name: "dataintegrity", Kind: property.Bool, Default: "false", Doc: "write values that can be checked, and check what is read"},

		{Name: "batchsize", Kind: property.Int, Default: "1", Min: 1, Max: 100_000, Doc: "rows of one insert: an operation is then a batch"},
		{Name: "multiget.size", Kind: property.Int, Default: "10", Min: 1, Max: 100_000, Doc: "rows of one multi-get"},
		{Name: "increment.by", Kind: property.Int, Default: "1", Min: -1e15, Max: 1e15, Doc: "what an increment adds"},

		{Name: "core_workload_insertion_retry_limit", Kind: property.Int, Default: "0", Max: 1e6, Doc: "how often a failed insert of the load phase is tried again"},
		{Name: "core_workload_insertion_retry_interval", Kind: property.Int, Default: "3", Max: 86400, Doc: "seconds between such tries, more or less"},
		{Name: "core_workload_insertion_keep_going_on_error", Kind: property.Bool, Default: "false", Doc: "whether a worker goes on after an insert failed for good"},

		{Name: "seed", Kind: property.Int, Default: "0", Check: property.CheckSeed, Doc: "of all that is drawn; the same seed gives the same operations; 0 gives each run its own"},
	}
}

// distributionKeys are the properties of how numbers are drawn.
func distributionKeys() []property.Key {
	return []property.Key{
		{
			Name: "requestdistribution", Kind: property.Enum, Default: "uniform",
			Values: workload.DistributionNames(workload.Drawing.DrawsRequests),
			Doc:    "how rows are chosen",
		},
		{
			Name: "fieldlengthdistribution", Kind: property.Enum, Default: "constant",
			Values: workload.DistributionNames(workload.Drawing.DrawsFields),
			Doc:    "how field lengths are drawn",
		},
		{
			Name: "scanlengthdistribution", Kind: property.Enum, Default: "uniform",
			Values: workload.DistributionNames(workload.Drawing.DrawsScans),
			Doc:    "how the lengths of scans are drawn",
		},
		{Name: "hotspotdatafraction", Kind: property.Float, Default: "0.2", Max: 1, Doc: "share of rows that are hot"},
		{Name: "hotspotopnfraction", Kind: property.Float, Default: "0.8", Max: 1, Doc: "share of operations that go to them"},
		{Name: "exponential.percentile", Kind: property.Float, Default: "95", Max: 100, Doc: "percent of operations that go to the newest exponential.frac of rows"},
		{Name: "exponential.frac", Kind: property.Float, Default: "0.8571428571", Max: 1, Doc: "see exponential.percentile"},
	}
}
