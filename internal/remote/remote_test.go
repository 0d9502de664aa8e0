package remote

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/benchd/benchd/internal/freeport"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/tolerance"
	"github.com/benchd/benchd/internal/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake is a coordinator with the answers of its test.
type fake struct {
	benchdv1.UnimplementedRunServiceServer
	submit     func(context.Context, *benchdv1.SubmitRequest) (*benchdv1.SubmitResponse, error)
	watch      func(*benchdv1.WatchRequest, grpc.ServerStreamingServer[benchdv1.WatchResponse]) error
	get        func(*benchdv1.GetRequest, grpc.ServerStreamingServer[benchdv1.GetResponse]) error
	agents     *benchdv1.AgentsResponse
	list       *benchdv1.ListResponse
	points     []*benchdv1.PointsResponse
	histograms []*benchdv1.HistogramsResponse
	about      func() (*benchdv1.AboutResponse, error) // nil for a coordinator that does not know the question
	err        error
	asked      []proto.Message
}

func (f *fake) Submit(ctx context.Context, r *benchdv1.SubmitRequest) (*benchdv1.SubmitResponse, error) {
	f.asked = append(f.asked, r)
	return f.submit(ctx, r)
}

func (f *fake) Validate(_ context.Context, r *benchdv1.ValidateRequest) (*benchdv1.ValidateResponse, error) {
	f.asked = append(f.asked, r)
	return &benchdv1.ValidateResponse{Warnings: []string{"careful"}}, f.err
}

func (f *fake) Watch(r *benchdv1.WatchRequest, s grpc.ServerStreamingServer[benchdv1.WatchResponse]) error {
	return f.watch(r, s)
}

func (f *fake) Get(r *benchdv1.GetRequest, s grpc.ServerStreamingServer[benchdv1.GetResponse]) error {
	return f.get(r, s)
}

func (f *fake) List(context.Context, *benchdv1.ListRequest) (*benchdv1.ListResponse, error) {
	return f.list, f.err
}

func (f *fake) Cancel(_ context.Context, r *benchdv1.CancelRequest) (*benchdv1.CancelResponse, error) {
	f.asked = append(f.asked, r)
	return &benchdv1.CancelResponse{}, f.err
}

func (f *fake) Remove(_ context.Context, r *benchdv1.RemoveRequest) (*benchdv1.RemoveResponse, error) {
	f.asked = append(f.asked, r)
	return &benchdv1.RemoveResponse{}, f.err
}

func (f *fake) Agents(context.Context, *benchdv1.AgentsRequest) (*benchdv1.AgentsResponse, error) {
	return f.agents, f.err
}

func (f *fake) Drain(_ context.Context, r *benchdv1.DrainRequest) (*benchdv1.DrainResponse, error) {
	f.asked = append(f.asked, r)
	return &benchdv1.DrainResponse{}, f.err
}

func (f *fake) About(ctx context.Context, r *benchdv1.AboutRequest) (*benchdv1.AboutResponse, error) {
	if f.about == nil {
		return f.UnimplementedRunServiceServer.About(ctx, r)
	}
	return f.about()
}

// connect returns a client of f with little patience.
func connect(t *testing.T, f *fake) *Client {
	t.Helper()
	l := bufconn.Listen(1 << 20)
	server := grpc.NewServer()
	benchdv1.RegisterRunServiceServer(server, f)
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	conn, err := grpc.NewClient("passthrough:///memory",
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return l.DialContext(ctx) }))
	require.NoError(t, err)
	c := New(conn, conn, "127.0.0.1:7070")
	c.patience = patience{answer: tolerance.Patience, gone: 5 * time.Second, pause: time.Millisecond}
	t.Cleanup(func() {
		require.NoError(t, c.Close())
		server.Stop()
		require.NoError(t, <-served)
	})
	return c
}

func TestRequestsReachTheCoordinatorComplete(t *testing.T) {
	f := &fake{submit: func(context.Context, *benchdv1.SubmitRequest) (*benchdv1.SubmitResponse, error) {
		return &benchdv1.SubmitResponse{Id: "S", Warnings: []string{"w"}}, nil
	}}
	c := connect(t, f)
	submission := spec.Submission{
		Files:      []spec.File{{Name: "workloada", Content: []byte("recordcount=1\n")}},
		Properties: []spec.Setting{{Key: "a", Value: "b"}},
		Flags:      []spec.Setting{{Key: "threadcount", Value: "4", Origin: "--threads"}},
		Name:       "n", Note: "o", Tags: map[string]string{"t": "u"},
		Attachments: map[string][]byte{"hist.txt": []byte("BlockSize 1")},
	}
	id, warnings, err := c.Submit(t.Context(), Request{
		Submission: submission, Agents: 3, Select: map[string]string{"zone": "a"},
		WaitAgents: time.Minute, OnAgentLoss: ContinueOnLoss, SubmittedBy: "me@here",
	})
	require.NoError(t, err)
	require.Equal(t, "S", id)
	require.Equal(t, []string{"w"}, warnings)
	warnings, err = c.Validate(t.Context(), submission)
	require.NoError(t, err)
	require.Equal(t, []string{"careful"}, warnings)
	require.NoError(t, c.Cancel(t.Context(), "S", "me@here"))
	require.NoError(t, c.Remove(t.Context(), "S"))
	require.NoError(t, c.Drain(t.Context(), "a", true))

	sent := wire.FromSubmission(submission)
	for i, want := range []proto.Message{
		&benchdv1.SubmitRequest{
			Submission: sent, Agents: 3, Select: map[string]string{"zone": "a"}, WaitAgents: durationpb.New(time.Minute),
			OnAgentLoss: benchdv1.AgentLossPolicy_AGENT_LOSS_POLICY_CONTINUE, SubmittedBy: "me@here",
		},
		&benchdv1.ValidateRequest{Submission: sent},
		&benchdv1.CancelRequest{Id: "S", By: "me@here"},
		&benchdv1.RemoveRequest{Id: "S"},
		&benchdv1.DrainRequest{Name: "a", Undo: true},
	} {
		require.True(t, proto.Equal(want, f.asked[i]), "%v\n%v", want, f.asked[i])
	}
}

func TestAnswersArriveComplete(t *testing.T) {
	f := &fake{
		list: &benchdv1.ListResponse{Suites: []*benchdv1.SuiteSummary{{Id: "S", Status: "partial", Runs: 2, Db: "null"}}},
		agents: &benchdv1.AgentsResponse{Agents: []*benchdv1.AgentInfo{{
			Name: "a", Connected: true, Run: "S.1", Host: &benchdv1.HostFacts{Cores: 8, CpuModel: "x"}, ClockDriftPpm: 50,
		}}},
		get: func(_ *benchdv1.GetRequest, s grpc.ServerStreamingServer[benchdv1.GetResponse]) error {
			for _, piece := range []string{`{"schema`, `": 1`, `}`} {
				if err := s.Send(&benchdv1.GetResponse{Chunk: []byte(piece)}); err != nil {
					return err
				}
			}
			return nil
		},
	}
	c := connect(t, f)
	suites, err := c.List(t.Context())
	require.NoError(t, err)
	require.Len(t, suites, 1)
	require.Equal(t, result.Partial, suites[0].Status)
	require.Equal(t, 2, suites[0].Runs)
	agents, err := c.Agents(t.Context())
	require.NoError(t, err)
	require.Len(t, agents, 1)
	require.Equal(t, 8, agents[0].Host.Cores)
	require.InDelta(t, 50, agents[0].Clock.DriftPPM, 0)
	text, err := c.Result(t.Context(), "S")
	require.NoError(t, err)
	require.Equal(t, `{"schema": 1}`, string(text))
}

func TestErrorsKeepTheirKind(t *testing.T) {
	f := &fake{}
	c := connect(t, f)
	for _, kind := range []error{wire.ErrBadSpec, wire.ErrNotFound, wire.ErrTooFewAgents, wire.ErrNotAllowed, wire.ErrFull} {
		f.err = wire.ToStatus(wire.Errorf(kind, "the text"))
		_, err := c.Agents(t.Context())
		require.ErrorIs(t, err, kind)
		require.EqualError(t, err, "the text")
	}
	f.err = status.Error(codes.Unavailable, "stopping")
	_, err := c.List(t.Context())
	require.ErrorIs(t, err, wire.ErrUnreachable)
	require.EqualError(t, err, "cannot reach coordinator at 127.0.0.1:7070: stopping; is `benchd coordinator` running?")

	c.patience.answer = time.Millisecond
	f.submit = func(ctx context.Context, _ *benchdv1.SubmitRequest) (*benchdv1.SubmitResponse, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	_, _, err = c.Submit(t.Context(), Request{})
	require.ErrorIs(t, err, wire.ErrUnreachable)
	require.ErrorContains(t, err, "no answer in time")
}

func TestAnUnreachableCoordinatorIsOneClearMessage(t *testing.T) {
	address, err := freeport.Address()
	require.NoError(t, err)
	c, err := Dial(address, insecure.NewCredentials())
	require.NoError(t, err)
	defer c.Close()
	_, err = c.List(t.Context())
	require.EqualError(t, err, "cannot reach coordinator at "+address+": connection refused; is `benchd coordinator` running?")
	_, err = c.Result(t.Context(), "S")
	require.ErrorIs(t, err, wire.ErrUnreachable)
	require.ErrorIs(t, c.Watch(t.Context(), "S", false, Follower{}), wire.ErrUnreachable)
}

func TestReasonIsTheSystemsError(t *testing.T) {
	for from, want := range map[string]string{
		`connection error: desc = "transport: Error while dialing: dial tcp 127.0.0.1:7070: connect: connection refused"`: "connection refused",
		`connection error: desc = "transport: Error while dialing: dial tcp: lookup nohost on 10.0.0.2:53: no such host"`: "lookup nohost on 10.0.0.2:53: no such host",
		`name resolver error: produced zero addresses`:                                                                    "name resolver error: produced zero addresses",
		`connection error: desc = "error reading server preface: http2: frame too large"`:                                 "error reading server preface: http2: frame too large",
		"": "",
	} {
		require.Equal(t, want, wire.Reason(errors.New(from)))
	}
	require.ErrorContains(t, &unreachable{where: "h:1", cause: "error reading server preface: EOF"}, "something else listens there")
}

// script answers each watch with the next of its parts, and then always with the last.
func script(parts ...func(grpc.ServerStreamingServer[benchdv1.WatchResponse]) error) func(*benchdv1.WatchRequest, grpc.ServerStreamingServer[benchdv1.WatchResponse]) error {
	var n atomic.Int32
	return func(_ *benchdv1.WatchRequest, s grpc.ServerStreamingServer[benchdv1.WatchResponse]) error {
		return parts[min(int(n.Add(1)), len(parts))-1](s)
	}
}

func say(then error, messages ...*benchdv1.WatchResponse) func(grpc.ServerStreamingServer[benchdv1.WatchResponse]) error {
	return func(s grpc.ServerStreamingServer[benchdv1.WatchResponse]) error {
		for _, m := range messages {
			if err := s.Send(m); err != nil {
				return err
			}
		}
		return then
	}
}

func TestWatchSurvivesARestart(t *testing.T) {
	gone := status.Error(codes.Unavailable, "stopping")
	running := &benchdv1.WatchResponse{Run: "S.1", Status: "running", Ops: 1, Agents: []*benchdv1.LiveAgent{{Name: "a", P99Us: 1.5}}}
	ended := &benchdv1.WatchResponse{Run: "S.1", Status: "complete", Ended: true}
	for _, test := range []struct {
		name  string
		known bool
		watch func(*benchdv1.WatchRequest, grpc.ServerStreamingServer[benchdv1.WatchResponse]) error
		want  string
		err   string
	}{
		{name: "nothing happens", watch: script(say(nil, running, ended)), want: "running, complete"},
		{name: "it goes and comes back", watch: script(say(gone, running), say(gone), say(nil, running, ended)), want: "running, lost, again, running, complete"},
		{name: "it ends the stream in good order", watch: script(say(nil, running), say(nil, ended)), want: "running, lost, complete"},
		{name: "it goes right after the submission", known: true, watch: script(say(gone), say(nil, ended)), want: "lost, complete"},
		{name: "it was never there", watch: script(say(gone)), want: "", err: "cannot reach coordinator"},
		{name: "it has forgotten the run", watch: script(say(gone, running), say(status.Error(codes.NotFound, "no suite S"))), want: "running, lost", err: "no suite S"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := connect(t, &fake{watch: test.watch})
			var heard []string
			err := c.Watch(t.Context(), "S", test.known, Follower{
				Progress: func(p Progress) { heard = append(heard, string(p.Status)) },
				Lost: func(string) {
					word := "lost"
					if slices.Contains(heard, word) {
						word = "again"
					}
					heard = append(heard, word)
				},
			})
			if test.err == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, test.err)
			}
			require.Equal(t, test.want, strings.Join(heard, ", "))
		})
	}
	t.Run("each event is reported once", func(t *testing.T) {
		first, second := &benchdv1.LiveEvent{Kind: "phase", Text: "measure starts"}, &benchdv1.LiveEvent{Kind: "coordinator", Text: "started again"}
		c := connect(t, &fake{watch: script(
			say(gone, &benchdv1.WatchResponse{Events: []*benchdv1.LiveEvent{first}}),
			say(nil, &benchdv1.WatchResponse{Events: []*benchdv1.LiveEvent{first, second}, Ended: true}),
		)})
		var events, lost []string
		require.NoError(t, c.Watch(t.Context(), "S", true, Follower{
			Progress: func(p Progress) {
				for _, e := range p.Events {
					events = append(events, e.Text)
				}
			},
			Lost: func(why string) { lost = append(lost, why) },
		}))
		require.Equal(t, []string{"measure starts", "started again"}, events)
		require.Equal(t, []string{"stopping"}, lost)
	})
	t.Run("it stays away", func(t *testing.T) {
		c := connect(t, &fake{watch: script(say(gone, running), say(gone))})
		c.patience.gone = 10 * time.Millisecond
		err := c.Watch(t.Context(), "S", false, Follower{Progress: func(Progress) {}, Lost: func(string) {}})
		require.ErrorIs(t, err, wire.ErrUnreachable)
		require.ErrorContains(t, err, "gave up after 10ms: the run may have continued; when the coordinator is back, `benchctl watch S` shows it")
	})
	t.Run("nobody waits any more", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		c := connect(t, &fake{watch: script(say(gone, running), say(gone))})
		c.patience.pause = time.Hour
		err := c.Watch(ctx, "S", false, Follower{Progress: func(Progress) {}, Lost: func(string) { cancel() }})
		require.Error(t, err)
		require.ErrorIs(t, ctx.Err(), context.Canceled)
	})
}

func TestProgressIsTheCoordinatorsMessage(t *testing.T) {
	p := progressOf(&benchdv1.WatchResponse{
		Suite: "S", Run: "S.1", Status: "running", Phase: "measure", Elapsed: durationpb.New(time.Second), Planned: durationpb.New(time.Minute),
		PlannedOps: 9, Ops: 3, Rate: 3.5, Offered: 4, Steady: "s", Runs: 2, RunsEnded: 1, WaitingFor: "w",
		Operations: []*benchdv1.LiveOperation{{Op: "READ", Outcome: "OK", Count: 3, P50Us: 1.5, P99Us: 2, MaxUs: 3, PartOf: "X"}},
		Agents:     []*benchdv1.LiveAgent{{Name: "a", Connected: true, State: "running", Rate: 3, Idle: -1, ClockOffsetMs: 1, ClockUncertaintyMs: 2, P99Us: 1}},
		Events:     []*benchdv1.LiveEvent{{Kind: "k", Text: "t"}},
		Statuses:   []*benchdv1.LiveStatus{{Label: "l", Text: "t"}},
	})
	require.Equal(t, Progress{
		Suite: "S", Run: "S.1", Status: result.Running, Phase: "measure", Elapsed: time.Second, Planned: time.Minute,
		PlannedOps: 9, Ops: 3, Rate: 3.5, Offered: 4, Steady: "s", Runs: 2, RunsEnded: 1, WaitingFor: "w",
		Operations: []Operation{{Op: "READ", Outcome: "OK", PartOf: "X", Count: 3, P50: 1500, P99: 2000, Max: 3000}},
		Agents:     []AgentProgress{{Name: "a", Connected: true, State: "running", Rate: 3, Idle: -1, P99: 1000, Clock: Clock{OffsetMS: 1, UncertaintyMS: 2}}},
		Events:     []Event{{At: time.Unix(0, 0).UTC(), Kind: "k", Text: "t"}},
		Statuses:   []StatusLine{{Label: "l", At: time.Unix(0, 0).UTC(), Text: "t"}},
	}, p)
	require.Zero(t, progressOf(&benchdv1.WatchResponse{}).Planned)
	left := 90 * time.Second
	require.Equal(t, &left, progressOf(&benchdv1.WatchResponse{Ahead: durationpb.New(left)}).Ahead)
	one := suite(&benchdv1.SuiteSummary{Runs: 3, RunsEnded: 1, Ahead: durationpb.New(left)})
	require.Equal(t, 1, one.RunsEnded)
	require.InDelta(t, 90, *one.LeftSeconds, 1e-9)
	require.Nil(t, suite(&benchdv1.SuiteSummary{Runs: 3}).LeftSeconds, "without an estimate it is null, not 0")
}

func TestAStandbyThatCannotBeFollowedIsOneClearMessage(t *testing.T) {
	f := &fake{err: wire.ToStatus(&wire.StandbyError{Leader: "b:7070"})}
	_, err := connect(t, f).List(t.Context())
	require.ErrorIs(t, err, wire.ErrStandby)
	require.ErrorIs(t, err, wire.ErrUnreachable)
	require.ErrorContains(t, err, "it is a standby of b:7070; give --coordinator the addresses of all coordinators")
}
