package action

import (
	"context"
	"fmt"
	"strings"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/hbase/admin"
)

func (a *actor) regions(ctx context.Context, args map[string]string) (load.Answer, error) {
	list, err := a.client.Regions(ctx, args["table"])
	if err != nil {
		return load.Answer{}, err
	}
	cluster, err := a.client.Cluster(ctx)
	if err != nil {
		return load.Answer{}, err
	}
	loads := make(map[string]admin.Load)
	for _, s := range cluster.Servers {
		for _, l := range s.RegionLoads {
			loads[l.Region] = l
		}
	}
	answer := load.Answer{Columns: []string{"region", "start", "end", "server", "state", "files", "files_mb", "memstore_mb"}}
	for _, r := range list {
		l := loads[r.Name]
		answer.Rows = append(answer.Rows, []any{
			r.Encoded, printable(r.StartKey), printable(r.EndKey), r.Server, strings.ToLower(r.State), l.Files, l.FilesMB, l.MemstoreMB,
		})
	}
	return answer, nil
}

func (a *actor) servers(ctx context.Context, _ map[string]string) (load.Answer, error) {
	cluster, err := a.client.Cluster(ctx)
	if err != nil {
		return load.Answer{}, err
	}
	answer := load.Answer{Columns: []string{"server", "role", "regions", "files", "files_mb", "memstore_mb", "heap_mb", "heap_max_mb", "info_port"}}
	answer.Rows = append(answer.Rows, []any{cluster.Master, "master", 0, 0, 0, 0, 0, 0, cluster.MasterInfo})
	for _, name := range cluster.Backups {
		answer.Rows = append(answer.Rows, []any{name, "backup master", 0, 0, 0, 0, 0, 0, 0})
	}
	for _, s := range cluster.Servers {
		answer.Rows = append(answer.Rows, []any{s.Name, "region server", s.Regions, s.Stores, s.StoresMB, s.MemstoreMB, s.UsedHeapMB, s.MaxHeapMB, s.InfoPort})
	}
	for _, name := range cluster.Dead {
		answer.Rows = append(answer.Rows, []any{name, "dead", 0, 0, 0, 0, 0, 0, 0})
	}
	return answer, nil
}

func (a *actor) tables(ctx context.Context, _ map[string]string) (load.Answer, error) {
	list, err := a.client.Tables(ctx)
	if err != nil {
		return load.Answer{}, err
	}
	answer := load.Answer{Columns: []string{"table", "families", "created_by"}}
	for _, t := range list {
		var families []string
		for _, f := range t.Families {
			families = append(families, f.Name)
		}
		answer.Rows = append(answer.Rows, []any{t.Name, strings.Join(families, " "), t.Attributes[admin.Mark]})
	}
	return answer, nil
}

func (a *actor) describe(ctx context.Context, args map[string]string) (load.Answer, error) {
	t, err := a.client.Describe(ctx, args["table"])
	if err != nil {
		return load.Answer{}, err
	}
	state, err := a.client.State(ctx, args["table"])
	if err != nil {
		return load.Answer{}, err
	}
	return answerf("%s: %s", state, t), nil
}

// printable formats a key as HBase's shell does.
func printable(key []byte) string {
	var b strings.Builder
	for _, c := range key {
		if c >= ' ' && c < 127 && c != '\\' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, `\x%02X`, c)
		}
	}
	return b.String()
}
