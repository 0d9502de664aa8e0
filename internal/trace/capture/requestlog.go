package capture

import (
	"errors"
	"strconv"

	"github.com/benchd/benchd/internal/descriptor"
)

// requestLog reads the log of requests of a target.
type requestLog struct {
	lines

	log  *descriptor.RequestLog
	fail failing
	skip func(reason string)
}

func (l *requestLog) next(r *row) error {
	for {
		line, err := l.lines.next()
		if errors.Is(err, errLong) {
			l.fail(l.n, 1, "%s", err)
			continue
		}
		if err != nil {
			return err
		}
		request, skipped, column, err := l.log.Read(line)
		switch {
		case err != nil:
			l.fail(l.n, column, "%s", err)
		case skipped != "":
			l.skip(skipped)
		case request != nil:
			*r = row{line: l.n}
			r.set(colTimeNs, strconv.FormatInt(int64(request.At), 10), 1)
			r.set(colOp, request.Operation, 1)
			r.set(colTable, request.Table, 1)
			r.set(colKey, string(request.Key), 1)
			if request.Size > 0 {
				r.set(colSize, strconv.Itoa(request.Size), 1)
			}
			return nil
		}
	}
}
