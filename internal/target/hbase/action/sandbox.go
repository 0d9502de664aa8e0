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

// Sandboxes gives the load.OpenActor of sandboxes: HBase's, that has things go wrong too. It remembers where each is steered, so
// that a fault which no master and no ZooKeeper gets past can be cleared all the same.
func Sandboxes() load.OpenActor {
	known := &places{at: make(map[string]string)}
	return func(_ context.Context, s load.Settings) (load.Actor, error) {
		settings, err := hbasespec.Read(s.Properties)
		if err != nil {
			return nil, load.Mark(load.ErrAction, fmt.Errorf("read settings of target sandbox: %w", err))
		}
		return &sandboxActor{settings: s, known: known, name: strings.Join(settings.Quorum, ",") + settings.Znode}, nil
	}
}

// places is where sandboxes are steered.
type places struct {
	mu sync.Mutex
	at map[string]string // by quorum and znode
}

// mostPlaces bounds how many are remembered.
const mostPlaces = 100

func (p *places) get(name string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.at[name]
}

func (p *places) set(name, address string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.at) >= mostPlaces {
		clear(p.at)
	}
	p.at[name] = address
}

// sandboxActor does actions on a sandbox. It connects to it as to an HBase when that is needed.
type sandboxActor struct {
	settings load.Settings
	known    *places
	name     string // of the sandbox among those known
	cluster  *actor // nil until it is connected
}

// Close ends its connection to the sandbox.
func (s *sandboxActor) Close() error {
	if s.cluster == nil {
		return nil
	}
	return s.cluster.Close()
}

// Act does an action.
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

// steer does something where the sandbox is steered.
func (s *sandboxActor) steer(ctx context.Context, do func(*control.Client) (load.Answer, error)) (load.Answer, error) {
	client, err := s.find(ctx)
	if err != nil {
		return load.Answer{}, err
	}
	defer client.Close()
	answer, err := do(client)
	if u, ok := errors.AsType[*control.UnreachableError](err); ok {
		err = load.Mark(load.ErrUnknown, fmt.Errorf("steer the sandbox at %s, which are the pages of its master: %w", u.Address, u.Err))
	}
	return answer, err
}

// find finds where the sandbox is steered, which is where its master has its pages.
func (s *sandboxActor) find(ctx context.Context) (*control.Client, error) {
	if address := s.known.get(s.name); address != "" {
		client := control.NewClient(address)
		if _, err := client.Status(ctx); err == nil {
			return client, nil
		}
		client.Close() // it was started anew, with other ports
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
	client := control.NewClient(address)
	if _, err := client.Status(ctx); err != nil {
		client.Close()
		return nil, load.Mark(load.ErrNotReached, fmt.Errorf("steer the sandbox at %s, which should be the pages of its master: %w; is it a sandbox?", address, beneath(err)))
	}
	s.known.set(s.name, address)
	return client, nil
}

// beneath leaves out the cure of who asks by hand.
func beneath(err error) error {
	if u, ok := errors.AsType[*control.UnreachableError](err); ok {
		return u.Err
	}
	return err
}

// add adds a fault. One that happens to a server at once has happened when it returns.
func (s *sandboxActor) add(ctx context.Context, client *control.Client, f fault.Fault) (load.Answer, error) {
	if err := there(ctx, client, f); err != nil {
		return load.Answer{}, err
	}
	numbers, err := client.AddFaultsFor(ctx, s.settings.Run, []fault.Fault{f})
	if err != nil {
		return load.Answer{}, err //nolint:wrapcheck // it is the sandbox's own
	}
	if len(numbers) != 1 {
		return load.Answer{}, errors.New("the sandbox does not tell the number of the fault")
	}
	if f.Kind.Event() && f.Start == 0 {
		if err := s.happened(ctx, client, numbers[0]); err != nil {
			return load.Answer{}, err
		}
	}
	return say("fault %d is added: %s", numbers[0], &f), nil
}

// there fails where a server is to be killed that the sandbox does not have.
func there(ctx context.Context, client *control.Client, f fault.Fault) error {
	if !f.Kind.Event() || len(f.Where.Servers) == 0 {
		return nil
	}
	status, err := client.Status(ctx)
	if err != nil {
		return err //nolint:wrapcheck // it is the sandbox's own
	}
	name := f.Where.Servers[0]
	for i, one := range status.Servers {
		if slices.Contains([]string{strconv.Itoa(i + 1), one.Address, one.Name}, name) {
			return nil
		}
	}
	return fmt.Errorf("there is no region server %s in the sandbox; there are 1 to %d, as `benchctl sandbox servers` lists them", name, len(status.Servers))
}

// lookEvery is between two looks at whether a fault has happened.
const lookEvery = 20 * time.Millisecond

// happened waits until a fault has happened to a server. One that could not is taken away.
func (*sandboxActor) happened(ctx context.Context, client *control.Client, number int) error {
	for {
		status, err := client.Status(ctx)
		if err != nil {
			return err //nolint:wrapcheck // it is the sandbox's own
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
		return say("%s cleared", faults(n)), err
	}
	if s.settings.Run == "" {
		return load.Answer{}, load.Mark(load.ErrAction, errors.New("clear_faults own=true is of a run"))
	}
	n, err := client.Disown(ctx, s.settings.Run)
	if n == 0 {
		return load.Answer{}, err
	}
	return say("%s of run %s cleared", faults(n), s.settings.Run), err
}

func faults(n int) string {
	if n == 1 {
		return "1 fault"
	}
	return fmt.Sprintf("%d faults", n)
}
