package fault

import (
	"bytes"
	"fmt"
	"net"
	"slices"
	"strconv"
	"time"

	"github.com/benchd/benchd/internal/randdur"
)

// Fault is one injected fault.
type Fault struct {
	Kind Kind
	// Start is the time from when the fault was added until it begins.
	Start time.Duration
	// Length is how long it lasts; 0 means until it is cleared.
	Length time.Duration
	// Share is the share of the matching calls that it hits, from 0 to 1.
	Share float64
	// Seed seeds the generator that decides which calls are hit and how long they wait.
	Seed uint64
	// Where selects the calls; for KillServer, RestartServer and SilenceServer it selects the server.
	Where Where
	// Delay is how long calls wait, for Latency.
	Delay randdur.Duration
	// Exception is the class of the answer in place of java.io.IOException, for IOException.
	Exception string
}

// Where selects the calls that a fault concerns. An empty field selects all.
type Where struct {
	Servers []string // number from 1, address or name, as `benchctl sandbox servers` lists them
	Ops     []Op
	Tables  []string
	Regions []string // encoded names
	From    string   // first row
	To      string   // end of the rows, exclusive
}

// Server describes a server to the faults. It is made once, and shared by all its Calls.
type Server struct {
	// Host, Port and StartCode are the parts of the server's name in HBase.
	Host      string
	Port      int
	StartCode int64

	known [3]string // the number, address and name that settings may use
}

// NewServer makes a Server. Region servers are numbered from 1; the master and ZooKeeper have number 0.
func NewServer(number int, host string, port int, startCode int64) *Server {
	s := &Server{Host: host, Port: port, StartCode: startCode}
	s.known = [...]string{strconv.Itoa(number), net.JoinHostPort(host, strconv.Itoa(port)), s.String()}
	return s
}

// String is the server's name in HBase's form.
func (s *Server) String() string {
	if s == nil {
		return "an unknown server"
	}
	return fmt.Sprintf("%s,%d,%d", s.Host, s.Port, s.StartCode)
}

// among reports whether one of names is s.
func (s *Server) among(names []string) bool {
	return s != nil && slices.ContainsFunc(names, func(name string) bool { return slices.Contains(s.known[:], name) })
}

// Call is one call to a server. A batch is first a Call as a whole, of op Multi, and then each of its parts is one,
// whose Verdict.Cut is ignored.
type Call struct {
	Server *Server
	Op     Op
	Table  string // with its namespace, except the default one
	Region string // encoded name
	Row    []byte // the row that is read or written, or the first row of a scan; nil if there is none
}

func (w *Where) concerns(k Kind, c *Call) bool {
	if k == UnknownScanner && c.Op != Next {
		return false // a call that opens a scanner does not have one yet
	}
	if len(w.Ops) > 0 {
		if !slices.Contains(w.Ops, c.Op) && (c.Op != Next || !slices.Contains(w.Ops, Scan)) {
			return false
		}
	} else if !ordinary(k, c.Op) {
		return false
	}
	if len(w.Tables) > 0 {
		if !slices.Contains(w.Tables, c.Table) {
			return false
		}
	} else if c.Table == Meta && k.class() != "" {
		return false
	}
	if len(w.Servers) > 0 && !c.Server.among(w.Servers) {
		return false
	}
	if len(w.Regions) > 0 && !slices.Contains(w.Regions, c.Region) {
		return false
	}
	return w.holds(c.Row)
}

// ordinary reports whether a fault that names no ops concerns calls of kind op. It concerns calls for data;
// administration and ZooKeeper must be named, and a batch is concerned through its parts.
func ordinary(k Kind, op Op) bool {
	switch op {
	case Admin, Master, ZooKeeper:
		return false
	case Multi:
		// These concern the connection or the server's queue, not a row.
		return k == CallQueueTooBig || k == Disconnect
	case Get, Put, Delete, Increment, Append, CheckAndMutate, Scan, Next:
		return true
	}
	return true
}

func (w *Where) holds(row []byte) bool {
	if w.From == "" && w.To == "" {
		return true
	}
	return row != nil && bytes.Compare(row, []byte(w.From)) >= 0 && (w.To == "" || bytes.Compare(row, []byte(w.To)) < 0)
}
