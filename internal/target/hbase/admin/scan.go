package admin

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/tsuna/gohbase/hrpc"
	"google.golang.org/protobuf/proto"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
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
	cold        bool // leave the block cache alone
	reversed    bool
	within      time.Duration // for each answer; 0 is as long as the context has

	seq uint64
}

type row struct {
	key   []byte
	cells []cell
}

type cell struct{ row, family, qualifier, value []byte }

// each calls see for every row, in their order, whole.
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
			if pending.cells != nil && !bytes.Equal(pending.key, cells[0].row) {
				if err := see(pending); err != nil {
					return err
				}
				pending = row{}
			}
			pending.key, pending.cells = cells[0].row, append(pending.cells, cells...)
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
			return errors.New("the server promises more rows and gives no scanner")
		}
		request = s.more(answer.scanner)
	}
	if pending.cells != nil {
		return see(pending)
	}
	return nil
}

// first reads the first row alone, and leaves no scanner open.
func (s *scan) first(ctx context.Context) (row, bool, error) {
	request := s.open()
	request.CloseScanner = new(true)
	answer, err := s.next(ctx, request)
	if err != nil {
		return row{}, false, err
	}
	for _, cells := range answer.rows {
		if len(cells) > 0 {
			return row{cells[0].row, cells}, true, nil
		}
	}
	return row{}, false, nil
}

func (s *scan) open() *hbasepb.ScanRequest {
	size, cache := uint64(2<<20), !s.cold
	m := &hbasepb.Scan{Reversed: &s.reversed, StartRow: s.start, StopRow: s.stop, MaxResultSize: &size, CacheBlocks: &cache, Filter: s.filter}
	for _, f := range s.families {
		m.Column = append(m.Column, &hbasepb.Column{Family: []byte(f)})
	}
	return s.request(&hbasepb.ScanRequest{Region: s.region, Scan: m})
}

func (s *scan) more(scanner uint64) *hbasepb.ScanRequest {
	seq := s.seq // the opening is not counted
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
	scanner uint64
	more    bool
	rows    [][]cell
	partial []bool
}

func (s *scan) next(ctx context.Context, request *hbasepb.ScanRequest) (scanAnswer, error) {
	if s.within > 0 {
		bounded, cancel := attempt(ctx, s.within)
		defer cancel()
		ctx = bounded
	}
	rpc := &scanCall{call: call{
		ctx: ctx, method: "Scan", request: request, response: &hbasepb.ScanResponse{}, result: make(chan hrpc.RPCResult, 1),
	}}
	m, err := s.c.send(ctx, s.at, rpc)
	if err != nil {
		return scanAnswer{}, err
	}
	response, ok := m.(*hbasepb.ScanResponse)
	if !ok {
		return scanAnswer{}, fmt.Errorf("the answer to a scan is a %T", m)
	}
	answer := scanAnswer{scanner: response.GetScannerId(), rows: rpc.rows, partial: response.GetPartialFlagPerResult()}
	for _, result := range response.GetResults() { // of a server that sends no blocks of cells
		var cells []cell
		for _, one := range result.GetCell() {
			cells = append(cells, cell{one.GetRow(), one.GetFamily(), one.GetQualifier(), one.GetValue()})
		}
		answer.rows = append(answer.rows, cells)
		answer.partial = append(answer.partial, result.GetPartial())
	}
	if len(answer.partial) < len(answer.rows) {
		answer.partial = append(answer.partial, make([]bool, len(answer.rows)-len(answer.partial))...)
	}
	// MoreResults tells that the scan as a whole is over, MoreResultsInRegion that this region has no more.
	answer.more = response.GetMoreResults() && response.GetMoreResultsInRegion()
	if request.ScannerId != nil && answer.scanner == 0 {
		answer.scanner = request.GetScannerId()
	}
	return answer, nil
}

// scanCall is a call whose answer has its cells behind the message.
type scanCall struct {
	call
	rows [][]cell
}

// DeserializeCellBlocks takes the cells that follow the message.
func (s *scanCall) DeserializeCellBlocks(m proto.Message, b []byte) (uint32, error) {
	response, ok := m.(*hbasepb.ScanResponse)
	if !ok {
		return 0, fmt.Errorf("cells follow a %T", m)
	}
	size := len(b)
	for _, n := range response.GetCellsPerResult() {
		var cells []cell
		for range n {
			one, rest, err := decodeCell(b)
			if err != nil {
				return 0, err
			}
			cells, b = append(cells, one), rest
		}
		s.rows = append(s.rows, cells)
	}
	return uint32(size - len(b)), nil
}

var errCell = errors.New("a block of cells is damaged")

// decodeCell takes the first cell off a block: its length; lengths of key and value; the key, which is the row with its
// length, the family with its length, the qualifier, eight bytes of time and one of type; the value.
func decodeCell(b []byte) (cell, []byte, error) {
	const lengths, tail = 8, 9
	if len(b) < 4 {
		return cell{}, nil, errCell
	}
	size := uint64(binary.BigEndian.Uint32(b))
	if size < lengths || size > uint64(len(b)-4) {
		return cell{}, nil, errCell
	}
	body, rest := b[4:4+size], b[4+size:]
	keyLength, valueLength := uint64(binary.BigEndian.Uint32(body)), uint64(binary.BigEndian.Uint32(body[4:]))
	if lengths+keyLength+valueLength > size {
		return cell{}, nil, errCell
	}
	key, value := body[lengths:lengths+keyLength], body[lengths+keyLength:lengths+keyLength+valueLength]
	if len(key) < 2 {
		return cell{}, nil, errCell
	}
	n := int(binary.BigEndian.Uint16(key))
	if key = key[2:]; len(key) < n+1 {
		return cell{}, nil, errCell
	}
	one := cell{row: key[:n], value: value}
	n, key = int(key[n]), key[n+1:]
	if len(key) < n+tail {
		return cell{}, nil, errCell
	}
	one.family, one.qualifier = key[:n], key[n:len(key)-tail]
	return one, rest, nil
}
