package action

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/mongodb/client"
	"github.com/benchd/benchd/internal/target/mongodb/setup"
)

// balancer shows or switches the balancer.
func (a *actor) balancer(ctx context.Context, args map[string]string) (load.Answer, error) {
	if err := a.sharded("balancer"); err != nil {
		return load.Answer{}, err
	}
	before, err := a.balancerMode(ctx)
	if err != nil {
		return load.Answer{}, err
	}
	switch args["state"] {
	case "":
		return answerf("the balancer is %s", before), nil
	case "on":
		_, err = a.client.AdminOnPrimary(ctx, bson.D{{Key: "balancerStart", Value: 1}})
	default:
		_, err = a.client.AdminOnPrimary(ctx, bson.D{{Key: "balancerStop", Value: 1}})
	}
	if err != nil {
		return load.Answer{}, fmt.Errorf("switch the balancer %s: %w", args["state"], err)
	}
	return answerf("the balancer is %s; it was %s", args["state"], before), nil
}

// balancerMode returns on or off.
func (a *actor) balancerMode(ctx context.Context) (string, error) {
	answer, err := a.client.AdminOnPrimary(ctx, bson.D{{Key: "balancerStatus", Value: 1}})
	if err != nil {
		return "", fmt.Errorf("read the balancer's status: %w", err)
	}
	if mode, _ := answer.Lookup("mode").StringValueOK(); mode == "off" {
		return "off", nil
	}
	return "on", nil
}

// each calls do with a direct connection to each server that has documents, the primaries last.
func (a *actor) each(ctx context.Context, do func(c *client.Client, address string, primary bool) error) (int, error) {
	list, err := setup.Servers(ctx, a.client)
	if err != nil {
		return 0, err //nolint:wrapcheck // it needs no context
	}
	type member struct {
		client  *client.Client
		address string
		primary bool
	}
	var members []member
	defer func() {
		for _, m := range members {
			_ = m.client.Close()
		}
	}()
	for _, server := range list {
		if server.Router {
			continue
		}
		direct, err := a.client.Direct(server.Address, setup.NamedBy)
		if err != nil {
			return 0, err //nolint:wrapcheck // it names the address
		}
		members = append(members, member{client: direct, address: server.Address})
		h, err := direct.Greet(ctx)
		if err != nil {
			return 0, err //nolint:wrapcheck // it names the address
		}
		members[len(members)-1].primary = h.SetName != "" && h.Writable
	}
	slices.SortStableFunc(members, func(x, y member) int { return cmp.Compare(rank(x.primary), rank(y.primary)) })
	for _, m := range members {
		if err := do(m.client, m.address, m.primary); err != nil {
			return 0, fmt.Errorf("server %s: %w", m.address, err)
		}
	}
	return len(members), nil
}

func rank(primary bool) int {
	if primary {
		return 1
	}
	return 0
}

func (a *actor) compact(ctx context.Context, args map[string]string) (load.Answer, error) {
	s := a.of(args)
	if err := a.exists(ctx, s); err != nil {
		return load.Answer{}, err
	}
	begin := time.Now()
	var freed int64
	n, err := a.each(ctx, func(c *client.Client, _ string, primary bool) error {
		command := bson.D{{Key: "compact", Value: s.Collection}}
		if primary {
			command = append(command, bson.E{Key: "force", Value: true})
		}
		answer, err := c.OnPrimary(ctx, command)
		if client.NotFound(err) {
			return nil // a shard without documents of the collection
		}
		if err != nil {
			return err //nolint:wrapcheck // each names the server
		}
		bytes, _ := answer.Lookup("bytesFreed").AsInt64OK()
		freed += bytes
		return nil
	})
	if err != nil {
		return load.Answer{}, fmt.Errorf("compact %s: %w", s.Namespace(), err)
	}
	return answerf("compacted collection %s on %s after %s; %d bytes are freed", s.Namespace(), countServers(n), time.Since(begin).Round(100*time.Millisecond), freed), nil
}

func (a *actor) flush(ctx context.Context, _ map[string]string) (load.Answer, error) {
	n, err := a.each(ctx, func(c *client.Client, _ string, _ bool) error {
		_, err := c.Admin(ctx, bson.D{{Key: "fsync", Value: 1}})
		if client.Unsupported(err) {
			return errors.New("the server does not have the command fsync: leave flush out")
		}
		return err //nolint:wrapcheck // each names the server
	})
	if err != nil {
		return load.Answer{}, fmt.Errorf("flush: %w", err)
	}
	return answerf("flushed %s", countServers(n)), nil
}

func countServers(n int) string {
	if n == 1 {
		return "1 server"
	}
	return fmt.Sprintf("%d servers", n)
}

// servers lists the servers. One that does not answer is listed with the reason.
func (a *actor) servers(ctx context.Context, _ map[string]string) (load.Answer, error) {
	list, err := setup.Servers(ctx, a.client)
	if err != nil {
		return load.Answer{}, err //nolint:wrapcheck // it needs no context
	}
	answer := load.Answer{Columns: []string{"server", "shard", "replica_set", "state", "version", "uptime_s"}}
	for _, server := range list {
		answer.Rows = append(answer.Rows, a.describeServer(ctx, server))
	}
	return answer, nil
}

// serverWithin is how long a server may take to answer.
const serverWithin = 3 * time.Second

func (a *actor) describeServer(ctx context.Context, server setup.Server) []any {
	ctx, cancel := context.WithTimeout(ctx, serverWithin)
	defer cancel()
	silent := func(err error) []any {
		return []any{server.Address, server.Shard, "", "no answer: " + err.Error(), "", 0}
	}
	direct, err := a.client.Direct(server.Address, setup.NamedBy)
	if err != nil {
		return silent(err)
	}
	defer func() { _ = direct.Close() }()
	h, err := direct.Greet(ctx)
	if err != nil {
		return silent(err)
	}
	state := h.Topology()
	switch {
	case h.Mongos():
		state = "router"
	case h.SetName != "" && h.Writable:
		state = "primary"
	case h.SetName != "" && h.Arbiter:
		state = "arbiter"
	case h.SetName != "":
		state = "secondary"
	}
	version, uptime := "", int64(0)
	if info, err := direct.Admin(ctx, bson.D{{Key: "buildInfo", Value: 1}}); err == nil {
		version, _ = info.Lookup("version").StringValueOK()
	}
	if status, err := direct.Admin(ctx, bson.D{{Key: "serverStatus", Value: 1}}); err == nil {
		uptime, _ = status.Lookup("uptime").AsInt64OK()
	}
	return []any{server.Address, server.Shard, h.SetName, state, version, uptime}
}
