package action

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/hbase/admin"
)

// rowsMark stands in the name of a snapshot between the name that users give it and the number of its rows. HBase keeps nothing
// else about a snapshot, and any agent must be able to compare the rows of a restored table with it.
const rowsMark = ".rows-"

// saved is a snapshot as users name it.
type saved struct {
	admin.Snapshot
	name    string
	rows    uint64
	counted bool // rows is known: benchd took the snapshot, and counted
}

func readSaved(s admin.Snapshot) saved {
	if i := strings.LastIndex(s.Name, rowsMark); i > 0 {
		if n, err := strconv.ParseUint(s.Name[i+len(rowsMark):], 10, 64); err == nil {
			return saved{Snapshot: s, name: s.Name[:i], rows: n, counted: true}
		}
	}
	return saved{Snapshot: s, name: s.Name}
}

// snapshotName returns the name that the arguments give a snapshot: by default one for each table.
func snapshotName(args map[string]string) string {
	return cmp.Or(args[descriptor.SnapshotArg], strings.ReplaceAll(args["table"], ":", "-")+"-benchd")
}

// find returns the snapshot that the arguments name; there is false if there is none. A snapshot of another table is an error.
func (a *actor) find(ctx context.Context, args map[string]string) (s saved, there bool, err error) {
	all, err := a.client.Snapshots(ctx)
	if err != nil {
		return s, false, err
	}
	name := snapshotName(args)
	var found []saved
	for _, one := range all {
		if s := readSaved(one); s.name == name || s.Name == name {
			found = append(found, s)
		}
	}
	switch {
	case len(found) == 0:
		return s, false, nil
	case len(found) > 1:
		return s, false, fmt.Errorf("%s and %s are both snapshot %s: give the whole name, with its number of rows", found[0].Name, found[1].Name, name)
	case found[0].Table != args["table"]:
		return s, false, fmt.Errorf("snapshot %s is of table %s, not of %s", name, found[0].Table, args["table"])
	}
	return found[0], true, nil
}

// existing is find for a snapshot that must exist.
func (a *actor) existing(ctx context.Context, args map[string]string) (saved, error) {
	s, there, err := a.find(ctx, args)
	if err == nil && !there {
		err = fmt.Errorf("%w: %s of table %s; benchctl admin hbase snapshots lists them, and snapshot takes one", admin.ErrNoSnapshot, snapshotName(args), args["table"])
	}
	return s, err
}

func (a *actor) snapshots(ctx context.Context, _ map[string]string) (load.Answer, error) {
	all, err := a.client.Snapshots(ctx)
	if err != nil {
		return load.Answer{}, err
	}
	answer := load.Answer{Columns: []string{"snapshot", "table", "rows", "created"}}
	for _, one := range all {
		s, rows := readSaved(one), ""
		if s.counted {
			rows = strconv.FormatUint(s.rows, 10)
		}
		answer.Rows = append(answer.Rows, []any{s.name, s.Table, rows, s.Created.UTC().Format(time.RFC3339)})
	}
	return answer, nil
}

// snapshot takes a snapshot of a table, and counts its rows unless that is switched off.
func (a *actor) snapshot(ctx context.Context, args map[string]string) (load.Answer, error) {
	name := snapshotName(args)
	old, there, err := a.find(ctx, args)
	switch {
	case err != nil:
		return load.Answer{}, err
	case there && args["replace"] != "true":
		return load.Answer{}, fmt.Errorf("snapshot %s exists since %s: replace it (replace=true, or --replace), or give another name",
			name, old.Created.UTC().Format(time.RFC3339))
	case there && !old.counted && args["force"] != "true":
		return load.Answer{}, notOurs(old)
	}
	full, text := name, ""
	if args["count"] != "false" {
		n, err := a.client.Count(ctx, args["table"])
		if err != nil {
			return load.Answer{}, err
		}
		full += rowsMark + strconv.FormatUint(n, 10)
		text = fmt.Sprintf(" and has %d rows", n)
	}
	if there {
		if err := a.client.DeleteSnapshot(ctx, old.Name); err != nil {
			return load.Answer{}, err
		}
	}
	begin := time.Now()
	if err := a.client.TakeSnapshot(ctx, args["table"], full); err != nil {
		return load.Answer{}, err
	}
	return answerf("snapshot %s of table %s was taken in %s%s", name, args["table"], rounded(begin), text), nil
}

// restore gives a table the rows of a snapshot, and compares their number with that of the snapshot.
func (a *actor) restore(ctx context.Context, args map[string]string) (load.Answer, error) {
	if err := a.ours(ctx, args); err != nil {
		return load.Answer{}, err
	}
	s, err := a.existing(ctx, args)
	if err != nil {
		return load.Answer{}, err
	}
	begin := time.Now()
	if err := a.client.RestoreSnapshot(ctx, s.Table, s.Name); err != nil {
		return load.Answer{}, err
	}
	answer := answerf("table %s was restored from snapshot %s in %s", s.Table, s.name, rounded(begin))
	switch {
	case args["count"] == "false":
		return answer, nil
	case !s.counted:
		answer.Text[0] += "; the snapshot has no number of rows to compare with"
		return answer, nil
	}
	begin = time.Now()
	if err := a.hasRows(ctx, s.Table, s.rows, "as snapshot "+s.name+" has"); err != nil {
		return answer, err
	}
	answer.Text[0] += fmt.Sprintf("; it has %d rows, as the snapshot (counted in %s)", s.rows, rounded(begin))
	return answer, nil
}

// hasRows fails unless a table has that many rows. Because is the reason to expect them.
func (a *actor) hasRows(ctx context.Context, table string, want uint64, because string) error {
	n, err := a.client.Count(ctx, table)
	if err == nil && n != want {
		err = fmt.Errorf("table %s has %d rows, not %d %s: is another client writing to it?", table, n, want, because)
	}
	return err
}

func (a *actor) deleteSnapshot(ctx context.Context, args map[string]string) (load.Answer, error) {
	s, err := a.existing(ctx, args)
	switch {
	case err != nil:
		return load.Answer{}, err
	case !s.counted && args["force"] != "true":
		return load.Answer{}, notOurs(s)
	}
	if err := a.client.DeleteSnapshot(ctx, s.Name); err != nil {
		return load.Answer{}, err
	}
	return answerf("snapshot %s of table %s is deleted", s.name, s.Table), nil
}

// notOurs refuses to delete a snapshot that has no number of rows, as all have that benchd takes with its defaults.
func notOurs(s saved) error {
	return errors.New("snapshot " + s.name + " may not be of benchd, since it has no number of rows: add --force (force=true) if it is no longer needed")
}

func rounded(begin time.Time) time.Duration { return time.Since(begin).Round(10 * time.Millisecond) }
