package postgres

import (
	"strconv"

	"github.com/benchd/benchd/internal/workload"
)

// preparation is a statement that a workload needs.
type preparation struct {
	form   form
	fields [][]byte
}

// mostPrepared is the maximum number of fields for each of which statements are prepared in advance.
const mostPrepared = 50

// needed lists the statements that a workload needs, so that none is prepared while operations are measured. Where there are very many,
// they are prepared when they are first used.
func needed(w workload.Config) []preparation {
	all := make([][]byte, w.FieldCount)
	for i := range all {
		all[i] = []byte(w.FieldNamePrefix + strconv.Itoa(i))
	}
	readAll, p := [][][]byte{nil}, w.Proportions
	if !w.ReadAllFields {
		readAll = single(all)
	}
	named, written := readAll, single(all)
	if w.ReadAllFields && (w.ReadAllFieldsByName || w.DataIntegrity) {
		named = [][][]byte{all}
	}
	if w.WriteAllFields {
		written = [][][]byte{all}
	}
	inserts := insert
	if w.BatchSize > 1 {
		inserts = insertSeveral
	}
	var list []preparation
	for _, use := range []struct {
		share  float64
		form   form
		fields [][][]byte
	}{
		{1, inserts, [][][]byte{all}},
		{p.Read, read, named},
		{p.ReadModifyWrite, read, readAll},
		{p.MultiGet, readSeveral, named},
		{p.Scan, scan, readAll},
		{p.Update + p.ReadModifyWrite, update, written},
		{p.CheckAndPut, updateIf, written},
		{p.Append, appendTo, single(all)},
		{p.Delete, remove, [][][]byte{nil}},
		{p.Increment, increment, [][][]byte{{[]byte(workload.CounterField)}}},
	} {
		for _, fields := range use.fields {
			if use.share > 0 {
				list = append(list, preparation{use.form, fields})
			}
		}
	}
	return list
}

// single returns each field alone, if they are not too many.
func single(all [][]byte) [][][]byte {
	if len(all) > mostPrepared {
		return nil
	}
	each := make([][][]byte, len(all))
	for i := range all {
		each[i] = all[i : i+1]
	}
	return each
}
