package coordinator_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/target/all"
	"github.com/benchd/benchd/internal/wire"
)

// act requests an action on HBase and returns its error.
func (h *harness) act(req *benchdv1.ActRequest) <-chan error {
	req.Target = "hbase"
	ended := make(chan error, 1)
	go func() {
		_, err := h.runs.Act(h.t.Context(), req)
		ended <- wire.FromStatus(err)
	}()
	return ended
}

// acts waits for an action order and answers it.
func (p *fakeAgent) acts(outcome benchdv1.ActionOutcome, text string) *benchdv1.ActionOrder {
	order := await(p, (*benchdv1.SessionResponse).GetAction)
	answer := &benchdv1.ActionAnswer{Id: order.GetId(), Outcome: outcome, Error: text}
	if outcome == benchdv1.ActionOutcome_ACTION_OUTCOME_DONE {
		answer.Answer = []byte(`{"text":["done"]}`)
	}
	p.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Action{Action: answer}})
	return order
}

func at(quorum string) *benchdv1.Submission {
	return &benchdv1.Submission{Properties: []*benchdv1.Setting{{Key: "hbase.zookeeper.quorum", Value: quorum}}}
}

func TestAnActionIsDoneByTheAgentThatIsNamed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		a, b := newFakeAgent(h, "a").connect(), newFakeAgent(h, "b").connect()
		a.welcomed()
		b.welcomed()
		ended := h.act(&benchdv1.ActRequest{Submission: at("zk1"), Name: "flush", Args: map[string]string{"table": "t"}, Agent: "b"})
		order := b.acts(benchdv1.ActionOutcome_ACTION_OUTCOME_DONE, "")
		require.NoError(t, <-ended)
		require.Equal(t, "flush", order.GetName())
		require.Equal(t, "zk1", order.GetProperties()["hbase.zookeeper.quorum"])
		require.Positive(t, order.GetTimeoutNs())
		require.Empty(t, order.GetRun())
	})
}

func TestAnActionEndsWithTheOutcomeOfItsAgent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		a := newFakeAgent(h, "a").connect()
		a.welcomed()
		for outcome, kind := range map[benchdv1.ActionOutcome]error{
			benchdv1.ActionOutcome_ACTION_OUTCOME_REFUSED:     wire.ErrBadSpec,
			benchdv1.ActionOutcome_ACTION_OUTCOME_UNREACHABLE: wire.ErrTarget,
			benchdv1.ActionOutcome_ACTION_OUTCOME_FAILED:      nil,
			benchdv1.ActionOutcome_ACTION_OUTCOME_UNKNOWN:     nil,
		} {
			ended := h.act(&benchdv1.ActRequest{Name: "flush"})
			a.acts(outcome, "because of that")
			err := <-ended
			require.ErrorContains(t, err, "because of that")
			if kind != nil {
				require.ErrorIs(t, err, kind)
			}
		}
		require.ErrorIs(t, <-h.act(&benchdv1.ActRequest{Name: "flush", Agent: "nobody"}), wire.ErrNotFound)
		require.ErrorIs(t, <-h.act(&benchdv1.ActRequest{Name: "flush", Submission: at("zk1:x")}), wire.ErrBadSpec)
	})
}

// Outside of a run nobody sees what is done: only the commands of `benchctl admin` and of the doctor are executed.
func TestOnlyActionsForUsersAreExecutedOutsideOfARun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		a := newFakeAgent(h, "a")
		a.hello.Hooks = []string{"restart"}
		a.connect()
		a.welcomed()
		for _, tt := range []struct{ target, name, says string }{
			{"machine", "hook", "hooks run only as actions of a run"},
			{"hbase", "hook", "hooks run only as actions of a run"},
			{"machine", "flush", `action "flush" of target "machine" cannot be requested`},
			{"sandbox", "fault", `action "fault" of target "sandbox" cannot be requested`},
			{"sandbox", "clear_faults", "cannot be requested outside of a run"},
			{"hbase", "unknown", "cannot be requested outside of a run"},
			{"hbase", "", "cannot be requested outside of a run"},
			{"null", "flush", "cannot be requested outside of a run"},
			{"mysql", "flush", `unknown target "mysql": want one of ` + strings.Join(all.Targets().Descriptors().Names(), ", ")},
		} {
			_, err := h.runs.Act(t.Context(), &benchdv1.ActRequest{Target: tt.target, Name: tt.name, Args: map[string]string{"name": "restart"}})
			require.ErrorIs(t, wire.FromStatus(err), wire.ErrBadSpec, tt)
			require.ErrorContains(t, err, tt.says)
		}
		ended := h.act(&benchdv1.ActRequest{Name: "flush"})
		require.Equal(t, "flush", a.acts(benchdv1.ActionOutcome_ACTION_OUTCOME_DONE, "").GetName(), "the first order that it gets")
		require.NoError(t, <-ended)
	})
}

// An action of unknown outcome is reported as such and never tried by another agent.
func TestAnAgentThatIsLostDuringAnActionLeavesItsOutcomeUnknown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		a, b := newFakeAgent(h, "a").connect(), newFakeAgent(h, "b").connect()
		a.welcomed()
		b.welcomed()
		ended := h.act(&benchdv1.ActRequest{Name: "drop", Agent: "a"})
		await(a, (*benchdv1.SessionResponse).GetAction)
		a.cancel()
		require.ErrorContains(t, <-ended, "whether drop was done is not known")
		probe := h.act(&benchdv1.ActRequest{Name: "flush", Agent: "b"})
		require.Equal(t, "flush", b.acts(benchdv1.ActionOutcome_ACTION_OUTCOME_DONE, "").GetName(), "the first order that it gets")
		require.NoError(t, <-probe)
	})
}

// An agent examines its own machine: nobody has to configure where that is.
func TestAnAgentExaminesItsMachineOnDemand(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		a := newFakeAgent(h, "a").connect()
		a.welcomed()
		ended := make(chan error, 1)
		go func() {
			_, err := h.runs.Act(h.t.Context(), &benchdv1.ActRequest{Target: "machine", Name: "examine", Agent: "a"})
			ended <- wire.FromStatus(err)
		}()
		order := a.acts(benchdv1.ActionOutcome_ACTION_OUTCOME_DONE, "")
		require.NoError(t, <-ended)
		require.Equal(t, "machine", order.GetTarget())
		require.Empty(t, order.GetProperties())
	})
}

func TestACoordinatorDescribesItself(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		about, err := h.runs.About(t.Context(), &benchdv1.AboutRequest{})
		require.NoError(t, err)
		require.Equal(t, uint32(wire.Protocol), about.GetProtocol())
		require.Positive(t, about.GetArchiveBytes())
		require.Positive(t, about.GetDiskTotalBytes())
		require.Positive(t, about.GetDiskFreeBytes())
		require.False(t, about.GetArchiveStuck())
		require.LessOrEqual(t, about.GetReceivedNs(), about.GetSentNs())
	})
}
