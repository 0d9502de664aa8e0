package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/load"
)

// by finds a finding by its name.
func by(t *testing.T, findings []Finding, name string) Finding {
	t.Helper()
	for _, f := range findings {
		if f.Name == name {
			return f
		}
	}
	require.Fail(t, "no finding", "%s in %+v", name, findings)
	return Finding{}
}

func TestACoordinatorIsExamined(t *testing.T) {
	good := Peer{
		Address: "c:7070", Version: "v1", Protocol: 1, Took: 200 * time.Microsecond,
		Clock: ClockOffset{Offset: time.Millisecond, Uncertainty: 100 * time.Microsecond},
		Disk:  Space{Free: 50 << 30, Total: 100 << 30}, Archive: 3 << 20,
	}
	examine := func(p Peer) []Finding { return append(p.Examine("v1", 1), p.ExamineArchive()...) }
	for _, f := range examine(good) {
		require.Equal(t, OK, f.Verdict, "%+v", f)
	}
	for name, tt := range map[string]struct {
		spoil   func(*Peer)
		finding string
		want    Verdict
		text    string
	}{
		"other build":    {func(p *Peer) { p.Version = "v2" }, "version", Warn, "v2; this program is v1"},
		"other protocol": {func(p *Peer) { p.Protocol = 2 }, "version", Bad, "speaks protocol 2"},
		"clock is ahead": {func(p *Peer) { p.Clock.Offset = time.Hour }, "clock_offset", Warn, "+3600000.000"},
		"clock is late":  {func(p *Peer) { p.Clock.Offset = -time.Second }, "clock_offset", Warn, "-1000.000"},
		"far away":       {func(p *Peer) { p.Clock.Uncertainty = 20 * time.Millisecond }, "clock_offset", Warn, "± 20.000 ms"},
		"full disk":      {func(p *Peer) { p.Disk.Free = 0 }, "disk", Bad, "0 KiB of 100.0 GiB"},
		"stuck":          {func(p *Peer) { p.Stuck = true }, "archive", Bad, "accepts no windows"},
	} {
		t.Run(name, func(t *testing.T) {
			p := good
			tt.spoil(&p)
			findings := examine(p)
			f := by(t, findings, tt.finding)
			require.Equal(t, tt.want, f.Verdict, "%+v", f)
			require.Contains(t, f.Found, tt.text)
			require.NotEmpty(t, f.Cure)
			for _, other := range findings {
				require.True(t, other.Name == tt.finding || other.Verdict == OK, "%+v", other)
			}
		})
	}
	blind := good
	blind.Disk = Space{}
	require.Len(t, blind.ExamineArchive(), 1, "a disk that was not reported is not checked")
}

func TestAgentsAreExamined(t *testing.T) {
	agent := func(name string) Member {
		return Member{Name: name, Version: "v1", Hostname: "host-" + name, Connected: true, Silent: 200 * time.Millisecond}
	}
	good := []Member{agent("a"), agent("b")}
	for _, f := range ExamineRoster(good, "v1") {
		require.Equal(t, OK, f.Verdict, "%+v", f)
	}
	none := ExamineRoster(nil, "v1")
	require.Equal(t, Bad, by(t, none, "agents").Verdict)
	require.True(t, NewReport("v1", none).OutOfReach())
	for name, tt := range map[string]struct {
		spoil   func(b *Member)
		finding string
		text    string
	}{
		"gone":      {func(b *Member) { b.Connected, b.Silent = false, time.Minute }, "connection", "none for 1m0s"},
		"silent":    {func(b *Member) { b.Silent = 20 * time.Second }, "connection", "20s ago"},
		"drained":   {func(b *Member) { b.Draining = true }, "connection", "drained"},
		"old":       {func(b *Member) { b.Version = "v0" }, "version", "v0; the coordinator is v1"},
		"unsure":    {func(b *Member) { b.Clock.Uncertainty = time.Second }, "clock_offset", "± 1000.000 ms"},
		"fast":      {func(b *Member) { b.Clock.DriftPPM = -400 }, "clock_drift", "-400 ppm"},
		"same host": {func(b *Member) { b.Hostname = "host-a" }, "host", "host-a, with 2 agents"},
	} {
		t.Run(name, func(t *testing.T) {
			b := agent("b")
			tt.spoil(&b)
			seen := false
			for _, f := range ExamineRoster([]Member{agent("a"), b}, "v1") {
				if f.Agent == "b" && f.Name == tt.finding {
					require.Equal(t, Warn, f.Verdict, "%+v", f)
					require.Contains(t, f.Found, tt.text)
					require.NotEmpty(t, f.Cure)
					seen = true
					continue
				}
				require.True(t, f.Verdict == OK || f.Name == tt.finding, "%+v", f)
			}
			require.True(t, seen)
		})
	}
}

// target is a target with the facts of a test.
type target struct {
	load.Target
	facts  map[string]string
	err    error
	closed *bool
}

func (o target) Facts(context.Context) (map[string]string, error) { return o.facts, o.err }
func (o target) Close() error                                     { *o.closed = true; return nil }

func examined(facts map[string]string) descriptor.Finding {
	return descriptor.Finding{Found: ", version " + facts["version"], Cure: facts["cure"]}
}

func TestATargetIsOpenedAsAnAgentDoes(t *testing.T) {
	closed := false
	reach := func(facts map[string]string, openErr, factsErr error) Finding {
		return Reach(t.Context(), descriptor.Target{Name: "map", Examine: examined}, func(ctx context.Context, s load.Settings) (load.Target, error) {
			_, bounded := ctx.Deadline()
			require.True(t, bounded)
			require.Equal(t, "zk", s.Properties["hbase.zookeeper.quorum"])
			if openErr != nil {
				return nil, openErr
			}
			return target{facts: facts, err: factsErr, closed: &closed}, nil
		}, load.Settings{Properties: map[string]string{"hbase.zookeeper.quorum": "zk"}})
	}
	f := reach(map[string]string{"version": "2"}, nil, nil)
	require.Equal(t, OK, f.Verdict)
	require.Contains(t, f.Found, ", version 2")
	require.True(t, closed, "what was opened is closed")
	f = reach(map[string]string{"cure": "wait"}, nil, nil)
	require.Equal(t, Warn, f.Verdict)
	require.Equal(t, "wait", f.Cure)
	for _, f := range []Finding{reach(nil, errors.New("no such\nquorum"), nil), reach(nil, nil, errors.New("no master"))} {
		require.Equal(t, Bad, f.Verdict)
		require.NotContains(t, f.Found, "\n")
		require.NotEmpty(t, f.Cure)
		require.True(t, NewReport("", []Finding{f}).OutOfReach())
	}
	f = Reached("a", descriptor.Target{Name: "map"}, 0, time.Second, errors.New("x"))
	require.Equal(t, Bad, f.Verdict)
	require.Contains(t, f.Cure, "the right one with -p, as")
	f = Reached("a", descriptor.Target{Name: "map", Site: descriptor.Site{Flag: "map-site"}}, 0, time.Second, errors.New("x"))
	require.Contains(t, f.Cure, "the right one with -p or --map-site, as")
	f = Reached("a", descriptor.Target{Name: "map"}, 3, time.Second, nil)
	require.Equal(t, OK, f.Verdict)
	require.Equal(t, "a", f.Agent)
}

// An agent's findings arrive at benchctl as JSON, possibly from a build with more of them.
func TestAnAgentExaminesItsMachine(t *testing.T) {
	m := goodMachine()
	m.later["proc/stat"] = "cpu  1090 0 1100 50010 0 0 0 0"
	machine := m.machine()
	actor, err := Open(machine, Use{Folders: []Folder{{Flag: "--spool", Dir: "s"}}})(t.Context(), load.Settings{})
	require.NoError(t, err)
	defer func() { require.NoError(t, actor.Close()) }()
	_, err = actor.Act(t.Context(), load.Action{Name: "flush"})
	require.ErrorIs(t, err, load.ErrAction)
	answer, err := actor.Act(t.Context(), load.Action{Name: Action})
	require.NoError(t, err)
	text, err := json.Marshal(answer)
	require.NoError(t, err)
	var arrived load.Answer
	require.NoError(t, json.Unmarshal(text, &arrived))
	arrived.Columns = append(arrived.Columns, "novelty")
	arrived.Rows = append(arrived.Rows, []any{"new", "", "x", "terrible", "y", "z"})
	findings, err := FromAnswer("a", arrived)
	require.NoError(t, err)
	require.Len(t, findings, 10)
	require.Equal(t, "a", findings[0].Agent)
	require.Equal(t, Bad, by(t, findings, "new").Verdict)
	require.Equal(t, Bad, by(t, findings, "cpu_idle").Verdict)
	f := by(t, WhileServing("s.1", findings), "cpu_idle")
	require.Equal(t, OK, f.Verdict, "who serves a run is busy")
	require.Empty(t, f.Cure)

	_, err = FromAnswer("a", load.Answer{Columns: []string{"name"}, Rows: [][]any{{5}}})
	require.ErrorContains(t, err, "agent a")
	require.Equal(t, Unknown, Silent("a", true, errors.New("x")).Verdict)
	require.Equal(t, Warn, Silent("a", false, errors.New("x")).Verdict, "it should have answered")
	require.Equal(t, Unknown, Unanswered("c:1").Verdict)
}
