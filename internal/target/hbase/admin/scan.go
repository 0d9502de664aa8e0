package admin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

// scan reads rows of one region.
type scan struct {
	c           *Client
	at          endpoint
	region      *hbasepb.RegionSpecifier
	start, stop []byte
	rows        uint32 // in one answer
	families    []string
	filter      *hbasepb.Filter
	cold        bool // do not fill the block cache
	reversed    bool
	timeline    bool          // of a replica
	within      time.Duration // the time limit of each answer; 0 is that of the context

	seq uint64
}

// maxCells is the number of cells of a row that are read: rows are keys, or those of hbase:meta.
const maxCells = 100_000

// errTooMuch is the error of an answer without end.
var errTooMuch = errors.New("the server sends too much")

type row struct {
	key   []byte
	cells []protocol.Cell
}

// each calls see for every row, in order; each row is complete.
func (s *scan) each(ctx context.Context, see func(row) error) error {
	request := s.open()
	var pending row
	for {
		answer, err := s.next(ctx, request)
		if err != nil {
			return err
		}
		for i, cells := range answer.rows {
			if len(cells) == 0 {
				continue
			}
			if pending.cells != nil && !bytes.Equal(pending.key, cells[0].Row) {
				if err := see(pending); err != nil {
					return err
				}
				pending = row{}
			}
			pending.key, pending.cells = cells[0].Row, append(pending.cells, cells...)
			if len(pending.cells) > maxCells {
				return fmt.Errorf("%w: a row has more than %d cells", errTooMuch, maxCells)
			}
			if !answer.partial[i] {
				if err := see(pending); err != nil {
					return err
				}
				pending = row{}
			}
		}
		if !answer.more {
			break
		}
		if answer.scanner == 0 {
			return errors.New("the server announces more rows but returns no scanner")
		}
		request = s.more(answer.scanner)
	}
	if pending.cells != nil {
		return see(pending)
	}
	return nil
}

// first reads only the first row, and leaves no scanner open.
func (s *scan) first(ctx context.Context) (row, bool, error) {
	request := s.open()
	request.CloseScanner = new(true)
	answer, err := s.next(ctx, request)
	if err != nil {
		return row{}, false, err
	}
	return answer.first()
}

// errNoRowYet means that the server's time limit ended a scan for one row before it found one.
var errNoRowYet = errors.New("the server's time limit ended the scan before its first row")

// first returns the first row of an answer.
func (a scanAnswer) first() (row, bool, error) {
	for _, cells := range a.rows {
		if len(cells) > 0 {
			return row{cells[0].Row, cells}, true, nil
		}
	}
	if a.heartbeat {
		return row{}, false, errNoRowYet
	}
	return row{}, false, nil
}

func (s *scan) open() *hbasepb.ScanRequest {
	size, cache := uint64(2<<20), !s.cold
	m := &hbasepb.Scan{Reversed: &s.reversed, StartRow: s.start, StopRow: s.stop, MaxResultSize: &size, CacheBlocks: &cache, Filter: s.filter}
	if s.timeline {
		m.Consistency = hbasepb.Consistency_CONSISTENCY_TIMELINE.Enum()
	}
	for _, f := range s.families {
		m.Column = append(m.Column, &hbasepb.Column{Family: []byte(f)})
	}
	return s.request(&hbasepb.ScanRequest{Region: s.region, Scan: m})
}

func (s *scan) more(scanner uint64) *hbasepb.ScanRequest {
	seq := s.seq // the request that opens the scanner is not counted
	s.seq++
	return s.request(&hbasepb.ScanRequest{ScannerId: &scanner, NextCallSeq: &seq})
}

func (s *scan) request(m *hbasepb.ScanRequest) *hbasepb.ScanRequest {
	yes := true
	m.NumberOfRows, m.ClientHandlesPartials, m.ClientHandlesHeartbeats = &s.rows, &yes, &yes
	return m
}

// scanAnswer is one answer of the server.
type scanAnswer struct {
	scanner   uint64
	more      bool
	heartbeat bool // a limit of the server ended the scan without a row
	rows      [][]protocol.Cell
	partial   []bool
}

func (s *scan) next(ctx context.Context, request *hbasepb.ScanRequest) (scanAnswer, error) {
	if s.within > 0 {
		bounded, cancel := attempt(ctx, s.within)
		defer cancel()
		ctx = bounded
	}
	message, block, err := s.c.send(ctx, s.at, "Scan", request)
	if err != nil {
		return scanAnswer{}, err
	}
	var response hbasepb.ScanResponse
	if err := decode(s.at, "Scan", message, &response); err != nil {
		return scanAnswer{}, err
	}
	answer := scanAnswer{
		scanner: response.GetScannerId(), heartbeat: response.GetHeartbeatMessage(), partial: response.GetPartialFlagPerResult(),
	}
	for _, n := range response.GetCellsPerResult() {
		var cells []protocol.Cell
		for range n {
			var one protocol.Cell
			if block, err = protocol.NextCell(block, &one); err != nil {
				return scanAnswer{}, fmt.Errorf("decode the answer to Scan of %s: %w", s.at.address, err)
			}
			cells = append(cells, one)
		}
		answer.rows = append(answer.rows, cells)
	}
	for _, result := range response.GetResults() { // from a server that sends no cell blocks
		var cells []protocol.Cell
		for _, one := range result.GetCell() {
			cells = append(cells, protocol.Cell{Row: one.GetRow(), Family: one.GetFamily(), Qualifier: one.GetQualifier(), Value: one.GetValue()})
		}
		answer.rows = append(answer.rows, cells)
		answer.partial = append(answer.partial, result.GetPartial())
	}
	if len(answer.partial) < len(answer.rows) {
		answer.partial = append(answer.partial, make([]bool, len(answer.rows)-len(answer.partial))...)
	}
	// MoreResults is false when the whole scan is over, MoreResultsInRegion when this region has no more.
	answer.more = response.GetMoreResults() && response.GetMoreResultsInRegion()
	if request.ScannerId != nil && answer.scanner == 0 {
		answer.scanner = request.GetScannerId()
	}
	return answer, nil
}
