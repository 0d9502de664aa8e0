package jmx

import (
	"sync/atomic"
	"time"
)

// Meter is what one server counts while it works. All of it may be added to by any number of goroutines. The zero Meter
// is ready.
type Meter struct {
	// Calls that came, by what they ask for. A Multi is one call.
	Gets, Scans, Multis, Mutates atomic.Int64
	// OtherCalls are those of administration.
	OtherCalls atomic.Int64
	// RowActions are rows that were read or written, those in a Multi each by itself.
	RowActions atomic.Int64
	// CheckPassed and CheckFailed are how checks of check-and-mutate ended.
	CheckPassed, CheckFailed atomic.Int64

	// Connections are open, Active calls are being carried out, Queued ones wait for that.
	Connections, Active, Queued atomic.Int64
	// Received and Sent are bytes.
	Received, Sent atomic.Int64
	// Exceptions are calls that were answered with one, NotServing those of them that came to the wrong server.
	Exceptions, NotServing, TooBusy, QueueTooBig, UnknownScanner, Moved atomic.Int64

	// Queue is how long calls waited for their turn, Process how long they were being carried out, Total both.
	Queue, Process, Total Histogram
	// Get, Put, Delete, Increment, Append, Scan and CheckAndMutate are how long it took to carry out one of them.
	Get, Put, Delete, Increment, Append, Scan, CheckAndMutate Histogram
}

// Answered counts a call that was answered: it waited for queue and was carried out for process.
func (m *Meter) Answered(queue, process time.Duration) {
	m.Queue.Record(queue)
	m.Process.Record(process)
	m.Total.Record(queue + process)
}

// Failed counts an exception, by its class.
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
