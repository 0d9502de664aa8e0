package admin

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/go-zookeeper/zk"
	"google.golang.org/protobuf/proto"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
	"github.com/benchd/benchd/internal/outbound"
)

// sites has the addresses in ZooKeeper of the servers that every client needs.
type sites struct {
	master, meta string // HOST:PORT
	masterInfo   int    // port of the master's info pages; 0 if unknown
}

const (
	sessionTimeout = 10 * time.Second
	// probeWithin is the time limit of the check whether any server of the quorum accepts connections.
	probeWithin = 3 * time.Second
)

// locate reads the sites from ZooKeeper. Its errors name what is missing.
func (c *Client) locate(ctx context.Context) error {
	found, err := c.lookFor(ctx, masterService, clientService)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sites = found
	return nil
}

// site returns the address of a service that is registered in ZooKeeper, and how often addresses were renewed.
func (c *Client) site(service string) (at endpoint, seen int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if service == masterService {
		return endpoint{service, c.sites.master}, c.located
	}
	return endpoint{service, c.sites.meta}, c.located
}

// relocate looks up a service in ZooKeeper after a call to it has failed, unless another call has done so since, and pauses
// before the next try. It fails only when the context ends, with the reason: an error of ZooKeeper may pass, as while another
// master takes over.
func (c *Client) relocate(ctx context.Context, service string, seen int, pause time.Duration, failed error) error {
	select {
	case c.gate <- struct{}{}:
	case <-ctx.Done():
		return fmt.Errorf("%w (%w)", failed, context.Cause(ctx))
	}
	var lost error
	if _, now := c.site(service); now == seen {
		lost = c.renew(ctx, service)
	}
	<-c.gate
	if late := wait(ctx, pause); late != nil {
		return fmt.Errorf("%w (%w)", errors.Join(failed, lost), late)
	}
	return nil
}

// renew reads the site of a service from ZooKeeper.
func (c *Client) renew(ctx context.Context, service string) error {
	ctx, cancel := context.WithTimeout(ctx, probeWithin)
	defer cancel()
	found, err := c.lookFor(ctx, service)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.located++
	if service == masterService {
		c.sites.master, c.sites.masterInfo = found.master, found.masterInfo
	} else {
		c.sites.meta = found.meta
	}
	return nil
}

// MetaServer looks up the server of hbase:meta, HOST:PORT.
func (c *Client) MetaServer(ctx context.Context) (string, error) {
	found, err := c.lookFor(ctx, clientService)
	return found.meta, err
}

// lookFor reads the sites of services from ZooKeeper.
func (c *Client) lookFor(ctx context.Context, services ...string) (sites, error) {
	if err := c.reachable(ctx); err != nil {
		return sites{}, err
	}
	return c.look(ctx, services)
}

// reachable fails when no server of the quorum accepts a connection: the library would retry forever.
func (c *Client) reachable(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, probeWithin)
	defer cancel()
	for _, server := range c.servers {
		if err := c.quorum().Check(ctx, server); err != nil {
			return err //nolint:wrapcheck // it names the server and the property
		}
	}
	results := make(chan error, len(c.servers))
	for _, server := range c.servers {
		go func() {
			conn, err := c.quorum().DialContext(ctx, "tcp", server)
			if err == nil {
				err = conn.Close()
			}
			results <- err
		}()
	}
	var errs []error
	for range c.servers {
		err := <-results
		if err == nil {
			return nil
		}
		errs = append(errs, err)
	}
	return fmt.Errorf("%w: no ZooKeeper server of hbase.zookeeper.quorum=%s accepts connections (%w): is ZooKeeper running there, and is the port right?",
		ErrNotReached, strings.Join(c.servers, ","), errors.Join(errs...))
}

// quorum returns the dialer for ZooKeeper's servers.
func (c *Client) quorum() *outbound.Dialer { return c.config.Dial.Named("hbase.zookeeper.quorum") }

type silent struct{}

func (silent) Printf(string, ...any) {}

// look reads the znodes.
func (c *Client) look(ctx context.Context, services []string) (sites, error) {
	guard := &zkGuard{dial: c.quorum(), secure: c.config.SecureZooKeeper, failed: make(chan error, 1)}
	conn, _, err := zk.Connect(c.servers, sessionTimeout, zk.WithLogger(silent{}), zk.WithLogInfo(false),
		zk.WithDialer(guard.connect), zk.WithHostProvider(&hostList{}))
	if err != nil {
		return sites{}, fmt.Errorf("connect to ZooKeeper %s: %w", strings.Join(c.servers, ","), err)
	}
	type answer struct {
		sites sites
		err   error
	}
	answers := make(chan answer, 1)
	go func() {
		found, err := c.read(conn, services)
		answers <- answer{found, err}
	}()
	select {
	case a := <-answers:
		conn.Close()
		select {
		case err := <-guard.failed: // it is why the library has closed the connection
			return sites{}, fmt.Errorf("read from ZooKeeper: %w", err)
		default:
		}
		return a.sites, a.err
	case err := <-guard.failed: // the library would try again
		conn.Close()
		<-answers
		return sites{}, fmt.Errorf("read from ZooKeeper: %w", err)
	case <-ctx.Done():
		conn.Close() // read ends with it
		if a := <-answers; a.err != nil {
			return sites{}, fmt.Errorf("%w (%w)", a.err, ctx.Err())
		}
		return sites{}, ctx.Err()
	}
}

// read reads the znodes over a connection, whose calls end when it is closed.
func (c *Client) read(conn *zk.Conn, services []string) (sites, error) {
	var found sites
	if slices.Contains(services, masterService) {
		var master hbasepb.MasterNode
		switch err := c.znode(conn, "master", &master); {
		case errors.Is(err, zk.ErrNoNode):
			return found, c.noMaster(conn)
		case err != nil:
			return found, err
		}
		found.master = address(master.GetMaster())
		found.masterInfo = int(master.GetInfoPort())
	}
	if slices.Contains(services, clientService) {
		var meta hbasepb.MetaRegionServer
		switch err := c.znode(conn, "meta-region-server", &meta); {
		case errors.Is(err, zk.ErrNoNode):
			return found, fmt.Errorf("no region server serves hbase:meta (znode %s is missing): is any region server running?", path.Join(c.config.Parent, "meta-region-server"))
		case err != nil:
			return found, err
		}
		found.meta = address(meta.GetServer())
	}
	return found, nil
}

// noMaster returns the error for a missing znode of the master.
func (c *Client) noMaster(conn *zk.Conn) error {
	at := strings.Join(c.servers, ",")
	if there, _, err := conn.Exists(c.config.Parent); err == nil && there {
		return fmt.Errorf("no active HBase master: znode %s/master is missing in ZooKeeper at %s; is the master running, or still starting?", c.config.Parent, at)
	}
	names, _, err := conn.Children("/")
	if err != nil {
		return fmt.Errorf("list znodes of ZooKeeper at %s: %w", at, err)
	}
	var likely []string
	for _, name := range names {
		if strings.Contains(strings.ToLower(name), "hbase") {
			likely = append(likely, "/"+name)
		}
	}
	cure := "is this the ZooKeeper of an HBase?"
	if len(likely) > 0 {
		cure = "there is " + strings.Join(likely, " and ")
	}
	return fmt.Errorf("znode %s does not exist in ZooKeeper at %s: set zookeeper.znode.parent to its value in the cluster's hbase-site.xml (%s)", c.config.Parent, at, cure)
}

// znode reads a znode's message.
func (c *Client) znode(conn *zk.Conn, name string, into proto.Message) error {
	at := path.Join(c.config.Parent, name)
	data, _, err := conn.Get(at)
	switch {
	case errors.Is(err, zk.ErrNoAuth):
		return fmt.Errorf("read znode %s: %w: only authenticated clients of ZooKeeper may read it, and this client does not authenticate there; let everybody read it, as HBase does by default", at, err)
	case errors.Is(err, zk.ErrNoServer), errors.Is(err, zk.ErrConnectionClosed):
		return fmt.Errorf("%w: ZooKeeper at %s accepts connections but opens no session: does ZooKeeper listen there, does it have a quorum, and has the port TLS if zookeeper.client.secure=true?",
			ErrNotReached, strings.Join(c.servers, ","))
	case err != nil:
		return fmt.Errorf("read znode %s: %w", at, err)
	}
	if err := decodeZNode(data, into); err != nil {
		return fmt.Errorf("read znode %s: %w", at, err)
	}
	return nil
}

// decodeZNode strips HBase's prefix from a message: a byte 0xFF, the length and name of the writer, and PBUF.
func decodeZNode(data []byte, into proto.Message) error {
	const magic, head = "PBUF", 5
	if len(data) < head || data[0] != 0xFF {
		return errors.New("not written by HBase")
	}
	writer := binary.BigEndian.Uint32(data[1:])
	rest := data[head:]
	if uint64(writer) > uint64(len(rest)) {
		return errors.New("truncated")
	}
	rest = rest[writer:]
	if !strings.HasPrefix(string(rest), magic) {
		return errors.New("written by an HBase older than 0.96")
	}
	if err := proto.Unmarshal(rest[len(magic):], into); err != nil {
		return fmt.Errorf("decode message: %w", err)
	}
	return nil
}

func address(s *hbasepb.ServerName) string {
	return net.JoinHostPort(s.GetHostName(), itoa(int(s.GetPort())))
}
