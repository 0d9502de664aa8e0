package action

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/sandbox/control"
	"github.com/benchd/benchd/internal/sandbox/fault"
	"github.com/benchd/benchd/internal/target/hbase/hbasespec"
)

// Sandboxes returns the load.OpenActor of sandboxes: HBase's actions and faults. It remembers the control address of each
// sandbox, so that faults can be cleared even if they block the master and ZooKeeper.
func Sandboxes() load.OpenActor {
	known := &places{at: make(map[string]string)}
	return func(_ context.Context, s load.Settings) (load.Actor, error) {
		settings, err := hbasespec.Read(s.Properties)
		if err != nil {
			return nil, load.Mark(load.ErrAction, fmt.Errorf("read settings of target sandbox: %w", err))
		}
		return &sandboxActor{settings: s, known: known, name: settings.Where()}, nil
	}
}

// places has the control addresses of sandboxes.
type places struct {
	mu sync.Mutex
	at map[string]string // by the address of the cluster in its settings
}

// maxPlaces is how many addresses are remembered.
const maxPlaces = 100

func (p *places) get(name string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.at[name]
}

func (p *places) set(name, address string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.at) >= maxPlaces {
		clear(p.at)
	}
	p.at[name] = address
}

// sandboxActor carries out actions on a sandbox. It connects to the cluster when an action needs that.
type sandboxActor struct {
	settings load.Settings
	known    *places
	name     string // of the sandbox in known
	cluster  *actor // nil until it is connected
}

// Close closes the connections to the sandbox.
func (s *sandboxActor) Close() error {
	if s.cluster == nil {
		return nil
	}
	return s.cluster.Close()
}

// Act carries out an action.
func (s *sandboxActor) Act(ctx context.Context, what load.Action) (load.Answer, error) {
	switch what.Name {
	case plan.Fault:
		f, err := hbasespec.Fault(what.Args)
		if err != nil {
			return load.Answer{}, load.Mark(load.ErrAction, err)
		}
		return s.steer(ctx, func(client *control.Client) (load.Answer, error) { return s.add(ctx, client, f) })
	case plan.ClearFaults:
		return s.steer(ctx, func(client *control.Client) (load.Answer, error) {
			return s.clear(ctx, client, what.Args[plan.OwnFaults] == "true")
		})
	}
	if err := s.connect(ctx); err != nil {
		return load.Answer{}, err
	}
	return s.cluster.Act(ctx, what)
}

func (s *sandboxActor) connect(ctx context.Context) error {
	if s.cluster != nil {
		return nil
	}
	opened, err := Open(ctx, s.settings)
	if err != nil {
		return err
	}
	s.cluster, _ = opened.(*actor)
	return nil
}

// steer calls do with a client of the sandbox's control API.
func (s *sandboxActor) steer(ctx context.Context, do func(*control.Client) (load.Answer, error)) (load.Answer, error) {
	client, err := s.find(ctx)
	if err != nil {
		return load.Answer{}, err
	}
	defer client.Close()
	answer, err := do(client)
	if u, ok := errors.AsType[*control.UnreachableError](err); ok {
		err = load.Mark(load.ErrUnknown, fmt.Errorf("control the sandbox at %s, the info port of its master: %w", u.Address, u.Err))
	}
	return answer, err
}

// find returns a client of the sandbox's control API, which is on the info port of its master.
func (s *sandboxActor) find(ctx context.Context) (*control.Client, error) {
	if address := s.known.get(s.name); address != "" {
		client := control.NewClient(address, s.settings.Dial.Named("the info port of the master"))
		if _, err := client.Status(ctx); err == nil {
			return client, nil
		}
		client.Close() // the sandbox was restarted with other ports
	}
	if err := s.connect(ctx); err != nil {
		return nil, err
	}
	cluster, err := s.cluster.client.Cluster(ctx)
	if err != nil {
		return nil, load.Mark(load.ErrNotReached, err)
	}
	host, _, _ := strings.Cut(cluster.Master, ",")
	address := net.JoinHostPort(host, strconv.Itoa(cluster.MasterInfo))
	client := control.NewClient(address, s.settings.Dial.Named("the info port of the master"))
	if _, err := client.Status(ctx); err != nil {
		client.Close()
		return nil, load.Mark(load.ErrNotReached, fmt.Errorf("control the sandbox at %s, the info port of its master: %w; is it a sandbox?", address, beneath(err)))
	}
	s.known.set(s.name, address)
	return client, nil
}

// beneath removes the advice for users of `benchctl sandbox` from an error.
func beneath(err error) error {
	if u, ok := errors.AsType[*control.UnreachableError](err); ok {
		return u.Err
	}
	return err
}

// add adds a fault. If the fault kills, restarts or adds a server at once, add waits until that is done.
func (s *sandboxActor) add(ctx context.Context, client *control.Client, f fault.Fault) (load.Answer, error) {
	if err := there(ctx, client, f); err != nil {
		return load.Answer{}, err
	}
	numbers, err := client.AddFaultsFor(ctx, s.settings.Run, []fault.Fault{f})
	if err != nil {
		return load.Answer{}, err //nolint:wrapcheck // the sandbox's own error
	}
	if len(numbers) != 1 {
		return load.Answer{}, errors.New("the sandbox did not return the fault's number")
	}
	if f.Kind.Event() && f.Start == 0 {
		if err := s.happened(ctx, client, numbers[0]); err != nil {
			return load.Answer{}, err
		}
	}
	return answerf("fault %d is added: %s", numbers[0], &f), nil
}

// there fails if the fault names a server that the sandbox does not have.
func there(ctx context.Context, client *control.Client, f fault.Fault) error {
	if !f.Kind.Event() || len(f.Where.Servers) == 0 {
		return nil
	}
	status, err := client.Status(ctx)
	if err != nil {
		return err //nolint:wrapcheck // the sandbox's own error
	}
	name := f.Where.Servers[0]
	for i, one := range status.Servers {
		if slices.Contains([]string{strconv.Itoa(i + 1), one.Address, one.Name}, name) {
			return nil
		}
	}
	return fmt.Errorf("no region server %s in the sandbox: want 1 to %d, as `benchctl sandbox servers` lists them", name, len(status.Servers))
}

// lookEvery is the time between two checks whether a fault has happened.
const lookEvery = 20 * time.Millisecond

// happened waits until a fault has happened to a server, and removes a fault that failed.
func (*sandboxActor) happened(ctx context.Context, client *control.Client, number int) error {
	for {
		status, err := client.Status(ctx)
		if err != nil {
			return err //nolint:wrapcheck // the sandbox's own error
		}
		i := slices.IndexFunc(status.Faults, func(one fault.Status) bool { return one.Number == number })
		switch {
		case i < 0:
			return fmt.Errorf("fault %d was cleared meanwhile", number)
		case status.Faults[i].State == fault.Failed:
			return errors.Join(errors.New(status.Faults[i].Trouble), client.ClearFault(ctx, number))
		case status.Faults[i].Hits > 0:
			return nil
		}
		timer := time.NewTimer(lookEvery)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return load.Mark(load.ErrUnknown, fmt.Errorf("wait for fault %d to happen: %w", number, context.Cause(ctx)))
		}
	}
}

func (s *sandboxActor) clear(ctx context.Context, client *control.Client, own bool) (load.Answer, error) {
	if !own {
		n, err := client.ClearFaults(ctx)
		return answerf("%s cleared", faults(n)), err
	}
	if s.settings.Run == "" {
		return load.Answer{}, load.Mark(load.ErrAction, errors.New("clear_faults: own=true is valid only in a run"))
	}
	n, err := client.Disown(ctx, s.settings.Run)
	if n == 0 {
		return load.Answer{}, err
	}
	return answerf("%s of run %s cleared", faults(n), s.settings.Run), err
}

func faults(n int) string {
	if n == 1 {
		return "1 fault"
	}
	return fmt.Sprintf("%d faults", n)
}
