package jmx

import (
	"sync/atomic"
	"time"
)

// Meter counts the work of one server. All methods and fields may be used concurrently. The zero Meter is ready.
type Meter struct {
	// Calls received, by kind. A Multi is one call.
	Gets, Scans, Multis, Mutates atomic.Int64
	// OtherCalls counts administration calls.
	OtherCalls atomic.Int64
	// RowActions counts rows read or written; each row of a Multi counts.
	RowActions atomic.Int64
	// CheckPassed and CheckFailed count the outcomes of check-and-mutate.
	CheckPassed, CheckFailed atomic.Int64

	// Connections are open. Active calls have arrived and are not answered: Queued calls wait for a handler, Serving handlers
	// have one.
	Connections, Active, Queued, Serving atomic.Int64
	// Received and Sent are bytes.
	Received, Sent atomic.Int64
	// Exceptions counts calls answered with an exception; NotServing those of them that came to the wrong server.
	Exceptions, NotServing, TooBusy, QueueTooBig, UnknownScanner, Moved atomic.Int64

	// Queue is the time that calls waited, Process the time that they were in progress, Total the sum.
	Queue, Process, Total Histogram
	// Get, Put, Delete, Increment, Append, Scan and CheckAndMutate are the times of one operation.
	Get, Put, Delete, Increment, Append, Scan, CheckAndMutate Histogram
}

// Answered counts an answered call: it waited for queue and was processed for process.
func (m *Meter) Answered(queue, process time.Duration) {
	m.Queue.Record(queue)
	m.Process.Record(process)
	m.Total.Record(queue + process)
}

// Failed counts an exception by its class.
func (m *Meter) Failed(class string) {
	m.Exceptions.Add(1)
	switch class {
	case "org.apache.hadoop.hbase.NotServingRegionException":
		m.NotServing.Add(1)
	case "org.apache.hadoop.hbase.exceptions.RegionMovedException":
		m.Moved.Add(1)
	case "org.apache.hadoop.hbase.RegionTooBusyException":
		m.TooBusy.Add(1)
	case "org.apache.hadoop.hbase.CallQueueTooBigException":
		m.QueueTooBig.Add(1)
	case "org.apache.hadoop.hbase.UnknownScannerException":
		m.UnknownScanner.Add(1)
	}
}
