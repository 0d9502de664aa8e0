package sandbox

import (
	"encoding/binary"
	"fmt"
	"path"
	"time"

	"google.golang.org/protobuf/proto"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
	"github.com/benchd/benchd/internal/sandbox/cluster"
	"github.com/benchd/benchd/internal/sandbox/regionserver"
	"github.com/benchd/benchd/internal/sandbox/zookeeper"
)

// znodes are the facts that a cluster publishes in ZooKeeper.
type znodes struct {
	tree *zookeeper.Tree
	root string
}

func newZnodes(root string) znodes { return znodes{zookeeper.NewTree(), root} }

func (z znodes) set(name string, m proto.Message, ephemeral bool) {
	z.tree.Set(path.Join(z.root, name), payload(m), ephemeral)
}

// payload encodes a message for a znode: a marker byte, the name of its writer, and HBase's magic come first.
func payload(m proto.Message) []byte {
	const writer = "sandbox"
	b := binary.BigEndian.AppendUint32([]byte{0xff}, uint32(len(writer)))
	b = append(b, writer+"PBUF"...)
	b, err := proto.MarshalOptions{Deterministic: true}.MarshalAppend(b, m)
	if err != nil {
		panic("encode znode: " + err.Error()) // cannot happen: the message is complete
	}
	return b
}

const rpcVersion = 0

// begin publishes the cluster and its master.
func (z znodes) begin(b *regionserver.Beginning, infoPort int, started time.Time) {
	z.set("hbaseid", &hbasepb.ClusterId{ClusterId: new(b.ClusterID)}, false)
	z.set("master", &hbasepb.MasterNode{Master: b.Master, RpcVersion: proto.Uint32(rpcVersion), InfoPort: new(uint32(infoPort))}, true)
	z.set("running", &hbasepb.ClusterUp{StartDate: new(started.UTC().Format(time.RFC1123))}, false)
	for _, name := range []string{"backup-masters", "draining", "namespace", "rs", "table"} {
		z.tree.Set(path.Join(z.root, name), nil, false)
	}
}

// replicas publishes the servers of replicas of hbase:meta, from number 1 on.
func (z znodes) replicas(servers []*cluster.Server) {
	for i, s := range servers {
		z.metaAt(fmt.Sprintf("meta-region-server-%d", i+1), s)
	}
}

// meta publishes the server of hbase:meta.
func (z znodes) meta(s *cluster.Server) { z.metaAt("meta-region-server", s) }

func (z znodes) metaAt(name string, s *cluster.Server) {
	z.set(name, &hbasepb.MetaRegionServer{
		Server: regionserver.NameOf(s), RpcVersion: proto.Uint32(rpcVersion), State: hbasepb.RegionStateValue_REGION_STATE_VALUE_OPEN.Enum(),
	}, false)
}

// server publishes a region server; gone removes it.
func (z znodes) server(s *cluster.Server) { z.tree.Set(path.Join(z.root, "rs", s.Name()), nil, true) }

func (z znodes) gone(s *cluster.Server) { z.tree.Delete(path.Join(z.root, "rs", s.Name())) }
