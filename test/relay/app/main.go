// App reads rows in a goroutine, without benchd's workers, schedules and histograms. Its arguments are KIND QUORUM TABLE FAMILY RATE
// READS. KIND is the client:
//
//   - gohbase: a client of gohbase, as an application uses it.
//   - socket: requests that were encoded before, written to a connection to the server of the table's only region. It waits
//     for the frame of the answer and does not decode it.
//
// It prints the median time of a read in nanoseconds.
package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/benchd/benchd/internal/alarm"
	"github.com/benchd/benchd/test/relay"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// arguments are those of the command.
type arguments struct {
	kind, quorum, table, family string
	rate, reads                 int
}

func parse(args []string) (a arguments, err error) {
	const count = 6
	if len(args) != count {
		return a, fmt.Errorf("%d arguments: want KIND QUORUM TABLE FAMILY RATE READS", len(args))
	}
	a = arguments{kind: args[0], quorum: args[1], table: args[2], family: args[3]}
	if a.rate, err = strconv.Atoi(args[4]); err != nil {
		return a, fmt.Errorf("read RATE: %w", err)
	}
	if a.reads, err = strconv.Atoi(args[5]); err != nil {
		return a, fmt.Errorf("read READS: %w", err)
	}
	return a, nil
}

func run(ctx context.Context, args []string) error {
	a, err := parse(args)
	if err != nil {
		return err
	}
	client, err := newGohbase(ctx, a)
	if err != nil {
		return err
	}
	defer client.close()
	read := client.read
	if a.kind == "socket" {
		s, err := newSocket(ctx, a, client.keys)
		if err != nil {
			return err
		}
		defer s.close()
		read = s.read
	}
	median, err := measure(ctx, a, len(client.keys), read)
	if err == nil {
		fmt.Println(median.Nanoseconds())
	}
	return err
}

// measure reads rows by the clock, and returns the median of their times.
func measure(ctx context.Context, a arguments, keys int, read func(context.Context, int) error) (time.Duration, error) {
	wait, err := alarm.New() // the runtime's timers are up to a millisecond late
	if err != nil {
		return 0, err
	}
	took := make([]time.Duration, a.reads)
	begin := time.Now()
	for i := range took {
		const stride = 7919
		if err := wait.Wait(ctx, time.Until(begin.Add(time.Duration(i)*time.Second/time.Duration(a.rate)))); err != nil {
			return 0, err
		}
		sent := time.Now()
		if err := read(ctx, i*stride%keys); err != nil {
			return 0, fmt.Errorf("read row %d: %w", i, err)
		}
		took[i] = time.Since(sent)
	}
	return relay.Median(took), wait.Close()
}
