package wire

import (
	"flag"
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/benchd/benchd/internal/doctable"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
)

var update = flag.Bool("update", false, "write the table of bounds in docs/limits.md")

// ours are all messages of the protocol.
func ours() []protoreflect.MessageDescriptor {
	var list []protoreflect.MessageDescriptor
	for _, file := range protocol() {
		for i := range file.Messages().Len() {
			list = append(list, file.Messages().Get(i))
		}
	}
	return list
}

// Every number and every list of the protocol has a bound, and every bound is of an existing field.
func TestEveryNumberOfTheProtocolHasABound(t *testing.T) {
	index := make(map[protoreflect.FullName]bound)
	for _, b := range bounds() {
		name := "benchd.v1." + protoreflect.FullName(b.field)
		require.NotContains(t, index, name, "it stands twice in the table")
		index[name] = b
	}
	seen := make(map[protoreflect.FullName]bool)
	for _, message := range ours() {
		for i := range message.Fields().Len() {
			field := message.Fields().Get(i)
			kind := field
			if field.IsMap() {
				kind = field.MapValue()
			}
			b, bounded := index[field.FullName()]
			if numeric(kind) || field.IsList() || field.IsMap() {
				require.True(t, bounded, "%s has no bound", field.FullName())
				seen[field.FullName()] = true
			}
			if numeric(kind) && bounded {
				require.Less(t, b.min, b.max, field.FullName())
			}
			require.Equal(t, field.IsList() || field.IsMap(), b.items > 0, field.FullName())
		}
	}
	for name := range index {
		require.True(t, seen[name], "the bound of %s is of no field", name)
	}
}

// Each bound holds in every message with the field: one step beyond it is refused, and the error names the field. The
// bound itself is accepted.
func TestBoundsAreEnforced(t *testing.T) {
	for _, message := range ours() {
		for i := range message.Fields().Len() {
			field := message.Fields().Get(i)
			at := slices.IndexFunc(plans()[message.FullName()].fields, func(f checkedField) bool { return f.field == field })
			if at < 0 {
				continue
			}
			b := plans()[message.FullName()].fields[at].bound
			if !numeric(field) || field.IsMap() || b.max >= anyNumber {
				continue
			}
			check := func(v protoreflect.Value) error {
				m := dynamic(message)
				if field.IsList() {
					m.Mutable(field).List().Append(v)
				} else {
					m.Set(field, v)
				}
				return Check(m.Interface())
			}
			for _, bad := range beyond(field, b) {
				err := check(bad)
				require.ErrorIs(t, err, ErrMalformed, "%s = %v", field.FullName(), bad)
				require.ErrorContains(t, err, nameOf(field))
				require.NotContains(t, err.Error(), "\n")
			}
			require.NoError(t, check(valueOf(field, b.max)), field.FullName())
			require.NoError(t, check(valueOf(field, b.min)), field.FullName())
		}
	}
}

func dynamic(d protoreflect.MessageDescriptor) protoreflect.Message {
	kind, err := protoregistry.GlobalTypes.FindMessageByName(d.FullName())
	if err != nil {
		panic(err)
	}
	return kind.New()
}

// valueOf converts a number to a field's kind.
func valueOf(field protoreflect.FieldDescriptor, v float64) protoreflect.Value {
	switch {
	case fractional(field):
		return protoreflect.ValueOfFloat64(v)
	case field.Kind() == protoreflect.Uint32Kind:
		return protoreflect.ValueOfUint32(uint32(v))
	case unsigned(field):
		return protoreflect.ValueOfUint64(uint64(v))
	}
	return protoreflect.ValueOfInt64(int64(v))
}

// beyond are values just outside and far outside a bound.
func beyond(field protoreflect.FieldDescriptor, b bound) []protoreflect.Value {
	switch {
	case fractional(field):
		list := []protoreflect.Value{protoreflect.ValueOfFloat64(math.Nextafter(b.max, math.Inf(1))), protoreflect.ValueOfFloat64(math.Nextafter(b.min, math.Inf(-1)))}
		if !b.nan {
			list = append(list, protoreflect.ValueOfFloat64(math.NaN()), protoreflect.ValueOfFloat64(math.Inf(-1)))
		}
		return list
	case field.Kind() == protoreflect.Uint64Kind:
		return []protoreflect.Value{protoreflect.ValueOfUint64(uint64(b.max) + 1), protoreflect.ValueOfUint64(math.MaxUint64)}
	case unsigned(field):
		return []protoreflect.Value{protoreflect.ValueOfUint32(uint32(b.max) + 1), protoreflect.ValueOfUint32(math.MaxUint32)}
	}
	return []protoreflect.Value{
		protoreflect.ValueOfInt64(int64(b.max) + 1), protoreflect.ValueOfInt64(math.MaxInt64),
		protoreflect.ValueOfInt64(int64(b.min) - 1), protoreflect.ValueOfInt64(math.MinInt64),
	}
}

// Lists and maps are bounded by their entries, and the entries by their own bounds.
func TestListsAreBounded(t *testing.T) {
	for name, m := range map[string]proto.Message{
		"Window.series":     &benchdv1.Window{Series: make([]*benchdv1.Series, maxSeries+1)},
		"Window.loaded":     &benchdv1.Window{Loaded: []int64{1, -1}},
		"PhaseEnded.client": &benchdv1.PhaseEnded{Client: map[string]uint64{"a": 1 << 60}},
		"Observed.values":   &benchdv1.Observations{Figures: []*benchdv1.Observed{{Values: []float64{1, math.MaxFloat64}}}},
		"Window.end_ns":     &benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Window{Window: &benchdv1.Window{EndNs: 1 << 59}}},
		"ShardId.shard":     &benchdv1.HeldShard{Ended: []*benchdv1.PhaseEnded{{Id: &benchdv1.ShardId{Shard: math.MaxUint32}}}},
		"wait_agents":       &benchdv1.SubmitRequest{WaitAgents: &durationpb.Duration{Seconds: 1, Nanos: -5}},
		"ActRequest.timeout": &benchdv1.ActRequest{
			Timeout: &durationpb.Duration{Seconds: math.MaxInt64},
		},
	} {
		err := Check(m)
		require.ErrorIs(t, err, ErrMalformed, name)
		require.ErrorContains(t, err, name)
	}
}

// FuzzCheck checks that decoders accept or refuse any message that Check accepts, and that sums of its numbers do not
// overflow.
func FuzzCheck(f *testing.F) {
	for _, m := range []*benchdv1.SessionRequest{
		{Message: &benchdv1.SessionRequest_Window{Window: &benchdv1.Window{Id: FromShard("S.1", 0, 1), Phase: "measure", EndNs: 1 << 59}}},
		{Message: &benchdv1.SessionRequest_Window{Window: &benchdv1.Window{Id: FromShard("S.1", 0, 1), Phase: "measure", EndNs: 5, Rows: 1}}},
		{Message: &benchdv1.SessionRequest_PhaseEnded{PhaseEnded: &benchdv1.PhaseEnded{EndedNs: math.MinInt64, Windows: math.MaxUint32}}},
		{Message: &benchdv1.SessionRequest_ProbeReply{ProbeReply: &benchdv1.ProbeReply{ReceivedAgentNs: math.MaxInt64}}},
		{Message: &benchdv1.SessionRequest_Observations{Observations: &benchdv1.Observations{Id: FromShard("S.1", 0, 1), Figures: []*benchdv1.Observed{{Name: "a", AtRunNs: []int64{1}, Values: []float64{math.Inf(1)}}}}}},
	} {
		b, err := proto.Marshal(m)
		require.NoError(f, err)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m := new(benchdv1.SessionRequest)
		if proto.Unmarshal(data, m) != nil || Check(m) != nil {
			return
		}
		if w := m.GetWindow(); w != nil {
			require.LessOrEqual(t, w.GetEndNs(), maxTime)
			if got, err := ToWindow(w); err == nil {
				require.NoError(t, CheckWindow(got))
				require.LessOrEqual(t, got.Start, got.End)
			}
		}
		if e := m.GetPhaseEnded(); e != nil {
			require.LessOrEqual(t, e.GetIssued(), uint64(maxTotal))
			_ = ToCounts(e.GetClient())
		}
		if o := m.GetObservations(); o != nil {
			if got, err := ToObservations(o); err == nil {
				var sum float64
				for _, figure := range got.Figures {
					for _, v := range figure.Values {
						sum += v
					}
				}
				require.False(t, math.IsInf(sum, 0) || math.IsNaN(sum))
			}
		}
		if p := m.GetProbeReply(); p != nil {
			difference := p.GetReceivedAgentNs() - p.GetSentAgentNs()
			require.Equal(t, p.GetReceivedAgentNs() > p.GetSentAgentNs(), difference > 0, "it overflows")
		}
	})
}

func BenchmarkCheckWindow(b *testing.B) {
	m := &benchdv1.Window{
		Id: FromShard("20261121-abcd.1", 3, 1), Phase: "measure", Seq: 77, StartNs: 1e9, EndNs: 2e9, Rows: 5, Bytes: 6, Issued: 7, Recorded: 8,
		Health: &benchdv1.Health{Cores: 8, HostIdle: 0.5, OwnCpu: 2, NetRx: 5, NetTx: 6, GcPauses: 7, GcPauseTotalNs: 8, SchedLagP99Ns: 5, SchedLagMaxNs: 6},
	}
	for _, op := range []string{"READ", "UPDATE", "INSERT", "SCAN"} {
		m.Series = append(m.Series, &benchdv1.Series{Op: op, Outcome: "OK", Response: make([]byte, 2000), Service: make([]byte, 2000)})
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := Check(m); err != nil {
			b.Fatal(err)
		}
	}
}

// docs/limits.md shows the table.
func TestTheTableIsDocumented(t *testing.T) {
	table := doctable.Table{Head: []string{"Field", "From", "To", "Entries"}}
	for _, b := range bounds() {
		items, low, high := "", "", ""
		if b.items > 0 {
			items = strconv.Itoa(b.items)
		}
		if b.max > 0 {
			low, high = fmt.Sprintf("%g", b.min), fmt.Sprintf("%g", b.max)
		}
		if b.max >= anyNumber && b.max < maxObserved {
			high = "any"
		}
		table.Rows = append(table.Rows, []string{b.field, low, high, items})
	}
	doctable.Generated(t, "docs/limits.md", "bounds of messages", table, *update)
}
