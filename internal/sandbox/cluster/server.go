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

// maxMoved bounds the moved regions that a server remembers.
const maxMoved = 1000

// Server is one region server from start to end: a restart makes a new Server.
type Server struct {
	// Number counts servers from 1 in the order in which they were added; a restart keeps it.
	Number    int
	Host      string
	Port      int
	Info      string // address of its metrics over HTTP
	InfoPort  int
	StartCode int64
	Started   time.Time
	Fault     *fault.Server
	Meter     jmx.Meter

	alive  atomic.Bool // false after a kill
	silent atomic.Bool // true while it is stopped
	lost   int64       // regions it had when it was killed or silenced
	known  atomic.Bool // false once the master has noticed the loss
	routes atomic.Pointer[routes]
	copies atomic.Pointer[routes] // replicas of regions
	meta   atomic.Pointer[Region] // the copy of hbase:meta; nil for none
	mu     sync.Mutex             // guards away
	away   map[string]place
}

// routes maps full and encoded names to a server's regions.
type routes map[string]*Region

// place is the new location of a moved region.
type place struct {
	to     *Server
	opened int64
}

// NewServer makes a server without regions.
func NewServer(number int, address, info *net.TCPAddr, started time.Time) *Server {
	s := &Server{
		Number: number, Host: address.IP.String(), Port: address.Port, Info: info.String(), InfoPort: info.Port,
		StartCode: started.UnixMilli(), Started: started, away: map[string]place{},
	}
	s.Fault = fault.NewServer(number, s.Host, s.Port, s.StartCode)
	s.alive.Store(true)
	s.known.Store(true)
	s.routes.Store(&routes{})
	s.copies.Store(&routes{})
	return s
}

// Name is the server's name in HBase's form: host,port,startcode.
func (s *Server) Name() string { return fmt.Sprintf("%s,%d,%d", s.Host, s.Port, s.StartCode) }

// Address is the address at which its regions are served.
func (s *Server) Address() string { return net.JoinHostPort(s.Host, strconv.Itoa(s.Port)) }

// Alive reports whether the server was not killed.
func (s *Server) Alive() bool { return s.alive.Load() }

// Silent reports whether the server is stopped: it exists but answers nothing.
func (s *Server) Silent() bool { return s.silent.Load() }

// Known is false once the master has noticed that the server was killed or is silent.
func (s *Server) Known() bool { return s.known.Load() }

// serves reports whether the server can take regions.
func (s *Server) serves() bool { return s.Alive() && s.Known() && !s.Silent() }

// Location is the server's entry in hbase:meta.
func (s *Server) Location() meta.Location {
	return meta.Location{Host: s.Host, Port: s.Port, StartCode: s.StartCode, Name: s.Name()}
}

// Region finds a region by its full or encoded name. The error says where a client should look.
func (s *Server) Region(name []byte) (*Region, error) {
	if r, ok := (*s.routes.Load())[string(name)]; ok {
		return r, nil
	}
	if r, ok := (*s.copies.Load())[string(name)]; ok {
		return r, nil
	}
	if r := s.meta.Load(); r != nil && string(name) == r.Name {
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

// Count is the number of the server's regions.
func (s *Server) Count() int { return len(*s.routes.Load()) / 2 }

// open adds regions to the server, close removes them. The caller holds the cluster's lock.
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
			clear(s.away) // clients then look in hbase:meta
		}
		s.away[r.Info.Encoded] = place{to, opened}
	}
	s.mu.Unlock()
	s.routes.Store(&next)
}
