package wire

import (
	"fmt"
	"math"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/latency"
)

// Bounds of numbers in several messages. Every bound is far above anything that an honest peer sends, and low enough that
// sums and differences of such numbers do not overflow.
const (
	maxSeq      = 1 << 31                           // a number of a window, or of windows: decades of them
	maxCount    = 1 << 48                           // of things in a window
	maxTotal    = 1 << 53                           // of things in a phase
	maxTime     = int64(10 * 365 * 24 * time.Hour)  // ns in a run
	maxPlanned  = int64(100 * 366 * 24 * time.Hour) // ns in a setting
	minInstant  = -1 << 61                          // ns since 1970, by any clock
	maxInstant  = 1 << 62                           // likewise
	maxShards   = 1 << 20                           // of a run, and attempts at one
	maxCores    = 1 << 20                           // of a machine
	maxTraffic  = 1 << 60                           // bytes of a machine
	maxKey      = 1 << 62                           // a key number
	maxObserved = 1e24                              // of a figure: JMX uses the greatest int64 for "unlimited"
	maxFigure   = 1e30                              // of a figure that is only shown
	maxForeign  = 1 << 12                           // files of another program, and runs of them
	maxFile     = 1 << 30                           // bytes of such a file
	anyNumber   = math.MaxInt64                     // echoed or compared, never computed with
)

// bound is the range of a number in a message, both ends included. Zero is always allowed: a field that the peer does not
// know is zero.
type bound struct {
	field    string // message and field
	min, max float64
	items    int  // how many a list or map may have; 0 if the field is neither
	nan      bool // NaN is allowed: the decoder replaces it
}

func upTo(field string, highest float64) bound { return bound{field: field, max: highest} }

func between(field string, lowest, highest float64) bound {
	return bound{field: field, min: lowest, max: highest}
}

// bounds is the table of the bounds on messages: a line for each number of each message of package benchd.v1, and for each
// list. A test fails for a number without a bound; docs/limits.md is generated from it.
func bounds() []bound {
	return []bound{
		// Agents to coordinators.
		upTo("Hello.protocol", anyNumber), // another version is refused with an explanation
		between("Hello.agent_ns", minInstant, maxInstant),
		{field: "Hello.labels", items: maxMap},
		{field: "Hello.held", items: maxHeld},
		{field: "Hello.hooks", items: maxMap},
		upTo("HostFacts.cores", maxCores),
		upTo("HostFacts.memory_bytes", maxTraffic),
		upTo("ShardId.shard", maxShards),
		upTo("ShardId.attempt", maxShards),
		{field: "HeldShard.ended", items: maxPhases},
		{field: "HeldShard.started", items: maxPhases},
		upTo("ProbeReply.seq", anyNumber),
		between("ProbeReply.received_agent_ns", minInstant, maxInstant),
		between("ProbeReply.sent_agent_ns", minInstant, maxInstant),
		{field: "Prepared.target_facts", items: maxMap},
		between("Started.first_sent_agent_ns", minInstant, maxInstant),
		upTo("Window.seq", maxSeq),
		upTo("Window.start_ns", float64(maxTime)),
		upTo("Window.end_ns", float64(maxTime)),
		{field: "Window.series", items: maxSeries},
		upTo("Window.rows", maxCount),
		upTo("Window.bytes", maxCount),
		upTo("Window.issued", maxTotal),
		upTo("Window.recorded", maxTotal),
		{field: "Window.samples", items: maxSamples},
		upTo("Window.watermark", maxKey),
		{field: "Window.retries", max: maxCount, items: maxCauses},
		{field: "Window.loaded", max: maxKey, items: maxWorkers},
		{field: "Window.groups", items: maxGroups},
		upTo("GroupCount.issued", maxTotal),
		upTo("GroupCount.recorded", maxTotal),
		upTo("GroupCount.rows", maxCount),
		upTo("GroupCount.bytes", maxCount),
		upTo("GroupCount.late_sends", maxCount),
		upTo("GroupCount.backlog", maxTotal),
		{field: "Health.cores", max: maxCores, nan: true},
		{field: "Health.host_idle", min: -1, max: 2, nan: true},
		{field: "Health.net_use", max: 1},
		{field: "Health.own_cpu", max: maxCores, nan: true},
		upTo("Health.net_rx", maxTraffic),
		upTo("Health.net_tx", maxTraffic),
		upTo("Health.gc_pauses", maxSeq),
		upTo("Health.gc_pause_total_ns", float64(maxTime)),
		upTo("Health.gc_pause_max_ns", float64(maxTime)),
		upTo("Health.sched_lag_p99_ns", float64(maxTime)),
		upTo("Health.sched_lag_max_ns", float64(maxTime)),
		upTo("Health.late_sends", maxCount),
		upTo("Health.late_max_ns", float64(maxTime)),
		upTo("Health.backlog", maxTotal),
		between("PhaseEnded.ended_ns", -float64(maxTime), float64(maxTime)),
		upTo("PhaseEnded.issued", maxTotal),
		upTo("PhaseEnded.recorded", maxTotal),
		upTo("PhaseEnded.windows", maxSeq),
		{field: "PhaseEnded.client", max: maxCount, items: maxMap},
		between("PhaseEnded.inserted_below", -maxKey, maxKey),
		between("PhaseEnded.inserted_rows", -maxKey, maxKey),
		{field: "Observations.figures", items: MaxFigures},
		{field: "Observations.happenings", items: maxHappenings},
		{field: "Observations.warnings", items: maxNotices},
		{field: "Observed.at_run_ns", max: float64(maxTime), items: MaxPoints},
		{field: "Observed.values", min: -maxObserved, max: maxObserved, items: MaxPoints},
		upTo("Happening.at_run_ns", float64(maxTime)),
		upTo("PointsPiece.number", anyNumber),

		// Coordinators to agents.
		upTo("Probe.seq", anyNumber),
		upTo("Prepare.shards", maxShards),
		upTo("Prepare.workers", maxWorkers),
		{field: "Prepare.phases", items: maxPhases},
		{field: "Prepare.properties", items: maxMap},
		{field: "Prepare.loaded", max: maxKey, items: maxWorkers},
		upTo("Phase.duration_ns", float64(maxPlanned)),
		upTo("Phase.ops", maxKey),
		between("Start.at_run_ns", minInstant, maxInstant),
		between("Timebase.agent_ns", minInstant, maxInstant),
		between("Timebase.run_ns", minInstant, maxInstant),
		{field: "Timebase.rate_ppb", min: -1e9, max: 1e9, nan: true},
		upTo("Watermark.key", maxKey),
		upTo("Ack.seq", maxSeq),
		upTo("Observe.host_every_ns", float64(maxPlanned)),
		{field: "ActionOrder.args", items: maxMap},
		{field: "ActionOrder.properties", items: maxMap},
		upTo("ActionOrder.timeout_ns", float64(maxPlanned)),
		upTo("PointsOrder.number", anyNumber),
		upTo("PointsOrder.offset", maxTraffic),

		// benchctl to coordinators.
		upTo("SubmitRequest.agents", maxShards),
		{field: "SubmitRequest.select", items: maxLabels},
		upTo("AdviseRequest.agents", maxShards),
		{field: "AdviseRequest.select", items: maxLabels},
		{field: "Submission.files", items: maxMap},
		{field: "Submission.properties", items: maxSettings},
		{field: "Submission.flags", items: maxSettings},
		{field: "Submission.tags", items: maxMap},
		{field: "Submission.attachments", items: maxMap},
		{field: "Submission.variables", items: maxSettings},
		{field: "ForeignImport.tags", items: maxMap},
		{field: "ForeignImport.files", items: maxForeign},
		upTo("ForeignImport.unit_ns", 1e9),
		upTo("ForeignFile.bytes", maxFile),
		upTo("ForeignFile.repeat", maxForeign),
		upTo("ListRequest.limit", anyNumber),
		{field: "ListRequest.statuses", items: maxMap},
		{field: "ListRequest.tags", items: maxMap},
		{field: "AnnotateRequest.tags", items: maxMap},
		{field: "AnnotateRequest.untag", items: maxMap},
		upTo("HistogramsRequest.at_most", anyNumber),
		upTo("ChartRequest.points", anyNumber),
		upTo("ChartRequest.from_ns", float64(maxTime)),
		upTo("ChartRequest.to_ns", float64(maxTime)),
		upTo("ChartRequest.step_ns", float64(maxTime)),
		{field: "ActRequest.args", items: maxMap},

		// Coordinators to benchctl.
		{field: "SubmitResponse.warnings", items: maxList},
		{field: "ScheduleResponse.warnings", items: maxList},
		{field: "ValidateResponse.warnings", items: maxList},
		{field: "ActResponse.warnings", items: maxList},
		upTo("WatchResponse.planned_ops", anyNumber),
		upTo("WatchResponse.ops", anyNumber),
		{field: "WatchResponse.rate", min: -maxFigure, max: maxFigure, nan: true},
		{field: "WatchResponse.operations", items: maxList},
		{field: "WatchResponse.agents", items: maxShards},
		{field: "WatchResponse.events", items: maxList},
		upTo("WatchResponse.runs", anyNumber),
		upTo("WatchResponse.runs_ended", anyNumber),
		upTo("WatchResponse.runs_at_most", anyNumber),
		{field: "WatchResponse.offered", min: -maxFigure, max: maxFigure, nan: true},
		{field: "WatchResponse.statuses", items: maxList},
		upTo("LiveOperation.count", anyNumber),
		{field: "LiveOperation.p50_us", min: -maxFigure, max: maxFigure, nan: true},
		{field: "LiveOperation.p99_us", min: -maxFigure, max: maxFigure, nan: true},
		{field: "LiveOperation.max_us", min: -maxFigure, max: maxFigure, nan: true},
		{field: "LiveAgent.rate", min: -maxFigure, max: maxFigure, nan: true},
		{field: "LiveAgent.idle", min: -maxFigure, max: maxFigure, nan: true},
		{field: "LiveAgent.clock_offset_ms", min: -maxFigure, max: maxFigure, nan: true},
		{field: "LiveAgent.clock_uncertainty_ms", min: -maxFigure, max: maxFigure, nan: true},
		{field: "LiveAgent.p99_us", min: -maxFigure, max: maxFigure, nan: true},
		upTo("HistogramsResponse.start_ns", float64(maxTime)),
		upTo("HistogramsResponse.end_ns", float64(maxTime)),
		{field: "HistogramsResponse.series", items: maxList},
		{field: "HistogramsResponse.logged", items: maxList},
		upTo("LoggedInterval.start_ns", float64(maxTime)),
		upTo("LoggedInterval.end_ns", float64(maxTime)),
		{field: "LoggedInterval.series", items: maxList},
		upTo("LoggedHistogram.highest_ns", 2*float64(latency.Highest)),
		upTo("LoggedHistogram.overflow", anyNumber),
		upTo("LoggedHistogram.max_ns", anyNumber),
		upTo("PointsResponse.shard", maxShards),
		between("PointsResponse.epoch_ns", minInstant, maxInstant),
		{field: "PointsResponse.begun_ns", min: minInstant, max: maxInstant, items: maxMap},
		upTo("PointsResponse.attempt", anyNumber),
		upTo("Counted.windows", anyNumber),
		upTo("Counted.ops", anyNumber),
		upTo("Counted.from_ns", float64(maxTime)),
		upTo("Counted.until_ns", float64(maxTime)),
		{field: "Counted.left_out", max: anyNumber, items: maxList},
		{field: "SubmissionResponse.withheld", items: maxSettings},
		{field: "ListResponse.suites", items: maxList},
		upTo("SuiteSummary.runs", anyNumber),
		upTo("SuiteSummary.runs_ended", anyNumber),
		upTo("SuiteSummary.runs_at_most", anyNumber),
		{field: "SuiteSummary.tags", items: maxList},
		{field: "AgentsResponse.agents", items: maxShards},
		{field: "AgentInfo.labels", items: maxLabels},
		{field: "AgentInfo.clock_offset_ms", min: -maxFigure, max: maxFigure, nan: true},
		{field: "AgentInfo.clock_uncertainty_ms", min: -maxFigure, max: maxFigure, nan: true},
		{field: "AgentInfo.clock_drift_ppm", min: -maxFigure, max: maxFigure, nan: true},
		{field: "WebhooksResponse.webhooks", items: maxWebhooks},
		upTo("TestWebhookResponse.http_status", 999),
		upTo("OpenConsoleResponse.port", 65535),
		upTo("AboutResponse.protocol", anyNumber),
		{field: "AboutResponse.listeners", items: maxPhases},
		between("AboutResponse.received_ns", minInstant, maxInstant),
		between("AboutResponse.sent_ns", minInstant, maxInstant),
		upTo("AboutResponse.disk_free_bytes", anyNumber),
		upTo("AboutResponse.disk_total_bytes", anyNumber),
		upTo("AboutResponse.archive_bytes", anyNumber),
	}
}

// checked is the plan of a message for Check: the fields to check.
type checked struct{ fields []checkedField }

type checkedField struct {
	field protoreflect.FieldDescriptor
	kind  protoreflect.FieldDescriptor // of a value: of a map that is not the field
	bound bound
	of    *checked // of the values' message; nil for numbers, texts and messages without a field to check
}

// protocol returns the files of the protocol.
func protocol() []protoreflect.FileDescriptor {
	return []protoreflect.FileDescriptor{benchdv1.File_benchd_v1_agent_proto, benchdv1.File_benchd_v1_run_proto, benchdv1.File_benchd_v1_enroll_proto}
}

// plans are made of the table once, for all messages of the package.
//
//nolint:gochecknoglobals // a constant table, indexed once
var plans = sync.OnceValue(func() map[protoreflect.FullName]*checked {
	pkg := benchdv1.File_benchd_v1_agent_proto.Package()
	index := make(map[protoreflect.FullName]bound)
	for _, b := range bounds() {
		index[pkg+"."+protoreflect.FullName(b.field)] = b
	}
	made := make(map[protoreflect.FullName]*checked)
	for _, file := range protocol() {
		for i := range file.Messages().Len() {
			planOf(file.Messages().Get(i), index, made)
		}
	}
	return made
})

func planOf(message protoreflect.MessageDescriptor, index map[protoreflect.FullName]bound, made map[protoreflect.FullName]*checked) *checked {
	if c := made[message.FullName()]; c != nil {
		return c
	}
	c := new(checked)
	made[message.FullName()] = c
	for i := range message.Fields().Len() {
		field := message.Fields().Get(i)
		f := checkedField{field: field, kind: field}
		var listed bool
		if f.bound, listed = index[field.FullName()]; !listed { // a test fails for it; nothing honest is refused meanwhile
			f.bound = bound{min: -maxFigure, max: maxFigure, items: maxList}
		}
		if field.IsMap() {
			f.kind = field.MapValue()
		}
		if nested(f.kind) {
			f.of = planOf(f.kind.Message(), index, made)
		}
		if nested(f.kind) && !bounded(f.kind.Message()) {
			f.of = nil
		}
		if f.of != nil || numeric(f.kind) || field.IsList() || field.IsMap() {
			c.fields = append(c.fields, f)
		}
	}
	return c
}

// bounded reports whether a message has a field to check. The series of windows have none, and there are many of them.
func bounded(message protoreflect.MessageDescriptor) bool {
	for i := range message.Fields().Len() {
		if f := message.Fields().Get(i); nested(f) || numeric(f) || f.IsList() || f.IsMap() {
			return true
		}
	}
	return false
}

// Check refuses a message that holds a number beyond its bound, or a list that is too long. The error names the field,
// its value and the bound, and is ErrMalformed.
func Check(m proto.Message) error {
	r := m.ProtoReflect()
	if c := plans()[r.Descriptor().FullName()]; c != nil {
		return c.check(r)
	}
	return nil
}

func (c *checked) check(m protoreflect.Message) error {
	for i := range c.fields {
		if f := &c.fields[i]; m.Has(f.field) {
			if err := f.check(m.Get(f.field)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *checkedField) check(value protoreflect.Value) (err error) {
	switch {
	case f.field.IsMap():
		if err := f.bound.checkItems(f.field, value.Map().Len()); err != nil {
			return err
		}
		value.Map().Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool {
			err = f.checkValue(v)
			return err == nil
		})
		return err
	case f.field.IsList():
		list := value.List()
		if err := f.bound.checkItems(f.field, list.Len()); err != nil {
			return err
		}
		if f.of == nil && !numeric(f.kind) {
			return nil
		}
		for i := range list.Len() {
			if err := f.checkValue(list.Get(i)); err != nil {
				return err
			}
		}
		return nil
	}
	return f.checkValue(value)
}

func (f *checkedField) checkValue(value protoreflect.Value) error {
	switch {
	case f.of != nil:
		switch f.kind.Message().FullName() {
		case "google.protobuf.Duration", "google.protobuf.Timestamp":
			if m, is := value.Message().Interface().(interface{ CheckValid() error }); is && m.CheckValid() != nil {
				return Errorf(ErrMalformed, "%s: %v", nameOf(f.field), m.CheckValid())
			}
			return nil
		}
		return f.of.check(value.Message())
	case numeric(f.kind) && !f.bound.allows(f.kind, value):
		return Errorf(ErrMalformed, "%s is %v: it must be from %s", nameOf(f.field), value.Interface(), f.bound.text(f.kind))
	}
	return nil
}

func (b bound) checkItems(field protoreflect.FieldDescriptor, n int) error {
	if n > b.items {
		return Errorf(ErrMalformed, "%s has %d entries: at most %d are allowed", nameOf(field), n, b.items)
	}
	return nil
}

// allows compares without a loss: the bounds are floats that stand for whole numbers, and a whole number beyond 2⁵³ is
// compared as what it is.
func (b bound) allows(kind protoreflect.FieldDescriptor, value protoreflect.Value) bool {
	switch {
	case fractional(kind):
		v := value.Float()
		return b.nan && (math.IsNaN(v) || math.IsInf(v, 0)) || v >= b.min && v <= b.max
	case unsigned(kind):
		return b.max >= anyNumber || value.Uint() <= uint64(b.max)
	}
	v := value.Int()
	return (b.min <= -anyNumber || v >= int64(b.min)) && (b.max >= anyNumber || v <= int64(b.max))
}

func (b bound) text(kind protoreflect.FieldDescriptor) string {
	if fractional(kind) {
		return fmt.Sprintf("%g to %g", b.min, b.max)
	}
	return fmt.Sprintf("%.0f to %.0f", b.min, b.max)
}

func nested(field protoreflect.FieldDescriptor) bool {
	return field.Kind() == protoreflect.MessageKind || field.Kind() == protoreflect.GroupKind
}

func fractional(field protoreflect.FieldDescriptor) bool {
	return field.Kind() == protoreflect.DoubleKind || field.Kind() == protoreflect.FloatKind
}

func unsigned(field protoreflect.FieldDescriptor) bool {
	k := field.Kind()
	return k == protoreflect.Uint64Kind || k == protoreflect.Uint32Kind || k == protoreflect.Fixed64Kind || k == protoreflect.Fixed32Kind
}

func numeric(field protoreflect.FieldDescriptor) bool {
	k := field.Kind()
	return !nested(field) && k != protoreflect.StringKind && k != protoreflect.BytesKind && k != protoreflect.BoolKind && k != protoreflect.EnumKind
}

func nameOf(field protoreflect.FieldDescriptor) string {
	return string(field.Parent().Name()) + "." + string(field.Name())
}
