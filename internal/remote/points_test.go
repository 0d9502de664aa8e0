package remote

import (
	"bytes"
	"compress/gzip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/report"
)

func (f *fake) Points(r *benchdv1.PointsRequest, s grpc.ServerStreamingServer[benchdv1.PointsResponse]) error {
	f.asked = append(f.asked, r)
	for _, m := range f.points {
		if err := s.Send(m); err != nil {
			return err
		}
	}
	return f.err
}

// member is the points of a window, with one point for each instant.
func member(t *testing.T, comment string, lost uint64, done ...int64) []byte {
	t.Helper()
	var b bytes.Buffer
	packed := gzip.NewWriter(&b)
	packed.Comment = comment
	w := latency.NewPointsWriter(packed)
	require.NoError(t, w.Segment("load", []latency.Key{{Op: "INSERT", Outcome: "OK"}}))
	for _, at := range done {
		require.NoError(t, w.Add(latency.Point{Done: at, Response: 1, Service: 1}))
	}
	require.NoError(t, w.End(lost))
	require.NoError(t, packed.Close())
	return b.Bytes()
}

func windows(t *testing.T) []byte {
	t.Helper()
	var all []byte
	for i, done := range [][]int64{{10, 11}, {20}, {30, 31, 32}} {
		all = append(all, member(t, latency.PointsComment(i), 0, done...)...)
	}
	return all
}

func TestOnlyCountedPointsOfAnEarlierAttemptAreRead(t *testing.T) {
	all := windows(t)
	last := &benchdv1.PointsResponse{Agent: "b", Attempt: 2, Data: member(t, latency.PointsComment(0), 0, 100, 101)}
	first := func(data []byte, c *benchdv1.Counted, missing string) *benchdv1.PointsResponse {
		c.FromNs, c.UntilNs = 1e9, 2e9
		return &benchdv1.PointsResponse{Agent: "a", Attempt: 1, Counted: c, Data: data, Missing: missing}
	}
	two := func() *benchdv1.Counted { return &benchdv1.Counted{Windows: 2, Ops: 3} }
	missing := func(n uint64, why string) []report.MissingPart {
		return []report.MissingPart{{Agent: "a", Points: n, From: time.Second, Until: 2 * time.Second, Why: why}}
	}
	for name, test := range map[string]struct {
		before  []*benchdv1.PointsResponse
		done    []int64
		lost    uint64
		missing []report.MissingPart
	}{
		"the windows that the archive has": {before: []*benchdv1.PointsResponse{first(all, two(), "")}, done: []int64{10, 11, 20}},
		"in many pieces": {
			before: []*benchdv1.PointsResponse{first(all[:7], two(), ""), first(all[7:100], two(), ""), first(all[100:], two(), "")},
			done:   []int64{10, 11, 20},
		},
		"a window within is not in the archive": {
			before: []*benchdv1.PointsResponse{first(all, &benchdv1.Counted{Windows: 3, Ops: 5, LeftOut: []uint32{1}}, "")},
			done:   []int64{10, 11, 30, 31, 32},
		},
		"the file of a killed agent ends within a window that does not count": {
			before: []*benchdv1.PointsResponse{first(all[:len(all)-9], two(), "")}, done: []int64{10, 11, 20},
		},
		"points that the agent could not keep": {
			before: []*benchdv1.PointsResponse{first(member(t, latency.PointsComment(0), 2, 10), two(), "")}, done: []int64{10}, lost: 2,
		},
		"a window that counts was not written": {
			before:  []*benchdv1.PointsResponse{first(all, &benchdv1.Counted{Windows: 5, Ops: 9}, "")},
			done:    []int64{10, 11, 20, 30, 31, 32},
			missing: missing(3, ""),
		},
		"the agent is not connected": {
			before:  []*benchdv1.PointsResponse{first(nil, two(), "agent a is not connected")},
			missing: missing(3, "agent a is not connected"),
		},
		"the agent is lost while it sends": {
			before: []*benchdv1.PointsResponse{
				first(all[:len(member(t, latency.PointsComment(0), 0, 10, 11))+5], two(), ""), first(nil, two(), "agent a did not answer"),
			},
			done: []int64{10, 11}, missing: missing(1, "agent a did not answer"),
		},
		"an older agent": {
			before:  []*benchdv1.PointsResponse{first(member(t, "", 0, 10, 11, 20, 30), two(), "")},
			missing: missing(3, "an older build of benchd does not keep them by window"),
		},
		"nothing counts": {before: []*benchdv1.PointsResponse{first(all, &benchdv1.Counted{}, "")}},
		"two attempts": {
			before: []*benchdv1.PointsResponse{first(all, two(), ""), {Agent: "c", Attempt: 7, Counted: &benchdv1.Counted{Windows: 1, Ops: 1}, Data: member(t, latency.PointsComment(0), 0, 50)}},
			done:   []int64{10, 11, 20, 50},
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fake{points: append(test.before, last)}
			var done []int64
			got, err := connect(t, f).Points(t.Context(), "S.1", func(p report.Point) error {
				done = append(done, p.Done.UnixNano())
				return nil
			})
			require.NoError(t, err)
			require.True(t, f.asked[0].(*benchdv1.PointsRequest).GetAttempts())
			require.Equal(t, append(test.done, 100, 101), done)
			require.Equal(t, report.Fetched{Lost: test.lost, Attempts: true, Missing: test.missing}, got)
		})
	}
}

func TestPointsOfTheLastAttemptAreCompleteOrAnError(t *testing.T) {
	all := windows(t)
	none := func(report.Point) error { return nil }
	got, err := connect(t, &fake{points: []*benchdv1.PointsResponse{{Agent: "a", Data: member(t, "", 4, 1)}}}).Points(t.Context(), "S.1", none)
	require.NoError(t, err)
	require.Equal(t, report.Fetched{Lost: 4}, got, "an older coordinator")
	_, err = connect(t, &fake{points: []*benchdv1.PointsResponse{{Agent: "a", Attempt: 1, Data: all[:len(all)-9]}}}).Points(t.Context(), "S.1", none)
	require.ErrorContains(t, err, "read raw points of agent a")
}
