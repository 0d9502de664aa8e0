package remote

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"google.golang.org/grpc"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/report"
)

// Points gives take each operation of a run, agent by agent, and returns how many the agents could not keep.
func (c *Client) Points(ctx context.Context, id string, take func(report.Point) error) (lost uint64, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := c.service.Points(ctx, &benchdv1.PointsRequest{Id: id})
	if err != nil {
		return 0, c.translate(err)
	}
	r := &pieces{client: c, stream: stream}
	for r.next() {
		n, err := r.shard(take)
		if err != nil {
			return lost, fmt.Errorf("read raw points of agent %s: %w", r.current.GetAgent(), err)
		}
		lost += n
	}
	return lost, r.err
}

// pieces reads the pieces of one shard after another.
type pieces struct {
	client  *Client
	stream  grpc.ServerStreamingClient[benchdv1.PointsResponse]
	current *benchdv1.PointsResponse // whose data is left to read
	data    []byte
	ahead   *benchdv1.PointsResponse // of the shard that follows
	err     error
}

// next goes on to the next shard.
func (p *pieces) next() bool {
	if p.ahead == nil {
		p.receive()
	}
	p.current, p.ahead = p.ahead, nil
	p.data = p.current.GetData()
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

// Read reads the current shard's data.
func (p *pieces) Read(b []byte) (int, error) {
	for len(p.data) == 0 {
		if p.ahead == nil {
			if p.receive(); p.err != nil {
				return 0, p.err
			}
		}
		if p.ahead == nil || p.ahead.GetShard() != p.current.GetShard() {
			return 0, io.EOF
		}
		p.data, p.ahead = p.ahead.GetData(), nil
	}
	n := copy(b, p.data)
	p.data = p.data[n:]
	return n, nil
}

// shard reads a shard's points.
func (p *pieces) shard(take func(report.Point) error) (lost uint64, err error) {
	packed, err := gzip.NewReader(p)
	if errors.Is(err, io.EOF) {
		return 0, nil // it did nothing
	}
	if err != nil {
		return 0, err
	}
	var keys []latency.Key
	var phase string
	m := p.current
	err = latency.ReadPoints(packed, latency.PointsReader{
		Segment: func(name string, of []latency.Key) error {
			phase, keys = name, of
			return nil
		},
		Point: func(x latency.Point) error {
			in := phase
			if measure, ok := m.GetBegunNs()["measure"]; in == "warmup" && ok && x.Done >= measure {
				in = "measure"
			}
			return take(report.Point{
				Agent: m.GetAgent(), Phase: in, Key: keys[x.Series], Done: time.Unix(0, m.GetEpochNs()+x.Done),
				Response: time.Duration(x.Response), Service: time.Duration(x.Service),
			})
		},
		End: func(n uint64) error {
			lost += n
			return nil
		},
	})
	return lost, err
}
