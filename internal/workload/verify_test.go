package workload

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVerifyChecksTheFieldsOfARead(t *testing.T) {
	cfg := core()
	cfg.DataIntegrity = true
	written := take(t, shard(t, cfg, true, 0).Generator(0), int(cfg.RecordCount))
	rows := map[string]Op{}
	for _, op := range written {
		rows[string(op.Key)] = op
	}
	for _, kind := range []Kind{Read, ReadModifyWrite} {
		cfg.Proportions = Proportions{Read: 1}
		if kind == ReadModifyWrite {
			cfg.Proportions = Proportions{ReadModifyWrite: 1}
		}
		for _, test := range []struct {
			name   string
			answer func(row Op, collect func(field, value []byte))
			want   Code
		}{
			{"all as written", func(row Op, collect func(field, value []byte)) {
				for i, field := range row.Fields {
					collect(field, row.Values[i])
				}
			}, OK},
			{"one altered", func(row Op, collect func(field, value []byte)) {
				value := bytes.Clone(row.Values[1])
				value[50]++
				collect(row.Fields[0], row.Values[0])
				collect(row.Fields[1], value)
				collect(row.Fields[2], row.Values[2])
			}, UnexpectedState},
			{"one too short", func(row Op, collect func(field, value []byte)) { collect(row.Fields[0], row.Values[0][:99]) }, UnexpectedState},
			{"fields exchanged", func(row Op, collect func(field, value []byte)) { collect(row.Fields[0], row.Values[1]) }, UnexpectedState},
			{"nothing", func(Op, func(field, value []byte)) {}, Error},
		} {
			g := shard(t, cfg, false, 0).Generator(0)
			var op Op
			require.True(t, g.Next(&op))
			require.NotNil(t, op.Collect)
			test.answer(rows[string(op.Key)], op.Collect)
			out, verified := g.Verify(&op)
			require.True(t, verified)
			require.Equal(t, test.want, out.Code, "%v: %s", kind, test.name)
			if test.want == UnexpectedState {
				require.ErrorContains(t, out.Err, "verify row "+string(op.Key)+": field ")
			}
			require.True(t, g.Next(&op), "what was wrong is forgotten")
			row := rows[string(op.Key)]
			op.Collect(row.Fields[0], row.Values[0])
			out, _ = g.Verify(&op)
			require.Equal(t, OK, out.Code)
		}
	}
}

func TestNothingIsVerifiedWithoutDataintegrity(t *testing.T) {
	g := shard(t, core(), false, 0).Generator(0)
	var op Op
	require.True(t, g.Next(&op))
	require.Nil(t, op.Collect)
	_, verified := g.Verify(&op)
	require.False(t, verified)
}

func TestUpdatesKeepRowsVerifiable(t *testing.T) {
	cfg := core()
	cfg.DataIntegrity, cfg.Proportions = true, Proportions{Update: 1}
	v := newVerifier(cfg.FieldLength)
	for _, op := range take(t, shard(t, cfg, false, 0).Generator(0), 100) {
		v.begin(op.Key)(op.Fields[0], op.Values[0])
		require.NoError(t, v.wrong)
	}
}
