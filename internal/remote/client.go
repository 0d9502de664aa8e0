package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/keepalive"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/wire"
	"github.com/benchd/benchd/internal/wire/route"
)

// patience is how long a client waits.
type patience struct {
	answer time.Duration // for requests that are answered at once
	gone   time.Duration // for a coordinator that goes away during a watch
	pause  time.Duration // before the first retry; up to maxPause
}

const maxPause = 2 * time.Second

// Client is a client of a coordinator.
type Client struct {
	service  benchdv1.RunServiceClient
	closer   io.Closer
	where    string
	leader   func() string // its address, as far as it is known
	patience patience
}

// Dial returns a client of the coordinator at HOST:PORT. It connects at the first request. With credentials in plain text, the caller
// has asked package security. A standby is an error, which names its leader.
func Dial(address string, creds credentials.TransportCredentials) (*Client, error) {
	return DialLeader([]string{address}, func(to string) (credentials.TransportCredentials, error) {
		if to != address {
			return nil, wire.Errorf(wire.ErrUnreachable, "these credentials are for %s", address)
		}
		return creds, nil
	})
}

// DialLeader returns a client of the coordinators at some addresses: it connects to the one that leads, also if a standby names an address that
// is not among them. creds returns the credentials for an address, or refuses it.
func DialLeader(addresses []string, creds func(address string) (credentials.TransportCredentials, error)) (*Client, error) {
	conn := route.NewConn(addresses, func(address string) (*grpc.ClientConn, error) {
		creds, err := creds(address)
		if err != nil {
			return nil, err
		}
		return dial(address, creds)
	})
	if _, err := conn.Open(addresses[0]); err != nil {
		return nil, err
	}
	client := New(conn, conn, route.Join(addresses))
	client.leader = conn.Address
	return client, nil
}

// dial returns a connection to one address.
func dial(address string, creds credentials.TransportCredentials) (*grpc.ClientConn, error) {
	conn, err := grpc.NewClient(address, append(wire.CheckResponses(),
		grpc.WithTransportCredentials(creds),
		// A coordinator is in the user's own network; a proxy is for hosts outside.
		grpc.WithNoProxy(),
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: 200 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: maxPause},
			MinConnectTimeout: 5 * time.Second,
		}),
		// A watch may be silent for a whole interval: keepalive detects that the other side is gone.
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 20 * time.Second, Timeout: 10 * time.Second}),
	)...)
	if err != nil {
		return nil, fmt.Errorf("dial coordinator at %s: %w", address, err)
	}
	return conn, nil
}

// New returns a client over a connection, which closer closes; where is its name in messages.
func New(conn grpc.ClientConnInterface, closer io.Closer, where string) *Client {
	return &Client{
		service: benchdv1.NewRunServiceClient(conn),
		closer:  closer,
		where:   where,
		leader:  func() string { return where },
		patience: patience{
			answer: 15 * time.Second,
			gone:   2 * time.Minute,
			pause:  100 * time.Millisecond,
		},
	}
}

// Called gives the coordinator another name in messages.
func (c *Client) Called(where string) { c.where = where }

// Leader returns the address of the coordinator that has answered last: of several, the one that leads.
func (c *Client) Leader() string { return c.leader() }

// Close ends the connection.
func (c *Client) Close() error {
	if c.closer == nil {
		return nil
	}
	return c.closer.Close()
}

// Policy decides what happens to a run that loses an agent.
type Policy string

// The policies.
const (
	FailOnLoss     Policy = "fail"
	ContinueOnLoss Policy = "continue"
)

// Request is a suite to submit, with the agents that it needs.
type Request struct {
	Submission  spec.Submission
	Agents      int // 0 for all that match
	Select      map[string]string
	WaitAgents  time.Duration
	OnAgentLoss Policy // FailOnLoss if empty
	SubmittedBy string
	Resume      string // the suite to resume, instead of a Submission
}

// Submit queues a suite, and returns warnings for the user. The coordinator waits for agents: the answer may take as long
// as WaitAgents.
func (c *Client) Submit(ctx context.Context, r Request) (id string, warnings []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.patience.answer+r.WaitAgents)
	defer cancel()
	resp, err := c.service.Submit(ctx, submitRequest(r))
	return resp.GetId(), resp.GetWarnings(), c.translate(err)
}

// Validate checks a submission.
func (c *Client) Validate(ctx context.Context, s spec.Submission) (warnings []string, err error) {
	resp, err := ask(ctx, c, c.service.Validate, &benchdv1.ValidateRequest{Submission: wire.FromSubmission(s)})
	return resp.GetWarnings(), err
}

// Advise returns what earlier runs show of a submission, as JSON. For a coordinator of an older build, which does not know the
// request, it returns wire.ErrNotFound.
func (c *Client) Advise(ctx context.Context, r Request) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, c.patience.answer)
	defer cancel()
	resp, err := c.service.Advise(ctx, &benchdv1.AdviseRequest{
		Submission: wire.FromSubmission(r.Submission), Agents: uint32(max(r.Agents, 0)), Select: r.Select,
	})
	if wire.Unanswered(err) {
		return nil, wire.Errorf(wire.ErrNotFound, "the coordinator at %s is too old for it: install the same release on both", c.where)
	}
	return resp.GetAdvice(), c.translate(err)
}

// Result fetches the JSON of a suite's or run's current result.
func (c *Client) Result(ctx context.Context, id string) ([]byte, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := c.service.Get(ctx, &benchdv1.GetRequest{Id: id})
	if err != nil {
		return nil, c.translate(err)
	}
	var text []byte
	for {
		piece, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return text, nil
		}
		if err != nil {
			return nil, c.translate(err)
		}
		text = append(text, piece.GetChunk()...)
	}
}

// List returns all suites, newest first.
func (c *Client) List(ctx context.Context) ([]Suite, error) { return c.Select(ctx, Query{}) }

// Query selects suites. The zero value selects all.
type Query struct {
	Limit                int    // of suites; 0 for none
	After                string // id of a suite: only older ones
	Name, Target, Search string
	Statuses             []string
	Tags                 map[string]string
	Since, Until         time.Time // of the submission
}

// Select returns the suites of a query, newest first. A coordinator of an older build returns all.
func (c *Client) Select(ctx context.Context, q Query) ([]Suite, error) {
	resp, err := ask(ctx, c, c.service.List, &benchdv1.ListRequest{
		Limit: uint32(max(q.Limit, 0)), After: q.After, Name: q.Name, Target: q.Target, Search: q.Search, Statuses: q.Statuses, Tags: q.Tags,
		Since: wire.FromTime(q.Since), Until: wire.FromTime(q.Until),
	})
	return each(resp.GetSuites(), suite), err
}

// Annotation is a change of what people wrote about a suite.
type Annotation struct {
	Note  *string           // nil keeps it
	Tags  map[string]string // to add or replace
	Untag []string          // names of tags to remove
}

// Annotate changes the note and tags of a suite.
func (c *Client) Annotate(ctx context.Context, id string, a Annotation, by string) error {
	_, err := ask(ctx, c, c.service.Annotate, &benchdv1.AnnotateRequest{Id: id, Note: a.Note, Tags: a.Tags, Untag: a.Untag, By: by})
	return err
}

// Cancel ends a suite or run.
func (c *Client) Cancel(ctx context.Context, id, by string) error {
	_, err := ask(ctx, c, c.service.Cancel, &benchdv1.CancelRequest{Id: id, By: by})
	return err
}

// Remove deletes an ended suite, and returns when its disk space is free: for a large suite that takes minutes.
func (c *Client) Remove(ctx context.Context, id string) error {
	_, err := c.service.Remove(ctx, &benchdv1.RemoveRequest{Id: id})
	return c.translate(err)
}

// Agents returns the agents in the roster.
func (c *Client) Agents(ctx context.Context) ([]Agent, error) {
	resp, err := ask(ctx, c, c.service.Agents, &benchdv1.AgentsRequest{})
	return each(resp.GetAgents(), agent), err
}

// Drain excludes an agent from further runs, or with undo includes it again.
func (c *Client) Drain(ctx context.Context, name string, undo bool) error {
	_, err := ask(ctx, c, c.service.Drain, &benchdv1.DrainRequest{Name: name, Undo: undo})
	return err
}

// ask sends a request that is answered at once.
func ask[Q, A any](ctx context.Context, c *Client, method func(context.Context, Q, ...grpc.CallOption) (A, error), question Q) (A, error) {
	ctx, cancel := context.WithTimeout(ctx, c.patience.answer)
	defer cancel()
	answer, err := method(ctx, question)
	return answer, c.translate(err)
}
