package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/tsuna/gohbase"
	"github.com/tsuna/gohbase/hrpc"
)

// application is a client of gohbase.
type application struct {
	arguments

	client gohbase.Client
	keys   []string
}

// newGohbase connects, and reads the keys of the table.
func newGohbase(ctx context.Context, a arguments) (*application, error) {
	c := &application{a, gohbase.NewClient(a.quorum, gohbase.RpcQueueSize(1)), nil}
	scan, err := hrpc.NewScanStr(ctx, a.table)
	if err != nil {
		return nil, fmt.Errorf("scan table %s: %w", a.table, err)
	}
	rows := c.client.Scan(scan)
	for {
		r, err := rows.Next()
		switch {
		case err == nil:
			c.keys = append(c.keys, string(r.Cells[0].Row))
		case errors.Is(err, io.EOF) && len(c.keys) > 0:
			return c, nil
		default:
			return nil, fmt.Errorf("scan table %s after %d rows: %w", a.table, len(c.keys), err)
		}
	}
}

func (c *application) close() { c.client.Close() }

// read reads a row within a minute.
func (c *application) read(ctx context.Context, key int) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	get, err := hrpc.NewGetStr(ctx, c.table, c.keys[key], hrpc.Families(map[string][]string{c.family: nil}))
	if err != nil {
		return err
	}
	r, err := c.client.Get(get)
	if err == nil && len(r.Cells) == 0 {
		err = fmt.Errorf("there is no row %s", c.keys[key])
	}
	return err
}
