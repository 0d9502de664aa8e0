package coordinator_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/coordinator/roster"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/result"
)

// recovers makes the agent's next stream that of a restarted process, which has found windows of a shard in its spool.
func (p *fakeAgent) recovers(id *benchdv1.ShardId, boot, proof string) {
	p.hello.BootId = boot
	p.hello.Held = []*benchdv1.HeldShard{{
		Id: id, Phase: "measure", Recovered: true, BootId: proof,
		Ended: []*benchdv1.PhaseEnded{{Id: id, Phase: "measure", EndedNs: 2e8, Windows: 2, Issued: 14, Recorded: 14, Final: true, Left: "the agent was restarted"}},
	}}
}

// exported returns the file of an exported suite.
func (h *harness) exported(id string) (file []byte) {
	h.t.Helper()
	stream, err := h.runs.Export(h.t.Context(), &benchdv1.ExportRequest{Id: id})
	require.NoError(h.t, err)
	for {
		piece, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return file
		}
		require.NoError(h.t, err)
		file = append(file, piece.GetChunk()...)
	}
}

// unpacked returns what an exported file contains.
func unpacked(t *testing.T, file []byte) []byte {
	t.Helper()
	zip, err := gzip.NewReader(bytes.NewReader(file))
	require.NoError(t, err)
	b, err := io.ReadAll(zip)
	require.NoError(t, err)
	return b
}

// The boot id lets a process replace the stream of an agent. Nothing that others can read has it.
func TestTheBootIDOfAnAgentIsASecret(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, a, id, start := measuring(t, "duration=1m")
		agents, err := h.runs.Agents(t.Context(), &benchdv1.AgentsRequest{})
		require.NoError(t, err)
		require.NotContains(t, agents.String(), "boot-a")
		a.window(start.GetId(), 0, 7, "OK", true)
		a.ended(start.GetId(), 1, 7)
		h.until(id, result.Complete)
		var doc map[string]any
		h.decode(id, &doc)
		file := unpacked(t, h.exported(id))
		require.Contains(t, string(file), `"agent":"a"`, "the state of the run is in the export")
		require.NotContains(t, string(file), "boot-a")
		require.False(t, h.logged("boot-a"))
		h.close()
		files, err := filepath.Glob(filepath.Join(h.dir, "*"))
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, name := range files {
			if info, err := os.Stat(name); err != nil || info.IsDir() {
				continue
			}
			b, err := os.ReadFile(name)
			require.NoError(t, err)
			require.False(t, bytes.Contains(b, []byte("boot-a")), name)
		}
	})
}

// A restarted agent delivers the windows of its previous process only with the boot id of that process, which is in the
// spool with them. The agent's name is public, and readers of an archive see the fingerprint.
func TestARecoveredShardNeedsAProof(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		proof    string
		accepted bool
	}{
		"of the process that measured": {"boot-b", true},
		"of another process":           {"boot-a", false},
		"its own":                      {"another", false},
		"none, from an older build":    {"", false},
		"the fingerprint":              {roster.Fingerprint("boot-b"), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h, a, b, id, start, lost := twoMeasuring(t)
				b.window(lost, 0, 7, "OK", false)
				b.acked(0)
				b.cancel() // killed
				require.Error(t, b.refused())

				b.recovers(lost, "another", test.proof)
				b.connect()
				b.window(lost, 1, 7, "OK", false) // before the coordinator has answered, as agents do
				b.acked(1)
				if !test.accepted {
					h.event(id, "agent b was lost: it was restarted")
					require.True(t, h.logged("the windows of an earlier process are refused"))
				}
				a.window(start, 0, 5, "OK", true)
				a.ended(start, 1, 5)
				h.until(id, result.Partial)
				merged := uint64(12)
				if test.accepted {
					merged = 19
				}
				require.Equal(t, merged, h.result(id).Reconcile.Merged)
			})
		})
	}
}

// An heir that is killed, too, has an heir of its own: both prove that the windows are those of the first process.
func TestAnHeirHasAnHeir(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, a, b, id, start, lost := twoMeasuring(t)
		b.window(lost, 0, 7, "OK", false)
		b.acked(0)
		for _, boot := range []string{"second", "third"} {
			b.cancel()
			require.Error(t, b.refused())
			b.recovers(lost, boot, "boot-b")
			b.connect()
		}
		b.window(lost, 1, 7, "OK", false)
		b.acked(1)
		a.window(start, 0, 5, "OK", true)
		a.ended(start, 1, 5)
		h.until(id, result.Partial)
		require.Equal(t, result.Reconcile{Issued: 19, Recorded: 19, Merged: 19, OK: true}, h.result(id).Reconcile)
	})
}

// A stranger that uses the name of an absent agent can neither send for its shard nor sign off in its place.
func TestAStrangerOfTheSameNameSpeaksForNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, a, b, id, start, lost := twoMeasuring(t)
		b.window(lost, 0, 7, "OK", false)
		b.acked(0)
		b.cancel()
		require.Error(t, b.refused())

		evil := newFakeAgent(h, "b")
		evil.hello.BootId = "guessed"
		evil.hello.Held = []*benchdv1.HeldShard{{Id: lost, Phase: "measure", Running: true, Prepared: true}}
		evil.connect().welcomed()
		evil.window(lost, 1, 1000, "OK", true)
		evil.ended(lost, 2, 1000)
		evil.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Leaving{Leaving: &benchdv1.Leaving{Reason: "a lie"}}})
		evil.acked(1)
		evil.cancel()
		require.Error(t, evil.refused())

		b.hold(&benchdv1.Start{Id: lost, Phase: "measure", Timebase: b.lastTimebase()})
		b.connect().welcomed()
		b.window(lost, 1, 7, "OK", true)
		b.ended(lost, 2, 7)
		a.window(start, 0, 5, "OK", true)
		a.ended(start, 1, 5)
		h.until(id, result.Complete)
		require.Equal(t, result.Reconcile{Issued: 19, Recorded: 19, Merged: 19, OK: true}, h.result(id).Reconcile)
	})
}

// twoMeasuring returns a harness with a run of agents a and b that has just started to measure, and their shards.
func twoMeasuring(t *testing.T) (h *harness, a, b *fakeAgent, id string, ofA, ofB *benchdv1.ShardId) {
	t.Helper()
	h = newHarness(t)
	a, b = newFakeAgent(h, "a").connect(), newFakeAgent(h, "b").connect()
	id, err := h.submit(&benchdv1.SubmitRequest{
		Agents: 2, WaitAgents: wait(), OnAgentLoss: benchdv1.AgentLossPolicy_AGENT_LOSS_POLICY_CONTINUE,
	}, "duration=1m")
	require.NoError(t, err)
	a.ready()
	b.ready()
	return h, a, b, id, a.begin().GetId(), b.begin().GetId()
}

// lastTimebase returns the newest mapping of the agent's clock to the time of its run.
func (p *fakeAgent) lastTimebase() *benchdv1.Timebase {
	<-time.After(2 * time.Second) // of the bubble: a probe comes every second
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.timebase
}
