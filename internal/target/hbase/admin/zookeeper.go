package admin

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-zookeeper/zk"
	"google.golang.org/protobuf/proto"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
	"github.com/benchd/benchd/internal/outbound"
)

// zooKeeper is the registry in ZooKeeper.
type zooKeeper struct {
	servers []string // HOST:PORT
	parent  string   // the znode below which HBase publishes its servers
	dial    *outbound.Dialer
	secure  func(ctx context.Context, conn net.Conn, host string) (net.Conn, error) // nil for none

	replicas bool // of hbase:meta are looked for, too
}

const sessionTimeout = 10 * time.Second

// newZooKeeper returns the registry of a quorum.
func newZooKeeper(config Config) (*zooKeeper, error) {
	servers, err := config.servers()
	if err != nil {
		return nil, err
	}
	return &zooKeeper{servers, config.Parent, config.Dial.Named("hbase.zookeeper.quorum"), config.SecureZooKeeper, config.MetaReplicas}, nil
}

func (*zooKeeper) name() string { return "ZooKeeper" }

// find reads the sites of services from ZooKeeper.
func (z *zooKeeper) find(ctx context.Context, services []string) (sites, error) {
	if err := z.reachable(ctx); err != nil {
		return sites{}, err
	}
	return z.look(ctx, services)
}

// reachable fails when no server of the quorum accepts a connection: the library would retry forever.
func (z *zooKeeper) reachable(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, probeWithin)
	defer cancel()
	for _, server := range z.servers {
		if err := z.dial.Check(ctx, server); err != nil {
			return err //nolint:wrapcheck // it names the server and the property
		}
	}
	results := make(chan error, len(z.servers))
	for _, server := range z.servers {
		go func() {
			conn, err := z.dial.DialContext(ctx, "tcp", server)
			if err == nil {
				err = conn.Close()
			}
			results <- err
		}()
	}
	var errs []error
	for range z.servers {
		err := <-results
		if err == nil {
			return nil
		}
		errs = append(errs, err)
	}
	return fmt.Errorf("%w: no ZooKeeper server of hbase.zookeeper.quorum=%s accepts connections (%w): is ZooKeeper running there, and is the port right?",
		ErrNotReached, strings.Join(z.servers, ","), errors.Join(errs...))
}

type silent struct{}

func (silent) Printf(string, ...any) {}

// look reads the znodes of services.
func (z *zooKeeper) look(ctx context.Context, services []string) (sites, error) {
	var found sites
	err := z.session(ctx, func(conn *zk.Conn) (err error) {
		found, err = z.read(conn, services)
		return err
	})
	if err != nil {
		return sites{}, err
	}
	return found, nil
}

// session opens a session for reads, whose calls end when it is closed.
func (z *zooKeeper) session(ctx context.Context, read func(conn *zk.Conn) error) error {
	guard := &zkGuard{dial: z.dial, secure: z.secure, failed: make(chan error, 1)}
	conn, _, err := zk.Connect(z.servers, sessionTimeout, zk.WithLogger(silent{}), zk.WithLogInfo(false),
		zk.WithDialer(guard.connect), zk.WithHostProvider(&hostList{}))
	if err != nil {
		return fmt.Errorf("connect to ZooKeeper %s: %w", strings.Join(z.servers, ","), err)
	}
	done := make(chan struct{})
	var failed error // of read, once done is closed
	go func() {
		defer close(done)
		failed = read(conn)
	}()
	select {
	case <-done:
		conn.Close()
		select {
		case err := <-guard.failed: // it is why the library has closed the connection
			return fmt.Errorf("read from ZooKeeper: %w", err)
		default:
		}
		return failed
	case err := <-guard.failed: // the library would try again
		conn.Close()
		<-done
		return fmt.Errorf("read from ZooKeeper: %w", err)
	case <-ctx.Done():
		conn.Close() // read ends with it
		if <-done; failed != nil {
			return fmt.Errorf("%w (%w)", failed, ctx.Err())
		}
		return ctx.Err()
	}
}

// read reads the znodes over a connection, whose calls end when it is closed.
func (z *zooKeeper) read(conn *zk.Conn, services []string) (sites, error) {
	var found sites
	if slices.Contains(services, masterService) {
		var master hbasepb.MasterNode
		switch err := z.znode(conn, "master", &master); {
		case errors.Is(err, zk.ErrNoNode):
			return found, z.noMaster(conn)
		case err != nil:
			return found, err
		}
		found.master = address(master.GetMaster())
		found.masterInfo = int(master.GetInfoPort())
	}
	if slices.Contains(services, clientService) {
		var meta hbasepb.MetaRegionServer
		switch err := z.znode(conn, "meta-region-server", &meta); {
		case errors.Is(err, zk.ErrNoNode):
			return found, fmt.Errorf("no region server serves hbase:meta (znode %s is missing): is any region server running?", path.Join(z.parent, "meta-region-server"))
		case err != nil:
			return found, err
		}
		found.meta = address(meta.GetServer())
		if z.replicas {
			if err := z.replicasOf(conn, &found); err != nil {
				return found, err
			}
		}
	}
	return found, nil
}

// replicasOf reads the znodes of the replicas of hbase:meta. Those of closed replicas may be missing.
func (z *zooKeeper) replicasOf(conn *zk.Conn, found *sites) error {
	names, _, err := conn.Children(z.parent)
	if err != nil {
		return fmt.Errorf("list znode %s: %w", z.parent, err)
	}
	for _, name := range names {
		number, err := strconv.Atoi(strings.TrimPrefix(name, "meta-region-server-"))
		if err != nil {
			continue
		}
		var replica hbasepb.MetaRegionServer
		switch err := z.znode(conn, name, &replica); {
		case errors.Is(err, zk.ErrNoNode): // it was just closed
		case err != nil:
			return err
		default:
			found.place(number, address(replica.GetServer()))
		}
	}
	return nil
}

// noMaster returns the error for a missing znode of the master.
func (z *zooKeeper) noMaster(conn *zk.Conn) error {
	at := strings.Join(z.servers, ",")
	if there, _, err := conn.Exists(z.parent); err == nil && there {
		return fmt.Errorf("no active HBase master: znode %s/master is missing in ZooKeeper at %s; is the master running, or still starting?", z.parent, at)
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
	return fmt.Errorf("znode %s does not exist in ZooKeeper at %s: set zookeeper.znode.parent to its value in the cluster's hbase-site.xml (%s)", z.parent, at, cure)
}

// znode reads a znode's message.
func (z *zooKeeper) znode(conn *zk.Conn, name string, into proto.Message) error {
	at := path.Join(z.parent, name)
	data, _, err := conn.Get(at)
	switch {
	case errors.Is(err, zk.ErrNoAuth):
		return fmt.Errorf("read znode %s: %w: only authenticated clients of ZooKeeper may read it, and this client does not authenticate there; let everybody read it, as HBase does by default", at, err)
	case errors.Is(err, zk.ErrNoServer), errors.Is(err, zk.ErrConnectionClosed):
		return fmt.Errorf("%w: ZooKeeper at %s accepts connections but opens no session: does ZooKeeper listen there, does it have a quorum, and has the port TLS if zookeeper.client.secure=true?",
			ErrNotReached, strings.Join(z.servers, ","))
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
