package workload

import (
	"errors"
	"fmt"

	"github.com/benchd/benchd/internal/keyspace"
)

var errNothingToVerify = errors.New("verify row: the read returned no field")

// verifier checks the fields that a read returns against what dataintegrity writes.
type verifier struct {
	integrity *keyspace.Integrity
	collect   func(field, value []byte)

	key   []byte
	cells int
	wrong error // the first mismatch
}

func newVerifier(length int) *verifier {
	v := &verifier{integrity: keyspace.NewIntegrity(length)}
	v.collect = v.cell // once: a method value costs an allocation
	return v
}

// begin prepares for the read of a row and returns the function that collects its cells, or nil if nothing is verified.
func (v *verifier) begin(key []byte) func(field, value []byte) {
	if v == nil {
		return nil
	}
	v.key, v.cells, v.wrong = key, 0, nil
	return v.collect
}

func (v *verifier) cell(field, value []byte) {
	v.cells++
	if v.wrong == nil && !v.integrity.Holds(v.key, field, value) {
		const most = 60 // bytes to quote
		v.wrong = fmt.Errorf("verify row %s: field %s contains %.*q (%d bytes), which dataintegrity did not write with this fieldlength",
			v.key, field, most, value, len(value))
	}
}

// Verify checks the cells that the Read or ReadModifyWrite of the last Next has collected. It returns the codes of YCSB's
// VERIFY: OK, UnexpectedState if a field has a value that dataintegrity did not write, Error if the read returned no field.
// verified is false if there was nothing to verify.
func (g *Generator) Verify(op *Op) (out Outcome, verified bool) {
	if op.Collect == nil {
		return Outcome{}, false
	}
	switch v := g.verifier; {
	case v.cells == 0:
		return Outcome{Code: Error, Err: errNothingToVerify}, true
	case v.wrong != nil:
		return Outcome{Code: UnexpectedState, Rows: 1, Err: v.wrong}, true
	default:
		return Outcome{Code: OK, Rows: 1}, true
	}
}
