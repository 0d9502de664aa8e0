package spec

import (
	"strconv"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/keyspace"
	"github.com/benchd/benchd/internal/pacing"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/workload"
)

// values are properties in canonical spelling with every default filled in; what they say has been judged, so
// that reading them cannot fail.
type values map[string]string

// newValues judges the properties that want picks and fills in the defaults of the others of them.
func newValues(properties map[string]string, want func(Key) bool) (values, error) {
	var problems Problems
	v := make(values)
	for _, k := range Keys() {
		if !want(k) {
			continue
		}
		v[k.Name] = k.Default
		given, ok := properties[k.Name]
		if !ok {
			continue
		}
		canonical, err := k.canonical(given)
		if err != nil {
			problems = append(problems, Problem{Key: k.Name, Text: err.Error()})
			continue
		}
		v[k.Name] = canonical
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return v, nil
}

func (v values) text(name string) string { return v[name] }

func (v values) int64(name string) int64 {
	n, _ := strconv.ParseInt(v[name], 10, 64)
	return n
}

func (v values) int(name string) int { return int(v.int64(name)) }

func (v values) seed(name string) uint64 {
	n, _ := strconv.ParseUint(v[name], 10, 64)
	return n
}

func (v values) float(name string) float64 {
	f, _ := strconv.ParseFloat(v[name], 64)
	return f
}

func (v values) bool(name string) bool { return v[name] == "true" }

func (v values) duration(name string) time.Duration {
	d, _ := time.ParseDuration(v[name])
	return d
}

func (v values) distribution(name string) workload.Distribution {
	return workload.Distribution(v[name])
}

// settings turns values into what they mean.
func (v values) settings() plan.Settings {
	rate, _ := ParseRate(v.text("rate"))
	phase := v.text("phase")
	return plan.Settings{
		DB:       v.text("db"),
		Workload: v.workload(),
		Pacing: pacing.Config{
			Arrival: pacing.Arrival(v.text("arrival")),
			Rate:    rate,
			CatchUp: float64(v.int64("target")),
		},
		Load:         phase != "run",
		Run:          phase != "load",
		Threads:      v.int("threadcount"),
		ThreadsTotal: v.int("threads.total"),
		Duration:     v.duration("duration"),
		Warmup:       v.duration("warmup"),
		WarmupOps:    v.int64("warmup.ops"),
		WarmupUntil:  plan.Until(v.text("warmup.until")),
		Interval:     v.duration("interval"),

		AfterLoad:     v.afterLoad(),
		BeforeRun:     v.actionNames(BeforeProperty),
		Actions:       v.actions(),
		ActionTimeout: v.duration("hbase.action.timeout"),

		HandoverAfter:   v.duration(HandoverProperty),
		Telemetry:       v.telemetry(),
		ContinueInserts: v.text(insertBase) == goOn,

		Limits: plan.Limits{
			NotFoundShare: v.float("limit.notfound"),
			ErrorShare:    v.float("limit.errors"),
		},
	}
}

func (v values) actions() []plan.Action {
	list, _ := ParseActions(v.text(ActionsProperty))
	return list
}

func (v values) workload() workload.Config {
	c := workload.Config{
		RecordCount:    v.int64("recordcount"),
		OperationCount: v.int64("operationcount"),
		InsertStart:    v.int64("insertstart"),
		InsertCount:    v.int64("insertcount"),
		InsertBase:     v.int64("insertbase"),
		DealInserts:    v.text(insertNumbers) == dealt,

		Proportions: workload.Proportions{
			Read:            v.float("readproportion"),
			Update:          v.float("updateproportion"),
			Insert:          v.float("insertproportion"),
			Scan:            v.float("scanproportion"),
			ReadModifyWrite: v.float("readmodifywriteproportion"),
			Delete:          v.float("deleteproportion"),
			Increment:       v.float("incrementproportion"),
			Append:          v.float("appendproportion"),
			MultiGet:        v.float("multigetproportion"),
			CheckAndPut:     v.float("checkandputproportion"),
		},
		RequestDistribution:   v.distribution("requestdistribution"),
		HotspotDataFraction:   v.float("hotspotdatafraction"),
		HotspotOpnFraction:    v.float("hotspotopnfraction"),
		ExponentialPercentile: v.float("exponential.percentile"),
		ExponentialFrac:       v.float("exponential.frac"),

		FieldCount:              v.int("fieldcount"),
		FieldNamePrefix:         v.text("fieldnameprefix"),
		FieldLength:             v.int("fieldlength"),
		MinFieldLength:          v.int("minfieldlength"),
		FieldLengthDistribution: v.distribution("fieldlengthdistribution"),

		ReadAllFields:       v.bool("readallfields"),
		ReadAllFieldsByName: v.bool("readallfieldsbyname"),
		WriteAllFields:      v.bool("writeallfields"),

		MinScanLength:          v.int("minscanlength"),
		MaxScanLength:          v.int("maxscanlength"),
		ScanLengthDistribution: v.distribution("scanlengthdistribution"),

		Ordered:     v.text("insertorder") != "hashed",
		ZeroPadding: v.int("zeropadding"),
		KeyPrefix:   v.text("keyprefix"),

		DataIntegrity: v.bool("dataintegrity"),

		BatchSize:    v.int("batchsize"),
		MultiGetSize: v.int("multiget.size"),
		IncrementBy:  v.int64("increment.by"),

		InsertionRetryLimit:    v.int("core_workload_insertion_retry_limit"),
		InsertionRetryInterval: time.Duration(v.int64("core_workload_insertion_retry_interval")) * time.Second,
		InsertionKeepGoing:     v.bool("core_workload_insertion_keep_going_on_error"),

		Seed: v.seed("seed"),
	}
	if c.FieldLengthDistribution == workload.Histogram && v[HistogramContent] != "" {
		c.FieldLengthHistogram, _ = keyspace.ParseLengthHistogram("", strings.NewReader(v[HistogramContent]))
	}
	return c
}
