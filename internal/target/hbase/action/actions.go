package action

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/hbase/admin"
	"github.com/benchd/benchd/internal/target/hbase/setup"
)

// answerf returns an answer of one line.
func answerf(format string, args ...any) load.Answer {
	return load.Answer{Text: []string{fmt.Sprintf(format, args...)}}
}

// countRegions formats a number of regions.
func countRegions(n int) string {
	if n == 1 {
		return "1 region"
	}
	return fmt.Sprintf("%d regions", n)
}

func (a *actor) flush(ctx context.Context, args map[string]string) (load.Answer, error) {
	flushed, regions, err := a.client.Flush(ctx, args["table"])
	if err != nil {
		return load.Answer{}, err
	}
	return answerf("flushed %d of %s of table %s; the others had nothing in memory", flushed, countRegions(regions), args["table"]), nil
}

func compact(major bool) func(*actor, context.Context, map[string]string) (load.Answer, error) {
	return func(a *actor, ctx context.Context, args map[string]string) (load.Answer, error) {
		regions, err := a.client.Compact(ctx, args["table"], major)
		if err != nil {
			return load.Answer{}, err
		}
		kind := "compaction"
		if major {
			kind = "major compaction"
		}
		answer := answerf("requested a %s of %s of table %s", kind, countRegions(regions), args["table"])
		if args["wait"] != "true" {
			return answer, nil
		}
		begin := time.Now()
		if err := a.client.Compacted(ctx, args["table"]); err != nil {
			return answer, err
		}
		answer.Text = append(answer.Text, fmt.Sprintf("compacted after %s", time.Since(begin).Round(100*time.Millisecond)))
		return answer, nil
	}
}

func (a *actor) split(ctx context.Context, args map[string]string) (load.Answer, error) {
	key := []byte(args["key"])
	if region := args["region"]; region != "" {
		if err := a.client.Split(ctx, region, key); err != nil {
			return load.Answer{}, err
		}
		return answerf("region %s is split", region), nil
	}
	n, err := a.client.SplitTable(ctx, args["table"], key)
	if err != nil {
		return load.Answer{}, err
	}
	return answerf("%s of table %s split", countRegions(n), args["table"]), nil
}

func (a *actor) move(ctx context.Context, args map[string]string) (load.Answer, error) {
	to, err := a.client.Move(ctx, args["region"], args["server"])
	if err != nil {
		return load.Answer{}, err
	}
	return answerf("region %s is on %s", args["region"], to), nil
}

func (a *actor) balance(ctx context.Context, _ map[string]string) (load.Answer, error) {
	did, err := a.client.Balance(ctx)
	switch {
	case err != nil:
		return load.Answer{}, err
	case !did.Ran:
		return load.Answer{}, errors.New("the balancer did not run: it is switched off (benchctl admin hbase balancer on), or regions are in transition")
	}
	if did.Silent != "" {
		return answerf("the balancer has run; %s does not report how many regions it moves", did.Silent), nil
	}
	return answerf("the balancer moved %d of %s that it planned to move", did.Moved, countRegions(did.Planned)), nil
}

func (a *actor) balancer(ctx context.Context, args map[string]string) (load.Answer, error) {
	word := map[bool]string{true: "on", false: "off"}
	if args["state"] == "" {
		on, err := a.client.BalancerOn(ctx)
		if err != nil {
			return load.Answer{}, err
		}
		return answerf("the balancer is %s", word[on]), nil
	}
	before, err := a.client.SetBalancer(ctx, args["state"] == "on")
	if err != nil {
		return load.Answer{}, err
	}
	return answerf("the balancer is %s; it was %s", args["state"], word[before]), nil
}

func (a *actor) quiet(ctx context.Context, _ map[string]string) (load.Answer, error) {
	begin := time.Now()
	logged := ""
	last, err := a.client.Quiet(ctx, func(u admin.Unrest) {
		if text := u.String(); text != logged {
			logged = text
			a.log.Info("waiting for quiet", "left", text)
		}
	})
	if err != nil {
		return load.Answer{}, err
	}
	answer := answerf("quiet after %s", time.Since(begin).Round(100*time.Millisecond))
	for _, gap := range last.Gaps {
		answer.Text = append(answer.Text, "queues unknown (compactions and regions in transition are known): "+gap)
	}
	return answer, nil
}

func (a *actor) count(ctx context.Context, args map[string]string) (load.Answer, error) {
	n, err := a.client.Count(ctx, args["table"])
	if err != nil {
		return load.Answer{}, err
	}
	return load.Answer{Columns: []string{"table", "rows"}, Rows: [][]any{{args["table"], n}}}, nil
}

func (a *actor) create(ctx context.Context, args map[string]string) (load.Answer, error) {
	s := a.settings
	if s.Family.Name == "" {
		return load.Answer{}, load.Mark(load.ErrAction, errors.New("create: missing column family: set -p columnfamily=NAME"))
	}
	s.Namespace, s.Table = "default", args["table"]
	if namespace, table, ok := strings.Cut(args["table"], ":"); ok {
		s.Namespace, s.Table = namespace, table
	}
	points, err := setup.Points(s.Splits, a.workload)
	if err != nil {
		return load.Answer{}, load.Mark(load.ErrAction, fmt.Errorf("create: %w", err))
	}
	if err := a.client.Create(ctx, setup.Descriptor(s, a.workload, a.by), points); err != nil {
		return load.Answer{}, err
	}
	return answerf("table %s is created with %s", args["table"], countRegions(len(points)+1)), nil
}

// ours fails when a table was not created by benchd, unless the action is forced.
func (a *actor) ours(ctx context.Context, args map[string]string) error {
	found, err := a.client.Describe(ctx, args["table"])
	if err != nil {
		return err
	}
	if !found.Marked() && args["force"] != "true" {
		return fmt.Errorf("table %s was not created by benchd: add --force (force=true) if its rows are no longer needed", args["table"])
	}
	return nil
}

func (a *actor) drop(ctx context.Context, args map[string]string) (load.Answer, error) {
	if err := a.ours(ctx, args); err != nil {
		return load.Answer{}, err
	}
	if err := a.client.Drop(ctx, args["table"]); err != nil {
		return load.Answer{}, err
	}
	return answerf("table %s is dropped", args["table"]), nil
}

func (a *actor) truncate(ctx context.Context, args map[string]string) (load.Answer, error) {
	if err := a.ours(ctx, args); err != nil {
		return load.Answer{}, err
	}
	if err := a.client.Truncate(ctx, args["table"], args["keep_splits"] != "false"); err != nil {
		return load.Answer{}, err
	}
	if err := a.hasRows(ctx, args["table"], 0, "after it was truncated"); err != nil {
		return load.Answer{}, err
	}
	return answerf("table %s is empty", args["table"]), nil
}

func (a *actor) enable(ctx context.Context, args map[string]string) (load.Answer, error) {
	if err := a.client.Enable(ctx, args["table"]); err != nil {
		return load.Answer{}, err
	}
	return answerf("table %s is enabled", args["table"]), nil
}

func (a *actor) disable(ctx context.Context, args map[string]string) (load.Answer, error) {
	if err := a.client.Disable(ctx, args["table"]); err != nil {
		return load.Answer{}, err
	}
	return answerf("table %s is disabled", args["table"]), nil
}
