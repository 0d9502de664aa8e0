package cluster

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/benchd/benchd/internal/sandbox/fault"
	"github.com/benchd/benchd/internal/sandbox/jmx"
	"github.com/benchd/benchd/internal/sandbox/meta"
	"github.com/benchd/benchd/internal/sandbox/rpc"
	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

const (
	notServing = "org.apache.hadoop.hbase.NotServingRegionException"
	moved      = "org.apache.hadoop.hbase.exceptions.RegionMovedException"
)

// maxMoved is how many regions a server remembers that went to another.
const maxMoved = 1000

// Server is one region server, from its start to its end: one that is started again is another Server.
type Server struct {
	// Number is from 1 in the order in which servers were added; it stays when the server is started again.
	Number    int
	Host      string
	Port      int
	Info      string // where its metrics are served over HTTP
	InfoPort  int
	StartCode int64
	Started   time.Time
	Fault     *fault.Server
	Meter     jmx.Meter

	alive  atomic.Bool // until it is killed
	silent atomic.Bool // it is stopped
	lost   int64       // how many regions it had when it was killed or fell silent
	known  atomic.Bool // until the master has noticed that
	routes atomic.Pointer[routes]
	mu     sync.Mutex // guards away
	away   map[string]place
}

// routes are a server's regions by their full names and by their encoded ones.
type routes map[string]*Region

// place is where a region went.
type place struct {
	to     *Server
	opened int64
}

// NewServer gives a server without regions.
func NewServer(number int, address, info *net.TCPAddr, started time.Time) *Server {
	s := &Server{
		Number: number, Host: address.IP.String(), Port: address.Port, Info: info.String(), InfoPort: info.Port,
		StartCode: started.UnixMilli(), Started: started, away: map[string]place{},
	}
	s.Fault = fault.NewServer(number, s.Host, s.Port, s.StartCode)
	s.alive.Store(true)
	s.known.Store(true)
	s.routes.Store(&routes{})
	return s
}

// Name is the server's name as HBase writes it: host,port,startcode.
func (s *Server) Name() string { return fmt.Sprintf("%s,%d,%d", s.Host, s.Port, s.StartCode) }

// Address is where its regions are served.
func (s *Server) Address() string { return net.JoinHostPort(s.Host, strconv.Itoa(s.Port)) }

// Alive is false from the moment it is killed.
func (s *Server) Alive() bool { return s.alive.Load() }

// Silent reports whether the server is stopped: it is there, and answers nothing.
func (s *Server) Silent() bool { return s.silent.Load() }

// Known is false when the master has noticed that the server was killed or is silent.
func (s *Server) Known() bool { return s.known.Load() }

// serves reports whether regions can be given to the server.
func (s *Server) serves() bool { return s.Alive() && s.Known() && !s.Silent() }

// Location is what hbase:meta has of the server.
func (s *Server) Location() meta.Location {
	return meta.Location{Host: s.Host, Port: s.Port, StartCode: s.StartCode, Name: s.Name()}
}

// Region finds a region by its full or its encoded name. The error says where a client has to look.
func (s *Server) Region(name []byte) (*Region, error) {
	if r, ok := (*s.routes.Load())[string(name)]; ok {
		return r, nil
	}
	encoded := name
	if bytes.HasSuffix(name, []byte{'.'}) { // table,key,id.encoded.
		encoded = name[:len(name)-1]
		encoded = encoded[bytes.LastIndexByte(encoded, '.')+1:]
	}
	s.mu.Lock()
	at, ok := s.away[string(encoded)]
	s.mu.Unlock()
	if ok && at.to.Alive() {
		return nil, &protocol.Exception{
			Class: moved,
			Message: fmt.Sprintf("Region moved to: hostname=%s port=%d startCode=%d. As of locationSeqNum=%d.",
				at.to.Host, at.to.Port, at.to.StartCode, at.opened),
			Host: at.to.Host, Port: at.to.Port,
		}
	}
	return nil, rpc.Exceptionf(notServing, "%s is not online on %s", name, s.Name())
}

// Regions lists the server's regions by name.
func (s *Server) Regions() []*Region {
	var all []*Region
	for name, r := range *s.routes.Load() {
		if name == r.Name {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b *Region) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// Count is how many regions it serves.
func (s *Server) Count() int { return len(*s.routes.Load()) / 2 }

// Open has the server serve regions, close has it no longer. The cluster is locked.
func (s *Server) open(regions ...*Region) {
	next := maps.Clone(*s.routes.Load())
	s.mu.Lock()
	for _, r := range regions {
		next[r.Name], next[r.Info.Encoded] = r, r
		delete(s.away, r.Info.Encoded)
	}
	s.mu.Unlock()
	s.routes.Store(&next)
}

func (s *Server) close(to *Server, opened int64, regions ...*Region) {
	next := maps.Clone(*s.routes.Load())
	s.mu.Lock()
	for _, r := range regions {
		delete(next, r.Name)
		delete(next, r.Info.Encoded)
		if to == nil {
			continue
		}
		if len(s.away) >= maxMoved {
			clear(s.away) // clients look them up in hbase:meta then
		}
		s.away[r.Info.Encoded] = place{to, opened}
	}
	s.mu.Unlock()
	s.routes.Store(&next)
}
