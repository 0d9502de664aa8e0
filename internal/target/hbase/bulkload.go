package hbase

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/benchd/benchd/internal/target/hbase/hfile"
	"github.com/benchd/benchd/internal/target/hbase/protocol"
	"github.com/benchd/benchd/internal/target/hbase/rpc"
	"github.com/benchd/benchd/internal/workload"
)

// bulkInsert adds rows to the buffer, as the cells of an HFile. The server orders nothing: cells of a row are sorted here, and rows in
// flush.
func (s *session) bulkInsert(op *workload.Op) workload.Outcome {
	keys := op.Keys
	if len(keys) == 0 {
		keys = [][]byte{op.Key}
	}
	now, width := time.Now().UnixMilli(), len(op.Fields)
	var bytes int64
	for i, key := range keys {
		bytes += s.values(key, op.Fields, op.Values[i*width:(i+1)*width])
		slices.SortFunc(s.cells, byColumn)
		s.encoded = s.encoded[:0]
		for _, c := range s.cells {
			s.encoded = protocol.AppendCell(s.encoded, &protocol.Cell{
				Row: key, Family: s.t.family, Qualifier: c[0], Timestamp: now, Type: protocol.TypePut, Value: c[1],
			})
		}
		s.buffer.add(key, mutation{}, s.encoded)
	}
	return s.kept(len(keys), bytes)
}

func byColumn(a, b [2][]byte) int { return bytes.Compare(a[0], b[0]) }

// bulkLoad loads the session's rows as HFiles, one for each region that has some of them. When a region was split or moved, its rows are
// written and loaded again. It returns the first failure and the number of rows that failed.
func (s *session) bulkLoad() (failed int, first error) {
	rows := s.rows
	slices.SortStableFunc(rows, func(x, y row) int { return bytes.Compare(x.key, y.key) })
	var try attempt
	for i := 0; i < len(rows); {
		if try.tries == 0 {
			s.deadline.begin(s.deadline.ctx) // each file has the time of an operation
		}
		r, conn, err := s.reach(rows[i].key)
		if err == nil {
			end := i + 1
			for end < len(rows) && r.holds(rows[end].key) {
				end++
			}
			if err = s.loadFile(r, conn, rows[i:end]); err == nil {
				i, try = end, attempt{}
				continue
			}
		}
		if gone := s.again(&try, err, r, conn); gone != nil {
			failed, first = len(rows)-i, gone
			for ; i < len(rows); i++ {
				rows[i].err = gone
			}
		}
	}
	return failed, first
}

// loadFile writes an HFile of rows and has the server of their region load it, as HBase's own tool does.
func (s *session) loadFile(r *region, conn *rpc.Conn, rows []row) error {
	began := time.Now()
	name, err := s.t.bulk.write(func(w io.Writer) error { return writeRows(w, rows) })
	if err != nil {
		return err
	}
	s.staged(writing, began)
	defer s.t.bulk.remove(name)
	began = time.Now()
	if err := s.present(r, conn, name); err != nil {
		return err
	}
	s.staged(loading, began)
	return nil
}

// The stages of a bulk load, each for a file.
const (
	writing = iota // encode and write it
	loading        // have the server load it
)

// stage is a stage that has succeeded.
type stage struct {
	kind int
	took time.Duration
}

// Stages implements load.Staged.
func (t *Table) Stages() []string {
	if t.bulk == nil {
		return nil
	}
	return []string{writing: "WRITE-HFILE", loading: "LOAD-HFILE"}
}

func (s *session) staged(kind int, began time.Time) {
	s.stages = append(s.stages, stage{kind, time.Since(began)})
}

// Stages implements load.StagedSession.
func (s *session) Stages(take func(stage int, took time.Duration)) {
	for _, one := range s.stages {
		take(one.kind, one.took)
	}
	s.stages = s.stages[:0]
}

// writeRows writes the cells of sorted rows as an HFile. Of rows with the same key the last one counts.
func writeRows(to io.Writer, rows []row) error {
	out := bufio.NewWriterSize(to, 1<<20)
	w := hfile.NewWriter(out, time.Now().UnixMilli())
	for i := range rows {
		if i+1 < len(rows) && bytes.Equal(rows[i].key, rows[i+1].key) {
			continue
		}
		for cells := rows[i].cells; len(cells) > 0; {
			n := protocol.Prefix + int(binary.BigEndian.Uint32(cells))
			if err := w.Add(cells[protocol.Prefix:n]); err != nil {
				return fmt.Errorf("row %q: %w", rows[i].key, err)
			}
			cells = cells[n:]
		}
	}
	return errors.Join(w.Close(), out.Flush())
}

// notLoaded returns the error of a file that a server has not loaded. With a staging folder HBase does not report why: the region may have
// been split.
func notLoaded() error {
	return &protocol.Exception{
		Class:   "org.apache.hadoop.hbase.regionserver.WrongRegionException",
		Message: "the region server has not loaded an HFile: the region does not have all of its rows, or the server's log has the reason (Failed to complete bulk load)",
	}
}

// present has a region's server load a file: it prepares a staging folder, loads, and cleans up.
func (s *session) present(r *region, conn *rpc.Conn, file string) error {
	token, err := s.prepareBulkLoad(r, conn)
	if err != nil {
		return err
	}
	err = s.bulkLoadHFile(r, conn, file, token)
	cleaned := s.alone(r, conn, func(s *session, r *region) {
		s.call.Method = "CleanupBulkLoad"
		s.call.Request = append(appendField(s.call.Request, 1, token), 2<<3|2) // the region is field 2 here
		s.call.Request = append(s.call.Request, r.field[1:]...)
	})
	if err == nil && cleaned != nil {
		s.t.log.Warn("cannot remove the staging folder of a bulk load", "error", cleaned)
	}
	return err
}

// bulkLoadHFile has a region's server load a file, by a staging folder if there is a token.
func (s *session) bulkLoadHFile(r *region, conn *rpc.Conn, file string, token []byte) error {
	err := s.alone(r, conn, func(s *session, r *region) {
		family := appendField(appendField(nil, 1, s.t.family), 2, []byte(s.t.bulk.folder.Join(file).String()))
		s.call.Method = "BulkLoadHFile"
		s.call.Request = appendField(append(s.call.Request, r.field...), 2, family)
		s.call.Request = appendNumber(s.call.Request, 3, 1) // assign a sequence number
		if len(token) > 0 {
			s.call.Request = appendField(s.call.Request, 5, token)
		}
	})
	if err != nil {
		return err
	}
	response, _, _ := s.call.Answer()
	loaded, err := protocol.Loaded(response)
	if err == nil && !loaded {
		return notLoaded()
	}
	return err
}

// prepareBulkLoad returns the token of a new staging folder.
func (s *session) prepareBulkLoad(r *region, conn *rpc.Conn) ([]byte, error) {
	err := s.alone(r, conn, func(s *session, r *region) {
		name := appendField(appendField(nil, 1, []byte(s.t.settings.Namespace)), 2, []byte(s.t.settings.Table))
		s.call.Method = "PrepareBulkLoad"
		s.call.Request = append(appendField(s.call.Request, 1, name), 2<<3|2)
		s.call.Request = append(s.call.Request, r.field[1:]...)
	})
	if err != nil {
		return nil, err
	}
	response, _, _ := s.call.Answer()
	token, err := protocol.BulkToken(response)
	return slices.Clone(token), err
}

// probeBulk checks that the servers see the folder: they are asked to load a file that is no HFile, and have to report that it is
// corrupt. Nothing in the table changes.
func (s *session) probeBulk() error {
	b := s.t.bulk
	name, err := b.write(func(w io.Writer) error {
		_, err := w.Write(bytes.Repeat([]byte("not an HFile\n"), 1000))
		return err //nolint:wrapcheck // it is about the folder
	})
	if err != nil {
		return err
	}
	defer b.remove(name)
	var try attempt
	for {
		r, conn, err := s.reach(nil)
		if err == nil {
			err = s.bulkLoadHFile(r, conn, name, nil) // without a staging folder, HBase reports an error
		}
		e, ok := errors.AsType[*protocol.Exception](err)
		switch {
		case ok && e.Short() == "CorruptHFileException":
			return nil
		case err == nil:
			return errors.New("check hbase.bulkload.directory: a region server has loaded a file that is not an HFile")
		case ok && remedyOf(err) != relocate && remedyOf(err) != redial:
			return fmt.Errorf("the region server %s cannot load files from %s (hbase.bulkload.directory): %w; the folder must be on a file system that this agent and all region servers share, under the same path, and the servers' user must be able to write there", conn.Addr(), b.folder, err)
		}
		if end := s.again(&try, err, r, conn); end != nil {
			return end
		}
	}
}
