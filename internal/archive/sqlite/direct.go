package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"
)

// direct is a statement that a transaction executes for each row of each window. It uses the driver's connection: database/sql makes a list of
// arguments for each execution, which is a sixth of the garbage of a coordinator with thousands of agents.
type direct struct {
	query     string
	statement driver.Stmt // nil until the first execution
	args      []driver.NamedValue
	next      int
}

// row begins the arguments of an execution.
func (d *direct) row() *direct {
	d.next = 0
	return d
}

// arg returns the next argument. It has the value of the execution before.
func (d *direct) arg() *driver.NamedValue {
	if d.next == len(d.args) {
		d.args = append(d.args, driver.NamedValue{Ordinal: d.next + 1})
	}
	d.next++
	return &d.args[d.next-1]
}

// An argument that has not changed since the execution before needs no memory.

func (d *direct) text(values ...string) *direct {
	for _, v := range values {
		if a := d.arg(); a.Value != v {
			a.Value = v
		}
	}
	return d
}

func (d *direct) int(values ...int64) *direct {
	for _, v := range values {
		if a := d.arg(); a.Value != v {
			a.Value = v
		}
	}
	return d
}

func (d *direct) real(values ...float64) *direct {
	for _, v := range values {
		if a := d.arg(); a.Value != v {
			a.Value = v
		}
	}
	return d
}

func (d *direct) bool(values ...bool) *direct {
	for _, v := range values {
		d.arg().Value = v
	}
	return d
}

func (d *direct) blob(v []byte) *direct {
	d.arg().Value = v
	return d
}

// null adds so many arguments that are NULL.
func (d *direct) null(n int) *direct {
	for range n {
		d.arg().Value = nil
	}
	return d
}

// json adds the JSON of a list or map of n elements, or NULL if there are none.
func (d *direct) json(n int, of any) error {
	if n == 0 {
		d.null(1)
		return nil
	}
	text, err := json.Marshal(of)
	if err != nil {
		return err
	}
	d.text(string(text))
	return nil
}

// exec executes the statement with the arguments of the row, in the transaction of the connection.
func (d *direct) exec(ctx context.Context, conn *sql.Conn) (res driver.Result, err error) {
	err = conn.Raw(func(on any) (err error) {
		if d.statement == nil {
			preparer, is := on.(driver.ConnPrepareContext)
			if !is {
				return fmt.Errorf("prepare a statement: unknown connection %T", on)
			}
			if d.statement, err = preparer.PrepareContext(ctx, d.query); err != nil {
				return err
			}
		}
		execer, is := d.statement.(driver.StmtExecContext)
		if !is {
			return fmt.Errorf("execute a statement: unknown statement %T", d.statement)
		}
		res, err = execer.ExecContext(ctx, d.args[:d.next])
		return err
	})
	return res, err
}

// close frees the statement. It must be called before its transaction ends: another one may have another connection.
func (d *direct) close(conn *sql.Conn) error {
	if d.statement == nil {
		return nil
	}
	return conn.Raw(func(any) error { return d.statement.Close() })
}
