package remote

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"google.golang.org/grpc"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/report"
)

// Points passes each operation of a run to take, agent by agent, and reports the missing ones.
func (c *Client) Points(ctx context.Context, id string, take func(report.Point) error) (got report.Fetched, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := c.service.Points(ctx, &benchdv1.PointsRequest{Id: id, Attempts: true})
	if err != nil {
		return got, c.translate(err)
	}
	r := &pieces{client: c, stream: stream}
	for r.next() {
		m := r.current
		got.Attempts = got.Attempts || m.GetAttempt() > 0
		taken, err := r.attempt(take)
		got.Lost += taken.lost
		if err != nil {
			return got, fmt.Errorf("read raw points of agent %s: %w", m.GetAgent(), err)
		}
		if n := m.GetCounted().GetOps(); n > taken.ops+taken.lost {
			got.Missing = append(got.Missing, report.MissingPart{
				Agent: m.GetAgent(), Shard: int(m.GetShard()), Points: n - taken.ops - taken.lost,
				From: time.Duration(m.GetCounted().GetFromNs()), Until: time.Duration(m.GetCounted().GetUntilNs()), Why: taken.why,
			})
		}
	}
	return got, r.err
}

// pieces reads the pieces of the attempts at shards, one attempt after another.
type pieces struct {
	client  *Client
	stream  grpc.ServerStreamingClient[benchdv1.PointsResponse]
	current *benchdv1.PointsResponse // its data is being read
	data    []byte
	ahead   *benchdv1.PointsResponse // the first piece of the next attempt
	why     string                   // why the rest of the current attempt is missing
	err     error
}

// next advances to the next attempt.
func (p *pieces) next() bool {
	if p.ahead == nil {
		p.receive()
	}
	p.current, p.ahead = p.ahead, nil
	p.data, p.why = p.current.GetData(), p.current.GetMissing()
	return p.current != nil
}

func (p *pieces) receive() {
	m, err := p.stream.Recv()
	if err != nil {
		if !errors.Is(err, io.EOF) {
			p.err = p.client.translate(err)
		}
		return
	}
	p.ahead = m
}

// Read reads the current attempt's data.
func (p *pieces) Read(b []byte) (int, error) {
	for len(p.data) == 0 {
		if p.ahead == nil {
			if p.receive(); p.err != nil {
				return 0, p.err
			}
		}
		if p.ahead == nil || p.ahead.GetShard() != p.current.GetShard() || p.ahead.GetAttempt() != p.current.GetAttempt() {
			return 0, io.EOF
		}
		p.data, p.why, p.ahead = p.ahead.GetData(), p.ahead.GetMissing(), nil
	}
	n := copy(b, p.data)
	p.data = p.data[n:]
	return n, nil
}

// taken describes the points read of an attempt.
type taken struct {
	ops, lost uint64
	why       string // why the rest is missing
}

// attempt reads the points of an attempt. If another attempt followed, only points of counted windows count, and the file
// of a killed agent may end anywhere.
func (p *pieces) attempt(take func(report.Point) error) (got taken, err error) {
	var refused error
	err = p.members(&got, func(x report.Point) error {
		refused = take(x)
		return refused
	})
	switch {
	case refused != nil:
		return got, refused
	case p.err != nil:
		return got, p.err
	case p.current.GetCounted() == nil:
		return got, err
	}
	if err != nil {
		got.why = fmt.Sprintf("its file ends too early (%v)", err)
	}
	_, err = io.Copy(io.Discard, struct{ io.Reader }{p})
	if p.why != "" {
		got.why = p.why
	}
	return got, err
}

// members reads the gzip members of an attempt that count: one for each window or, from older agents, for each segment.
func (p *pieces) members(got *taken, take func(report.Point) error) error {
	in := bufio.NewReader(p)
	packed, err := gzip.NewReader(in)
	for ; !errors.Is(err, io.EOF); err = packed.Reset(in) {
		if err != nil {
			return err
		}
		packed.Multistream(false)
		window, known := latency.PointsWindow(packed.Comment)
		switch counted := p.current.GetCounted(); {
		case counted == nil || known && counts(counted, window):
			if err := latency.ReadPoints(packed, p.reader(got, take)); err != nil {
				return err
			}
		case !known:
			got.why = "an older build of benchd does not keep them by window"
			return nil
		default:
			if _, err := io.Copy(io.Discard, packed); err != nil { //nolint:gosec // nothing of it is kept
				return err
			}
		}
	}
	return nil
}

func counts(c *benchdv1.Counted, window int) bool {
	return window < int(c.GetWindows()) && !slices.Contains(c.GetLeftOut(), uint32(window))
}

// reader reads the points of a segment, or of one of its windows.
func (p *pieces) reader(got *taken, take func(report.Point) error) latency.PointsReader {
	var keys []latency.Key
	var phase string
	m := p.current
	return latency.PointsReader{
		Segment: func(name string, of []latency.Key) error {
			phase, keys = name, of
			return nil
		},
		Point: func(x latency.Point) error {
			in := phase
			if measure, ok := m.GetBegunNs()["measure"]; in == "warmup" && ok && x.Done >= measure {
				in = "measure"
			}
			if keys[x.Series].PartOf == "" {
				got.ops++
			}
			return take(report.Point{
				Agent: m.GetAgent(), Phase: in, Key: keys[x.Series], Done: time.Unix(0, m.GetEpochNs()+x.Done),
				Response: time.Duration(x.Response), Service: time.Duration(x.Service),
			})
		},
		End: func(n uint64) error {
			got.lost += n
			return nil
		},
	}
}
