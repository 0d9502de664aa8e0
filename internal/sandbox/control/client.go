package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"syscall"
	"time"

	"github.com/benchd/benchd/internal/outbound"
	"github.com/benchd/benchd/internal/sandbox/fault"
)

const (
	dialWithin = 5 * time.Second
	maxAnswer  = 512 << 10
)

// Client sends commands to a sandbox.
type Client struct {
	address string
	http    *http.Client
}

// NewClient makes a Client of the sandbox whose master's info port is at address, HOST:PORT.
// It connects by dial.
func NewClient(address string, dial *outbound.Dialer) *Client {
	return &Client{
		address: address,
		http:    outbound.Client(dial, within+dialWithin),
	}
}

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// UnreachableError reports that no sandbox answers.
type UnreachableError struct {
	Address string
	Err     error
}

// Error names the address and the remedy.
func (e *UnreachableError) Error() string {
	return fmt.Sprintf("reach the sandbox at %s: %v; start one with `benchd sandbox`, or name another's info port with --sandbox HOST:PORT", e.Address, e.Err)
}

// Unwrap returns the cause.
func (e *UnreachableError) Unwrap() error { return e.Err }

// ExitCode is the exit code of an unreachable server.
func (*UnreachableError) ExitCode() int { return 5 }

// RefusedError reports that the sandbox refused a request.
type RefusedError struct{ Text string }

// Error is the sandbox's message.
func (e *RefusedError) Error() string { return e.Text }

// ExitCode is the exit code of bad usage.
func (*RefusedError) ExitCode() int { return 2 }

func (c *Client) do(ctx context.Context, method, path string, o *order) (answer, error) {
	body := []byte("{}")
	if o != nil {
		var err error
		if body, err = json.Marshal(o); err != nil {
			return answer{}, fmt.Errorf("write request: %w", err)
		}
	}
	r, err := http.NewRequestWithContext(ctx, method, "http://"+c.address+path, bytes.NewReader(body))
	if err != nil {
		return answer{}, fmt.Errorf("make request to the sandbox at %s: %w", c.address, err)
	}
	r.Header.Set("Content-Type", "application/json")
	response, err := c.http.Do(r)
	if err != nil {
		return answer{}, &UnreachableError{Address: c.address, Err: cause(err)}
	}
	defer func() { _ = response.Body.Close() }()
	var a answer
	if err := json.NewDecoder(io.LimitReader(response.Body, maxAnswer)).Decode(&a); err != nil {
		return answer{}, &UnreachableError{Address: c.address, Err: errors.New("the server there is not a sandbox")}
	}
	if a.Error != "" {
		return answer{}, &RefusedError{Text: a.Error}
	}
	if response.StatusCode != http.StatusOK {
		return answer{}, &UnreachableError{Address: c.address, Err: errors.New("the server there is not a sandbox")}
	}
	return a, nil
}

// cause strips an error of net/http of the context that the message already has.
func cause(err error) error {
	if no, ok := errors.AsType[syscall.Errno](err); ok {
		return no
	}
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return op.Err
	}
	return err
}

// Status is what a sandbox reports about itself.
type Status struct {
	Version string         `json:"version"`
	Quorum  string         `json:"quorum"`
	Servers []Server       `json:"servers"`
	Faults  []fault.Status `json:"faults"`
}

// Status returns the sandbox's status.
func (c *Client) Status(ctx context.Context) (Status, error) {
	a, err := c.do(ctx, http.MethodGet, pathSandbox, nil)
	if err != nil {
		return Status{}, err
	}
	if a.Quorum == "" {
		return Status{}, &UnreachableError{Address: c.address, Err: errors.New("the server there is not a sandbox")}
	}
	return Status{Version: a.Version, Quorum: a.Quorum, Servers: a.Servers, Faults: a.Faults}, nil
}

// AddServer starts one more region server.
func (c *Client) AddServer(ctx context.Context) (Server, error) {
	return first(c.do(ctx, http.MethodPost, pathServers, &order{}))
}

// KillServer ends a region server as a crash does.
func (c *Client) KillServer(ctx context.Context, name string) error {
	_, err := c.do(ctx, http.MethodPost, pathServers+"/kill", &order{Server: name})
	return err
}

// RestartServer starts a region server again.
func (c *Client) RestartServer(ctx context.Context, name string) (Server, error) {
	return first(c.do(ctx, http.MethodPost, pathServers+"/restart", &order{Server: name}))
}

// SilenceServer stops a region server as SIGSTOP does: its connections stay open, and nothing is answered.
func (c *Client) SilenceServer(ctx context.Context, name string) error {
	_, err := c.do(ctx, http.MethodPost, pathServers+"/silence", &order{Server: name})
	return err
}

// ResumeServer continues a silent region server; if others serve its regions by now, it is started again.
func (c *Client) ResumeServer(ctx context.Context, name string) (Server, error) {
	return first(c.do(ctx, http.MethodPost, pathServers+"/resume", &order{Server: name}))
}

func first(a answer, err error) (Server, error) {
	if err != nil || len(a.Servers) == 0 {
		return Server{}, err
	}
	return a.Servers[0], nil
}

// AddFaults adds all faults or none, and returns their numbers.
func (c *Client) AddFaults(ctx context.Context, faults []fault.Fault) ([]int, error) {
	return c.AddFaultsFor(ctx, "", faults)
}

// AddFaultsFor adds faults of an owner; Disown ends them.
func (c *Client) AddFaultsFor(ctx context.Context, owner string, faults []fault.Fault) ([]int, error) {
	o := order{Owner: owner, Faults: make([]*fault.Fault, len(faults))}
	for i := range faults {
		o.Faults[i] = &faults[i]
	}
	a, err := c.do(ctx, http.MethodPost, pathFaults, &o)
	return a.Added, err
}

// ClearFault clears one fault.
func (c *Client) ClearFault(ctx context.Context, number int) error {
	_, err := c.do(ctx, http.MethodDelete, pathFaults+"/"+strconv.Itoa(number), nil)
	return err
}

// Disown ends the faults of an owner and returns how many were not over. A server that one of them has killed for a
// time is started again when that time is over. The owner cannot add more faults.
func (c *Client) Disown(ctx context.Context, owner string) (int, error) {
	a, err := c.do(ctx, http.MethodDelete, pathFaults, &order{Owner: owner})
	return a.Cleared, err
}

// ClearFaults clears all faults and returns how many there were.
func (c *Client) ClearFaults(ctx context.Context) (int, error) {
	a, err := c.do(ctx, http.MethodDelete, pathFaults, nil)
	return a.Cleared, err
}
