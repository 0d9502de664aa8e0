package gohbase

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	tsuna "github.com/tsuna/gohbase"

	"github.com/benchd/benchd/internal/target/hbase/protocol"
	"github.com/benchd/benchd/internal/workload"
)

var (
	errUnknown = errors.New("the client gohbase does not support this operation: use hbase.client=native")
	errMissing = errors.New("the row does not exist")
	errFatal   = errors.New("gohbase called log.Fatal, which would have ended the process of an application")
)

// thrown matches the text in which gohbase hides an exception.
var thrown = regexp.MustCompile(`(?s)HBase Java exception (\S+):\n(.*)`)

// explain returns the code and the text of gohbase's error. The cause of an operation that runs out of time is only in gohbase's
// log, so the last error there since the operation began is added.
func (s *session) explain(phase context.Context, err error, before mark) (workload.Code, error) {
	switch m := thrown.FindStringSubmatch(err.Error()); {
	case m != nil:
		e := protocol.NewException(m[1], m[2])
		return s.config.CodeOf(e), e
	case errors.Is(err, tsuna.TableNotFound):
		return workload.BadRequest, fmt.Errorf("table %s: %w", s.table, err)
	case phase.Err() != nil:
		return workload.Timeout, fmt.Errorf("given up because the phase has ended: %w", err)
	case errors.Is(err, context.DeadlineExceeded):
		text := fmt.Sprintf("not done within %v (hbase.client.operation.timeout)", s.config.Settings.Timeout)
		if unreached := s.all.unreached.Load(); unreached != nil {
			return workload.Timeout, fmt.Errorf("%s: %w", text, *unreached)
		}
		if logged := process.since(before); logged != "" {
			return workload.Timeout, fmt.Errorf("%s; gohbase's last logged error: %s", text, logged)
		}
		return workload.Timeout, errors.New(text + "; gohbase does not report why")
	}
	return s.config.CodeOf(err), err
}
