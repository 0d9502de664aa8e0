package setup

import (
	"context"

	"github.com/benchd/benchd/internal/target/mongodb/client"
)

// Server is a server of an installation.
type Server struct {
	Address string
	Shard   string // that it belongs to; empty without sharding
	Router  bool   // a mongos, which has no documents
}

// NamedBy is what errors name as the origin of the servers' addresses.
const NamedBy = "the configuration of MongoDB"

// Servers lists the routers of the url, and the servers that have documents.
func Servers(ctx context.Context, c *client.Client) ([]Server, error) {
	u := c.Settings().URL
	if !c.Hello.Mongos() {
		return members(ctx, c)
	}
	var all []Server
	for _, address := range u.Hosts {
		if !u.SRV {
			all = append(all, Server{Address: address, Router: true})
		}
	}
	shards, err := Shards(ctx, c)
	if err != nil {
		return nil, err
	}
	for _, shard := range shards {
		for _, address := range shard.Members() {
			all = append(all, Server{Address: address, Shard: shard.ID})
		}
	}
	return all, nil
}

// members lists the members of a replica set, or the only server.
func members(ctx context.Context, c *client.Client) ([]Server, error) {
	h, err := c.Greet(ctx)
	if err != nil {
		return nil, err //nolint:wrapcheck // it needs no context
	}
	addresses := h.Members()
	if len(addresses) == 0 || c.Settings().URL.Option("directConnection") == "true" {
		addresses = c.Settings().URL.Hosts[:1]
	}
	all := make([]Server, len(addresses))
	for i, address := range addresses {
		all[i].Address = address
	}
	return all, nil
}
