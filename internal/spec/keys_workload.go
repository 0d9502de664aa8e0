package spec

import (
	"github.com/benchd/benchd/internal/property"
	"github.com/benchd/benchd/internal/workload"
)

// HistogramContent is the property that carries the content of the fieldlengthhistogram file to the agents, which cannot
// read the user's files.
const HistogramContent = "fieldlengthhistogram.content"

// The properties of the user's own keys and values. SizesContent carries the content of the file of sizes.
const (
	keyTemplate  = "key.template"
	valueRatio   = "value.ratio"
	valueSizes   = "value.sizes"
	SizesContent = "value.sizes.content"
)

// RequestsContent is the same of the requesthistogram file.
const RequestsContent = "requesthistogram.content"

// How a run assigns row numbers to its inserts.
const (
	insertNumbers = "insert.numbers"
	shared        = "shared"
	dealt         = "dealt"
)

// Where these numbers start; see plan.Settings.ContinueInserts.
const (
	insertBase      = "insert.base"
	fromRecordCount = "recordcount"
	goOn            = "continue"
)

// workloadKeys are the properties of the workload: rows, operations and fields.
func workloadKeys() []property.Key {
	const rows = 1 << 60
	proportion := func(name, byDefault, doc string) property.Key {
		return property.Key{Name: name, Kind: property.Float, Default: byDefault, Max: 1e6, Doc: doc}
	}
	return []property.Key{
		{Name: "recordcount", Kind: property.Int, Default: "0", Max: rows, Doc: "number of rows in the table; a load writes this many unless insertcount is set"},
		{Name: "operationcount", Kind: property.Int, Default: "0", Max: rows, Doc: "number of operations over all agents; 0 means no limit"},
		{Name: "insertstart", Kind: property.Int, Default: "0", Max: rows, Doc: "number of the first row"},
		{Name: "insertcount", Kind: property.Int, Default: "0", Max: rows, Doc: "number of rows to load and to request, from insertstart on; 0 means recordcount for a load, and recordcount minus insertstart for requests"},
		{Name: "insertbase", Kind: property.Int, Default: "0", Max: rows, Doc: "number of the first row that a run inserts; 0 means recordcount"},
		{Name: insertBase, Kind: property.Enum, Default: fromRecordCount, Values: []string{fromRecordCount, goOn}, Doc: "where a run or load starts to insert within a suite of several: recordcount, at the number that the file sets (a repeat writes the same rows again); continue, after all rows that earlier ones inserted into the same dataset on the same target; the default in suite files is continue"},
		{Name: insertNumbers, Kind: property.Enum, Default: shared, Values: []string{shared, dealt}, Doc: "how a run assigns row numbers to inserts: shared, each worker takes the next number of its agent; dealt, each worker has its own numbers and reads no new rows but its own, so that a seed reproduces all operations; the default with seed is dealt"},

		proportion("readproportion", "0.95", "weight of reads"),
		proportion("updateproportion", "0.05", "weight of updates"),
		proportion("insertproportion", "0", "weight of inserts"),
		proportion("scanproportion", "0", "weight of scans"),
		proportion("readmodifywriteproportion", "0", "weight of a read followed by an update of the same row"),
		proportion("deleteproportion", "0", "weight of deletes"),
		proportion("incrementproportion", "0", "weight of increments"),
		proportion("appendproportion", "0", "weight of appends"),
		proportion("multigetproportion", "0", "weight of reads of several rows in one request"),
		proportion("checkandputproportion", "0", "weight of conditional writes"),
		proportion("multirowproportion", "0", "weight of writes of several rows that take effect together or not at all"),

		{Name: "fieldcount", Kind: property.Int, Default: "10", Min: 1, Max: 100_000, Doc: "number of fields in a row"},
		{Name: "fieldnameprefix", Kind: property.Text, Default: "field", Doc: "prefix of a field's name; the number of the field follows"},
		{Name: "fieldlength", Kind: property.Int, Default: "100", Min: 1, Max: 64 << 20, Doc: "length of a field in bytes, or its maximum"},
		{Name: "minfieldlength", Kind: property.Int, Default: "1", Min: 1, Max: 64 << 20, Doc: "minimum length of a field in bytes where the length is random"},
		{Name: "fieldlengthhistogram", Kind: property.Text, File: true, Default: "hist.txt", Doc: "histogram file for fieldlengthdistribution=histogram"},
		{Name: HistogramContent, Kind: property.Text, Check: checkHistogram, Doc: "content of that file; filled in from the file"},

		{Name: valueSizes, Kind: property.Text, File: true, Doc: "file with a sample of sizes of values for fieldlengthdistribution=sample: on each line the bytes of a value and, optionally, the number of such values"},
		{Name: SizesContent, Kind: property.Text, Check: checkSizes, Doc: "content of that file; filled in from the file"},
		{Name: valueRatio, Kind: property.Float, Default: "0", Max: 1, Doc: "compressed size of the values, as a part of their size, for zstd and snappy alike, 0.4 to 1; 0 means YCSB's values, which are printable characters"},

		{Name: "readallfields", Kind: property.Bool, Default: "true", Doc: "read all fields instead of one"},
		{Name: "readallfieldsbyname", Kind: property.Bool, Default: "false", Doc: "request all fields by name instead of the whole row"},
		{Name: "writeallfields", Kind: property.Bool, Default: "false", Doc: "update all fields instead of one"},
		{Name: "minscanlength", Kind: property.Int, Default: "1", Min: 1, Max: 1e9, Doc: "minimum number of rows of a scan"},
		{Name: "maxscanlength", Kind: property.Int, Default: "1000", Min: 1, Max: 1e9, Doc: "maximum number of rows of a scan"},

		{Name: "insertorder", Kind: property.Enum, Default: "hashed", Values: []string{"hashed", "ordered"}, Doc: "how a row's number becomes its key: hashed, the hash of the number; ordered, the number itself"},
		{Name: "zeropadding", Kind: property.Int, Default: "1", Min: 0, Max: 1000, Doc: "minimum number of digits in a key"},
		{Name: "keyprefix", Kind: property.Text, Default: "user", Doc: "prefix of a key"},
		{Name: keyTemplate, Kind: property.Text, Check: checkTemplate, Doc: "keys of your own, such as {tenant:zipf(1000)}-{ts:reverse}-{seq:hash}, instead of keyprefix, zeropadding and insertorder; see docs/keys.md"},
		{Name: "dataintegrity", Kind: property.Bool, Default: "false", Doc: "write values that can be verified, and verify the values of reads"},

		{Name: "batchsize", Kind: property.Int, Default: "1", Min: 1, Max: 100_000, Doc: "number of rows per insert; an operation is then one batch"},
		{Name: "multiget.size", Kind: property.Int, Default: "10", Min: 1, Max: 100_000, Doc: "number of rows per multi-get"},
		{Name: "multirow.size", Kind: property.Int, Default: "5", Min: 2, Max: 1000, Doc: "number of rows that such a write has"},
		{Name: "increment.by", Kind: property.Int, Default: "1", Min: -1e15, Max: 1e15, Doc: "amount that an increment adds"},

		{Name: "core_workload_insertion_retry_limit", Kind: property.Int, Default: "0", Max: 1e6, Doc: "number of retries of a failed insert in the load phase"},
		{Name: "core_workload_insertion_retry_interval", Kind: property.Int, Default: "3", Max: 86400, Doc: "approximate seconds between these retries"},
		{Name: "core_workload_insertion_keep_going_on_error", Kind: property.Bool, Default: "false", Doc: "whether a worker continues after an insert has failed permanently"},

		{Name: "seed", Kind: property.Int, Default: "0", Check: property.CheckSeed, Doc: "seed of all random choices; the same seed gives the same operations; 0 gives each run its own seed"},
	}
}

// distributionKeys are the properties of random distributions.
func distributionKeys() []property.Key {
	return []property.Key{
		{
			Name: "requestdistribution", Kind: property.Enum, Default: "uniform",
			Values: workload.DistributionNames(workload.Drawing.DrawsRequests),
			Doc:    "distribution of the requested rows",
		},
		{Name: "requesthistogram", Kind: property.Text, File: true, Default: "requests.hist", Doc: "histogram file for requestdistribution=histogram: lines of a number of rows, a tab and the number of their requests, the most popular rows first"},
		{Name: RequestsContent, Kind: property.Text, Check: checkRequests, Doc: "content of that file; filled in from the file"},
		{
			Name: "fieldlengthdistribution", Kind: property.Enum, Default: "constant",
			Values: workload.DistributionNames(workload.Drawing.DrawsFields),
			Doc:    "distribution of field lengths",
		},
		{
			Name: "scanlengthdistribution", Kind: property.Enum, Default: "uniform",
			Values: workload.DistributionNames(workload.Drawing.DrawsScans),
			Doc:    "distribution of scan lengths",
		},
		{Name: "hotspotdatafraction", Kind: property.Float, Default: "0.2", Max: 1, Doc: "share of rows that are hot"},
		{Name: "hotspotopnfraction", Kind: property.Float, Default: "0.8", Max: 1, Doc: "share of operations that go to the hot rows"},
		{Name: "exponential.percentile", Kind: property.Float, Default: "95", Max: 100, Doc: "percentage of operations that go to the newest rows, of which exponential.frac is the share"},
		{Name: "exponential.frac", Kind: property.Float, Default: "0.8571428571", Max: 1, Doc: "share of rows that exponential.percentile refers to, the newest ones"},
	}
}
