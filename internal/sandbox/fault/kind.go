package fault

// Kind is the kind of a fault.
type Kind string

// The kinds of faults, as files and commands spell them.
const (
	Latency          Kind = "latency"            // calls wait for Delay before they are carried out
	Stall            Kind = "stall"              // calls wait until the fault is over
	NotServingRegion Kind = "not-serving-region" // this and the next ones are HBase exceptions; the call is not carried out
	RegionMoved      Kind = "region-moved"
	RegionOpening    Kind = "region-opening"
	RegionTooBusy    Kind = "region-too-busy"
	CallQueueTooBig  Kind = "call-queue-too-big"
	UnknownScanner   Kind = "unknown-scanner"
	IOException      Kind = "io-exception"
	Disconnect       Kind = "disconnect"     // the call is carried out; the connection ends in the middle of the answer
	KillServer       Kind = "kill-server"    // as kill -9; with a length, the server is started again after that
	RestartServer    Kind = "restart-server" // the same, but the server is started again at once
	SilenceServer    Kind = "silence-server" // as SIGSTOP: connections stay open, nothing is answered
	AddServer        Kind = "add-server"     // another region server
)

// Kinds lists all kinds.
func Kinds() []Kind {
	return []Kind{
		Latency, Stall, NotServingRegion, RegionMoved, RegionOpening, RegionTooBusy, CallQueueTooBig, UnknownScanner, IOException,
		Disconnect, KillServer, RestartServer, SilenceServer, AddServer,
	}
}

// Event reports whether a fault of kind k concerns servers, not calls.
func (k Kind) Event() bool {
	return k == KillServer || k == RestartServer || k == SilenceServer || k == AddServer
}

// class is the HBase exception that a kind answers with; empty for kinds without one.
func (k Kind) class() string {
	const hbase = "org.apache.hadoop.hbase."
	switch k {
	case NotServingRegion:
		return hbase + "NotServingRegionException"
	case RegionMoved:
		return hbase + "exceptions.RegionMovedException"
	case RegionOpening:
		return hbase + "exceptions.RegionOpeningException"
	case RegionTooBusy:
		return hbase + "RegionTooBusyException"
	case CallQueueTooBig:
		return hbase + "CallQueueTooBigException"
	case UnknownScanner:
		return hbase + "UnknownScannerException"
	case IOException:
		return "java.io.IOException"
	default:
		return ""
	}
}

// Op is the kind of a call.
type Op string

// The kinds of calls, as files and commands spell them.
const (
	Get            Op = "get"
	Put            Op = "put"
	Delete         Op = "delete"
	Increment      Op = "increment"
	Append         Op = "append"
	CheckAndMutate Op = "check-and-mutate"
	Scan           Op = "scan"      // opens a scanner
	Next           Op = "next"      // continues a scanner; faults of scan concern it too
	Multi          Op = "multi"     // a batch as a whole, before its parts
	Admin          Op = "admin"     // to a region server: flush, compact …
	Master         Op = "master"    // to the master
	ZooKeeper      Op = "zookeeper" // to ZooKeeper
)

// Ops lists all kinds of calls.
func Ops() []Op {
	return []Op{Get, Put, Delete, Increment, Append, CheckAndMutate, Scan, Next, Multi, Admin, Master, ZooKeeper}
}

// Meta is the table in which HBase keeps the locations of regions. Faults that answer with an exception skip it unless
// they name it: a client that cannot find any region never meets the fault.
const Meta = "hbase:meta"
