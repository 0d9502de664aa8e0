package regionserver

import (
	"bytes"
	"context"
	"math"
	"time"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
	"github.com/benchd/benchd/internal/sandbox/fault"
	"github.com/benchd/benchd/internal/sandbox/rpc"
	"github.com/benchd/benchd/internal/sandbox/store"
)

const (
	maxPage  = 16 << 20
	pageRows = 1 << 20
	// A page that would take longer is sent as it is, so that the client does not time out.
	pageTime = 10 * time.Second
)

const attributeRaw = "_raw_"

func (s client) scan(ctx context.Context, c *rpc.Call, a *rpc.Answer) error {
	var request hbasepb.ScanRequest
	if err := rpc.Decode(c, &request); err != nil {
		return err
	}
	if request.ScannerId == nil {
		o, err := s.open(ctx, &request, a)
		if err != nil {
			return err
		}
		id, err := s.scanners.add(o)
		if err != nil {
			o.rows.Close()
			return err
		}
		return s.page(c, a, &request, o, id)
	}
	id := request.GetScannerId()
	o := s.scanners.take(id)
	switch {
	case o == nil && request.GetCloseScanner(): // it is closed already
		a.Message = &hbasepb.ScanResponse{MoreResults: new(false), MoreResultsInRegion: new(false)}
		return nil
	case o == nil:
		return rpc.Finalf(hbase+"UnknownScannerException", "scanner %d is not open on %s: its lease ran out, or its region moved", id, s.Node.Name())
	}
	if now, err := s.Node.Region([]byte(o.region.Name)); err != nil || now != o.region {
		s.scanners.remove(id)
		return rpc.Finalf(hbase+"UnknownScannerException", "scanner %d: region %s left %s", id, o.region.Name, s.Node.Name())
	}
	if err := s.applyFaults(ctx, fault.Next, o.region, nil, a); err != nil {
		s.scanners.back(o)
		return err
	}
	return s.page(c, a, &request, o, id)
}

// open opens a scanner.
func (s client) open(ctx context.Context, request *hbasepb.ScanRequest, a *rpc.Answer) (*open, error) {
	if request.Scan == nil {
		return nil, rpc.Finalf(finalIO, "the request has neither a scanner nor a scan")
	}
	r, err := s.Node.Region(request.GetRegion().GetValue())
	if err != nil {
		return nil, err
	}
	p := request.GetScan()
	if err := s.applyFaults(ctx, fault.Scan, r, p.GetStartRow(), a); err != nil {
		return nil, err
	}
	scan, err := scanOf(p)
	if err != nil {
		return nil, err
	}
	o := &open{region: r, filter: scan.Filter, size: p.GetMaxResultSize(), limit: -1, batch: scan.Batch > 0, cursor: p.GetNeedCursorResult()}
	if n := request.GetLimitOfRows(); n > 0 {
		o.limit = int(min(n, math.MaxInt32))
	}
	o.rows, err = r.Scan(scan)
	return o, err
}

func scanOf(p *hbasepb.Scan) (store.Scan, error) {
	if len(p.GetCfTimeRange()) > 0 {
		return store.Scan{}, rpc.Finalf(finalIO, "the sandbox does not support a time range of a single column family")
	}
	scan := store.Scan{
		Start: p.GetStartRow(), Stop: p.GetStopRow(), Reversed: p.GetReversed(), Batch: int(min(p.GetBatchSize(), math.MaxInt32)),
		StartExcluded: p.IncludeStartRow != nil && !p.GetIncludeStartRow(),
		StopIncluded:  p.GetIncludeStopRow(),
		Read: store.Read{
			Columns:     columnsOf(p.GetColumn()),
			Times:       timesOf(p.GetTimeRange()),
			MaxVersions: int(min(p.GetMaxVersions(), math.MaxInt32)),
			Limit:       int(min(p.GetStoreLimit(), math.MaxInt32)),
			Offset:      int(min(p.GetStoreOffset(), math.MaxInt32)),
		},
	}
	for _, attribute := range p.GetAttribute() {
		if v := attribute.GetValue(); attribute.GetName() == attributeRaw && len(v) == 1 {
			scan.Raw = v[0] != 0
		}
	}
	// A client reads one row with a scan by giving the same row twice.
	if len(scan.Start) > 0 && string(scan.Start) == string(scan.Stop) && !scan.StartExcluded && p.IncludeStopRow == nil {
		scan.StopIncluded = true
	}
	var err error
	scan.Filter, err = filterOf(p.GetFilter())
	return scan, err
}

// page answers a call for a taken scanner: it reads on, renews the lease, or closes.
func (s client) page(c *rpc.Call, a *rpc.Answer, request *hbasepb.ScanRequest, o *open, id uint64) error {
	done := true
	defer func() {
		if done {
			s.scanners.remove(id)
		} else {
			s.scanners.back(o)
		}
	}()
	o.mu.Lock()
	defer o.mu.Unlock()
	if request.NextCallSeq != nil {
		if request.GetNextCallSeq() != o.next {
			done = false
			return rpc.Finalf(hbase+"exceptions.OutOfOrderScannerNextException", "expected call %d of scanner %d, not %d", o.next, id, request.GetNextCallSeq())
		}
		o.next++
	}
	out := &hbasepb.ScanResponse{ScannerId: &id, Ttl: new(uint32(min(s.Lease.Milliseconds(), math.MaxUint32)))}
	if o.region.Copy > 0 {
		out.Stale = new(true)
	}
	a.Message = out
	if request.GetRenew() {
		done = false
		return nil
	}
	rows := request.GetNumberOfRows()
	if request.NumberOfRows == nil && !request.GetCloseScanner() {
		rows = 1
	}
	more, moreHere := true, true
	if rows > 0 {
		var err error
		if more, moreHere, err = s.fill(c, a, request, o, rows, out); err != nil {
			a.Message = nil
			return err
		}
	}
	out.MoreResults, out.MoreResultsInRegion = &more, &moreHere
	done = !more || !moreHere || request.GetCloseScanner()
	return nil
}

// fill reads a page into the answer. It reports whether the whole scan, and this region's part, may continue.
func (s client) fill(c *rpc.Call, a *rpc.Answer, request *hbasepb.ScanRequest, o *open, rows uint32, out *hbasepb.ScanResponse) (more, moreHere bool, err error) {
	began := time.Now()
	limits := store.Limits{Rows: int(min(rows, pageRows)), Bytes: maxPage, Parts: request.GetClientHandlesPartials(), Until: began.Add(s.pageTime(c))}
	if o.size > 0 {
		limits.Bytes = int(min(o.size, maxPage))
	}
	if o.limit >= 0 && !o.batch {
		limits.Rows = min(limits.Rows, o.limit)
	}
	page, _ := s.pages.Get().(*store.Page)
	defer s.pages.Put(page)
	moreHere, err = o.rows.Next(limits, page)
	if err != nil {
		return false, false, err
	}
	more = true
	kept := len(page.Rows)
	for i, row := range page.Rows {
		if !row.More && o.limit >= 0 {
			if o.limit--; o.limit <= 0 {
				more, kept = false, i+1
				break
			}
		}
	}
	from := 0
	for _, row := range page.Rows[:kept] {
		cells := page.Cells[from:row.End]
		from = row.End
		if c.Conn.Plain {
			result := plainResult(cells)
			result.Partial = &row.More
			out.Results = append(out.Results, result)
			continue
		}
		out.CellsPerResult = append(out.CellsPerResult, uint32(len(cells)))
		out.PartialFlagPerResult = append(out.PartialFlagPerResult, row.More)
		a.Cells = appendCells(a.Cells, cells)
	}
	if kept == 0 && moreHere && request.GetClientHandlesHeartbeats() {
		out.HeartbeatMessage = new(true)
		if o.cursor {
			out.Cursor = &hbasepb.Cursor{Row: bytes.Clone(page.Last)}
		}
	}
	if kept == 0 && !moreHere && o.filter != nil && o.filter.AllRemaining() {
		more = false
	}
	if request.GetTrackScanMetrics() {
		out.ScanMetrics = &hbasepb.ScanMetrics{Metrics: []*hbasepb.NameInt64Pair{
			{Name: new("ROWS_SCANNED"), Value: new(page.Scanned)}, {Name: new("ROWS_FILTERED"), Value: new(page.Filtered)},
		}}
	}
	s.Node.Meter.RowActions.Add(int64(kept))
	s.Node.Meter.Scan.Record(time.Since(began))
	return more, moreHere, nil
}

// pageTime is the time limit of a page, from the client's timeout and the lease.
func (s client) pageTime(c *rpc.Call) time.Duration {
	d := min(pageTime, s.Lease/2)
	if c.Timeout > 0 {
		d = min(d, time.Duration(c.Timeout)*time.Millisecond/2)
	}
	return max(d, time.Millisecond)
}
