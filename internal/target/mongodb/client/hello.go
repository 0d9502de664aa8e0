package client

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/benchd/benchd/internal/target/mongodb/mongodbspec"
)

// Hello is what a server reports about itself.
type Hello struct {
	SetName  string   `bson:"setName"`
	Hosts    []string `bson:"hosts"`
	Passives []string `bson:"passives"`
	Primary  string   `bson:"primary"`
	Me       string   `bson:"me"`
	Message  string   `bson:"msg"`
	Writable bool     `bson:"isWritablePrimary"`
	Arbiter  bool     `bson:"arbiterOnly"`
}

// Mongos reports whether the server is a router of a sharded cluster.
func (h Hello) Mongos() bool { return h.Message == "isdbgrid" }

// Topology returns the kind of the installation.
func (h Hello) Topology() string {
	switch {
	case h.Mongos():
		return mongodbspec.Sharded
	case h.SetName != "":
		return mongodbspec.ReplicaSet
	}
	return mongodbspec.Standalone
}

// Members lists the members with documents, as host:port.
func (h Hello) Members() []string { return slices.Concat(h.Hosts, h.Passives) }

// Connect makes a client, finds the servers, and checks that the settings fit them.
func Connect(ctx context.Context, config Config) (*Client, error) {
	ctx, cancel := context.WithTimeout(ctx, ConnectWithin)
	defer cancel()
	for _, address := range config.Settings.URL.Hosts {
		if config.Settings.URL.SRV {
			address = net.JoinHostPort(address, "27017")
		}
		if err := config.Dial.Named("mongodb.url").Check(ctx, address); err != nil {
			return nil, err //nolint:wrapcheck // it names the address and the property
		}
	}
	c, err := New(config)
	if err != nil {
		return nil, err
	}
	if err := c.greet(ctx); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// greet reads what a server reports about itself, and reads a document as an operation does: before that, a wrong password is unknown.
func (c *Client) greet(ctx context.Context) error {
	within, cancel := context.WithTimeout(ctx, findWithin)
	defer cancel()
	h, err := c.Greet(within)
	if err != nil {
		return err
	}
	c.Hello = h
	if err := c.fits(); err != nil {
		return err
	}
	s := c.config.Settings
	from, err := ReadPreference(s)
	if err != nil {
		return err
	}
	find := bson.D{{Key: "find", Value: s.Collection}, {Key: "projection", Value: bson.D{{Key: "_id", Value: 1}}}, {Key: "limit", Value: 1}, {Key: "singleBatch", Value: true}}
	if s.ReadConcern != "" {
		find = append(find, bson.E{Key: "readConcern", Value: bson.D{{Key: "level", Value: s.ReadConcern}}})
	}
	if err := c.Database(s.Database).RunCommand(ctx, find, options.RunCmd().SetReadPreference(from)).Err(); err != nil {
		return c.Explain(ctx, "read collection "+s.Namespace(), err)
	}
	return nil
}

// Greet asks any server about itself.
func (c *Client) Greet(ctx context.Context) (Hello, error) {
	var h Hello
	raw, err := c.Admin(ctx, bson.D{{Key: "hello", Value: 1}})
	if err != nil {
		return h, err
	}
	if err := bson.Unmarshal(raw, &h); err != nil {
		return h, fmt.Errorf("read the answer to hello: %w", err)
	}
	return h, nil
}

// fits checks that the servers have what the settings need.
func (c *Client) fits() error {
	s, h := c.config.Settings, c.Hello
	if s.Shard != mongodbspec.Unsharded && !h.Mongos() {
		return fmt.Errorf("mongodb.shard.key=%s needs a sharded cluster, and %s is a %s: give the address of a mongos in mongodb.url, or remove mongodb.shard.key", s.Shard, c.where(), h.Topology())
	}
	if s.URL.Option("replicaSet") != "" && h.SetName == "" {
		return fmt.Errorf("mongodb.url names the replica set %q, and %s is a %s: remove replicaSet from mongodb.url", s.URL.Option("replicaSet"), c.where(), h.Topology())
	}
	n, isNumber := s.Write.Servers()
	members := len(h.Members())
	switch {
	case !isNumber || n < 2 || h.Mongos():
	case h.SetName == "":
		return fmt.Errorf("write concern w=%d needs a replica set, and %s is a standalone server: set w=1, or give the address of a replica set in mongodb.url", n, c.where())
	case n > members:
		return fmt.Errorf("write concern w=%d needs as many members with documents, and replica set %s has %d: set w=majority or a smaller number", n, h.SetName, members)
	}
	return nil
}

// where names the servers of the url.
func (c *Client) where() string { return hostsOf(c.config.Settings) }
