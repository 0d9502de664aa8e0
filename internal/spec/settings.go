package spec

import (
	"strings"
	"time"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/keyspace"
	"github.com/benchd/benchd/internal/pacing"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/property"
	"github.com/benchd/benchd/internal/trace"
	"github.com/benchd/benchd/internal/workload"
)

// values are validated properties of a run on one of the targets.
type values struct {
	property.Values
	targets descriptor.List
}

func (v values) distribution(name string) workload.Distribution {
	return workload.Distribution(v.Text(name))
}

// target returns the description of the values' target, or an empty one if there is no such target.
func (v values) target() descriptor.Target {
	t, _ := v.targets.Find(v.Text("db"))
	return t
}

// settings converts the values to plan.Settings.
func (v values) settings() plan.Settings {
	rate, _ := ParseRate(v.Text("rate"))
	phase := v.Text("phase")
	s := plan.Settings{
		DB:       v.Text("db"),
		Workload: v.workload(),
		Pacing: pacing.Config{
			Arrival: pacing.Arrival(v.Text("arrival")),
			Rate:    rate,
			CatchUp: float64(v.Int64("target")),
		},
		Load:         phase != "run",
		Run:          phase != "load",
		Threads:      v.Int("threadcount"),
		ThreadsTotal: v.Int("threads.total"),
		Duration:     v.Duration("duration"),
		Warmup:       v.Duration("warmup"),
		WarmupOps:    v.Int64("warmup.ops"),
		WarmupUntil:  plan.Until(v.Text("warmup.until")),
		Interval:     v.Duration("interval"),

		AfterLoad:     v.List(plan.AfterLoadProperty),
		BeforeRun:     v.List(plan.BeforeRunProperty),
		Actions:       v.actions(),
		ActionTimeout: v.Duration(plan.ActionTimeoutProperty),

		HandoverAfter:   v.Duration(HandoverProperty),
		Telemetry:       v.telemetry(),
		ContinueInserts: v.Text(insertBase) == goOn,

		Limits: plan.Limits{
			NotFoundShare: v.Float("limit.notfound"),
			ErrorShare:    v.Float("limit.errors"),
		},
	}
	if s.Workload.Series != nil {
		s.ContinueInserts = false // its rows are the keys of series
	}
	s.RowsAfterLoad, s.RowsBeforeRun = v.rowsChanges(s.AfterLoad), v.rowsChanges(s.BeforeRun)
	if card, err := trace.ParseCard([]byte(v.Text(TraceCard))); err == nil {
		s.Trace, s.Speed = &card, v.Float(replaySpeed)
	}
	t := v.target()
	s.Empties = t.Empties != nil && t.Empties(v.Values)
	if t.Splits != nil {
		s.Splits = t.Splits(v.Values)
	}
	return s
}

func (v values) actions() []plan.Action {
	list, _ := actionsOf(v.targets...).parse(v.Text(ActionsProperty))
	return list
}

func (v values) workload() workload.Config {
	c := workload.Config{
		RecordCount:    v.Int64("recordcount"),
		OperationCount: v.Int64("operationcount"),
		InsertStart:    v.Int64("insertstart"),
		InsertCount:    v.Int64("insertcount"),
		InsertBase:     v.Int64("insertbase"),
		DealInserts:    v.Text(insertNumbers) == dealt,

		Proportions: workload.Proportions{
			Read:            v.Float("readproportion"),
			Update:          v.Float("updateproportion"),
			Insert:          v.Float("insertproportion"),
			Scan:            v.Float("scanproportion"),
			ReadModifyWrite: v.Float("readmodifywriteproportion"),
			Delete:          v.Float("deleteproportion"),
			Increment:       v.Float("incrementproportion"),
			Append:          v.Float("appendproportion"),
			MultiGet:        v.Float("multigetproportion"),
			CheckAndPut:     v.Float("checkandputproportion"),
			MultiRow:        v.Float("multirowproportion"),
		},
		RequestDistribution:   v.distribution("requestdistribution"),
		HotspotDataFraction:   v.Float("hotspotdatafraction"),
		HotspotOpnFraction:    v.Float("hotspotopnfraction"),
		ExponentialPercentile: v.Float("exponential.percentile"),
		ExponentialFrac:       v.Float("exponential.frac"),

		FieldCount:              v.Int("fieldcount"),
		FieldNamePrefix:         v.Text("fieldnameprefix"),
		FieldLength:             v.Int("fieldlength"),
		MinFieldLength:          v.Int("minfieldlength"),
		FieldLengthDistribution: v.distribution("fieldlengthdistribution"),

		ReadAllFields:       v.Bool("readallfields"),
		ReadAllFieldsByName: v.Bool("readallfieldsbyname"),
		WriteAllFields:      v.Bool("writeallfields"),

		MinScanLength:          v.Int("minscanlength"),
		MaxScanLength:          v.Int("maxscanlength"),
		ScanLengthDistribution: v.distribution("scanlengthdistribution"),

		Ordered:     v.Text("insertorder") != "hashed",
		ZeroPadding: v.Int("zeropadding"),
		KeyPrefix:   v.Text("keyprefix"),
		KeyTemplate: v.Text(keyTemplate),
		ValueRatio:  v.Float(valueRatio),

		DataIntegrity: v.Bool("dataintegrity"),

		BatchSize:    v.Int("batchsize"),
		MultiGetSize: v.Int("multiget.size"),
		MultiRowSize: v.Int("multirow.size"),
		IncrementBy:  v.Int64("increment.by"),

		InsertionRetryLimit:    v.Int("core_workload_insertion_retry_limit"),
		InsertionRetryInterval: time.Duration(v.Int64("core_workload_insertion_retry_interval")) * time.Second,
		InsertionKeepGoing:     v.Bool("core_workload_insertion_keep_going_on_error"),

		Seed: v.Uint64("seed"),
	}
	if c.Series = v.series(); c.Series != nil {
		c.InsertStart = 0 // a timestamp, not a row
	}
	if c.FieldLengthDistribution == workload.Histogram && v.Text(HistogramContent) != "" {
		c.FieldLengthHistogram, _ = keyspace.ParseLengthHistogram("", strings.NewReader(v.Text(HistogramContent)))
	}
	if c.FieldLengthDistribution == workload.Sample && v.Text(SizesContent) != "" {
		c.ValueSizes, _ = keyspace.ParseLengthSample("", v.Text(SizesContent))
	}
	if c.RequestDistribution == workload.Histogram && v.Text(RequestsContent) != "" {
		c.RequestHistogram, _ = keyspace.ParsePopularity("", strings.NewReader(v.Text(RequestsContent)))
	}
	return c
}
