package gohbase

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	tsuna "github.com/tsuna/gohbase"
	"github.com/tsuna/gohbase/filter"
	"github.com/tsuna/gohbase/hrpc"
	"github.com/tsuna/gohbase/pb"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/hbase/hbasespec"
	"github.com/benchd/benchd/internal/workload"
)

// session carries out the operations of a worker with a client of gohbase.
type session struct {
	all      *Client
	client   tsuna.Client
	config   Config
	table    []byte
	family   string
	whole    func(hrpc.Call) error // selects the whole family
	mutation func(hrpc.Call) error // the durability of writes
	copies   bool                  // a call may be encoded after its operation has ended
}

// Open returns the session of a worker.
func (c *Client) Open(worker int) load.Session {
	s := c.config.Settings
	durability := map[string]hrpc.DurabilityType{
		"USE_DEFAULT": hrpc.UseDefault, "SKIP_WAL": hrpc.SkipWal, "ASYNC_WAL": hrpc.AsyncWal, "SYNC_WAL": hrpc.SyncWal, "FSYNC_WAL": hrpc.FsyncWal,
	}[s.Durability]
	return &session{
		all: c, client: c.clients[worker%len(c.clients)], config: c.config, table: []byte(s.FullTable()), family: s.Family.Name,
		whole: hrpc.Families(map[string][]string{s.Family.Name: nil}), mutation: hrpc.Durability(durability), copies: s.Gohbase.QueueSize > 1,
	}
}

// Close implements load.Session. Nothing is buffered.
func (*session) Close(context.Context) error { return nil }

// Do carries out op. An operation during which gohbase would have ended the process has failed.
func (s *session) Do(ctx context.Context, op *workload.Op) workload.Outcome {
	before := process.mark()
	timed, cancel := context.WithTimeout(ctx, s.config.Settings.Timeout)
	defer cancel()
	out := s.do(&operation{Context: timed}, op)
	if message := process.died(before); message != "" {
		out.Code, out.Err = workload.Error, fmt.Errorf("%w: %s", errFatal, message)
	} else if out.Err != nil && out.Code == workload.OK {
		out.Code, out.Err = s.explain(ctx, out.Err, before)
	}
	return out
}

// do carries out op. Its outcome has either the right code, or OK with gohbase's error.
func (s *session) do(ctx context.Context, op *workload.Op) workload.Outcome {
	switch op.Kind {
	case workload.Read:
		return s.read(ctx, op)
	case workload.Update, workload.Insert:
		if len(op.Keys) == 0 {
			return s.put(ctx, op)
		}
	case workload.Scan:
		return s.scan(ctx, op)
	case workload.Delete:
		call, err := hrpc.NewDel(ctx, s.table, s.own(op.Key), nil, s.mutation)
		return s.mutate(call, err, int64(len(op.Key)))
	case workload.Increment:
		call, err := hrpc.NewIncSingle(ctx, s.table, s.own(op.Key), s.family, string(op.Fields[0]), op.Delta, s.mutation)
		return s.mutate(call, err, int64(len(op.Key)+sizeOfCounter))
	case workload.Append:
		values, bytes := s.values(op, 1)
		call, err := hrpc.NewApp(ctx, s.table, s.own(op.Key), values, s.mutation)
		return s.mutate(call, err, bytes)
	case workload.CheckAndPut:
		return s.checkAndPut(ctx, op)
	case workload.MultiGet, workload.MultiRow, workload.ReadModifyWrite, workload.Verify, workload.Cleanup, workload.NumKinds:
	}
	return workload.Outcome{Code: workload.NotImplemented, Err: fmt.Errorf("%w: %s", errUnknown, op.Kind)}
}

const sizeOfCounter = 8

// own returns bytes that gohbase may keep: the worker reuses those of an operation.
func (s *session) own(b []byte) []byte {
	if s.copies {
		return bytes.Clone(b)
	}
	return b
}

// columns returns the option that selects fields, or all.
func (s *session) columns(fields [][]byte) func(hrpc.Call) error {
	if len(fields) == 0 {
		return s.whole
	}
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = string(f)
	}
	return hrpc.Families(map[string][]string{s.family: names})
}

// values returns the first n fields of op with their values, and the number of bytes of key and values.
func (s *session) values(op *workload.Op, n int) (values map[string]map[string][]byte, size int64) {
	columns := make(map[string][]byte, n)
	size = int64(len(op.Key))
	for i, f := range op.Fields[:n] {
		columns[string(f)] = s.own(op.Values[i])
		size += int64(len(op.Values[i]))
	}
	return map[string]map[string][]byte{s.family: columns}, size
}

func (s *session) read(ctx context.Context, op *workload.Op) workload.Outcome {
	call, err := hrpc.NewGet(ctx, s.table, s.own(op.Key), s.columns(op.Fields))
	if err != nil {
		return workload.Outcome{Err: err}
	}
	r, err := s.client.Get(call)
	if err != nil {
		return workload.Outcome{Err: err}
	}
	if len(r.Cells) == 0 {
		return workload.Outcome{Code: workload.NotFound, Err: errMissing}
	}
	if op.Collect != nil {
		for _, c := range r.Cells {
			op.Collect(c.Qualifier, c.Value)
		}
	}
	return workload.Outcome{Code: workload.OK, Rows: 1, Bytes: size(r)}
}

// size returns the number of bytes of the key and the values of a row.
func size(r *hrpc.Result) int64 {
	n := len(r.Cells[0].Row)
	for _, c := range r.Cells {
		n += len(c.Value)
	}
	return int64(n)
}

func (s *session) put(ctx context.Context, op *workload.Op) workload.Outcome {
	values, bytes := s.values(op, len(op.Fields))
	call, err := hrpc.NewPut(ctx, s.table, s.own(op.Key), values, s.mutation)
	return s.mutate(call, err, bytes)
}

// mutate sends a mutation, unless making it has failed.
func (s *session) mutate(call *hrpc.Mutate, err error, bytes int64) workload.Outcome {
	if err == nil {
		_, err = s.client.Put(call) // as all of gohbase's mutations
	}
	if err != nil {
		return workload.Outcome{Err: err}
	}
	return workload.Outcome{Code: workload.OK, Rows: 1, Bytes: bytes}
}

// scan reads rows. gohbase opens a scanner on the server, and closes it by another request if it has not read to its end.
func (s *session) scan(ctx context.Context, op *workload.Op) workload.Outcome {
	cfg := &s.config.Settings.Scan
	rows := op.ScanLength
	if cfg.Caching > 0 {
		rows = min(rows, cfg.Caching)
	}
	options := []func(hrpc.Call) error{s.columns(op.Fields), hrpc.NumberOfRows(uint32(rows)), hrpc.MaxResultSize(uint64(cfg.MaxResultSize))}
	if f := scanFilter(cfg, op.ScanLength); f != nil {
		options = append(options, hrpc.Filters(f))
	}
	call, err := hrpc.NewScanRange(ctx, s.table, bytes.Clone(op.Key), nil, options...) // it closes the scanner after this returns
	if err != nil {
		return workload.Outcome{Err: err}
	}
	scanner := s.client.Scan(call)
	defer scanner.Close()
	out := workload.Outcome{Code: workload.OK}
	for int(out.Rows) < op.ScanLength {
		r, err := scanner.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			out.Err = err
			break
		}
		if len(r.Cells) > 0 {
			out.Rows++
			out.Bytes += size(r)
		}
	}
	return out
}

// scanFilter returns the filters of a scan: the list that benchd's own client sends, too.
func scanFilter(cfg *hbasespec.Scan, rows int) filter.Filter {
	var filters []filter.Filter
	if cfg.PageFilter {
		filters = append(filters, filter.NewPageFilter(int64(rows)))
	}
	if cfg.ValueFilter {
		op := map[string]filter.CompareType{
			"less": filter.Less, "less_or_equal": filter.LessOrEqual, "equal": filter.Equal, "not_equal": filter.NotEqual,
			"greater_or_equal": filter.GreaterOrEqual, "greater": filter.Greater, "no_op": filter.NoOp,
		}[cfg.Operator]
		filters = append(filters, filter.NewValueFilter(filter.NewCompareFilter(op, filter.NewBinaryComparator(filter.NewByteArrayComparable(cfg.Value)))))
	}
	if len(filters) == 0 {
		return nil
	}
	return filter.NewList(filter.MustPassAll, filters...)
}

// checkAndPut writes a row if it has a value in the first field.
func (s *session) checkAndPut(ctx context.Context, op *workload.Op) workload.Outcome {
	values, bytes := s.values(op, len(op.Fields))
	put, err := hrpc.NewPut(ctx, s.table, s.own(op.Key), values, s.mutation, hrpc.SkipBatch())
	if err != nil {
		return workload.Outcome{Err: err}
	}
	call, err := newExisting(put, s.family, op.Fields[0])
	if err != nil {
		return workload.Outcome{Err: err}
	}
	sender, ok := s.client.(tsuna.RPCClient)
	if !ok {
		return workload.Outcome{Err: errUnknown}
	}
	answer, err := sender.SendRPC(call)
	if err != nil {
		return workload.Outcome{Err: err}
	}
	if m, ok := answer.(*pb.MutateResponse); !ok || !m.GetProcessed() {
		return workload.Outcome{Code: workload.NotFound, Err: fmt.Errorf("%w, or has no value in column %s", errMissing, op.Fields[0])}
	}
	return workload.Outcome{Code: workload.OK, Rows: 1, Bytes: bytes}
}
