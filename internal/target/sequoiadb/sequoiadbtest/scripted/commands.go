package scripted

import (
	"os"
	"slices"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// command executes a command: a query whose name begins with $.
func (one *session) command(r request) reply {
	if r.skip != 0 || r.limit != -1 {
		return failed(codeInvalid, "a command has skip 0 and limit -1")
	}
	s := one.s.store
	s.mu.Lock()
	defer s.mu.Unlock()
	name, matcher := strings.TrimPrefix(r.name, "$"), r.documents[0]
	switch name {
	case "get count":
		return s.count(r.documents[3])
	case "list collections":
		return one.first(r.flags, s.list())
	case "test collection":
		_, answer, _ := s.lookup(text(matcher, "Name"))
		return answer.orDone()
	case "test collectionspace":
		if _, has := s.spaces[text(matcher, "Name")]; !has {
			return failed(codeNoSpace, "Collection space does not exist")
		}
		return done()
	case "create domain", "create collectionspace", "create collection":
		return s.create(name, matcher)
	case "drop collection", "drop collectionspace", "truncate":
		return s.drop(name, matcher)
	case "sync db":
		return done()
	case "snapshot catalog":
		return one.first(r.flags, s.catalogue(text(matcher, "Name")))
	case "snapshot database", "snapshot system", "snapshot configs":
		return one.first(r.flags, one.s.snapshot(strings.TrimPrefix(name, "snapshot ")))
	}
	return failed(codeInvalid, "command "+r.name+" is not scripted")
}

// orDone returns the reply, or that of a command that has succeeded.
func (r reply) orDone() reply {
	if r.flag == 0 {
		return done()
	}
	return r
}

func text(d bson.Raw, name string) string {
	v, _ := d.Lookup(name).StringValueOK()
	return v
}

func encoded(d bson.D) bson.Raw {
	raw, err := bson.Marshal(d)
	if err != nil {
		panic("encode document: " + err.Error())
	}
	return raw
}

func (s *store) count(hint bson.Raw) reply {
	c, answer, ok := s.lookup(text(hint, "Collection"))
	if !ok {
		return answer
	}
	return done(encoded(bson.D{{Key: "Total", Value: int64(len(c.keys))}}))
}

func (s *store) list() []bson.Raw {
	names := make([]string, 0, len(s.cls))
	for name := range s.cls {
		names = append(names, name)
	}
	slices.Sort(names)
	all := make([]bson.Raw, len(names))
	for i, name := range names {
		all[i] = encoded(bson.D{{Key: "Name", Value: name}})
	}
	return all
}

// groups are the replication groups that the server pretends to have.
func groups() []string { return []string{"group1", "group2"} }

func (s *store) create(what string, options bson.Raw) reply {
	name := text(options, "Name")
	if name == "" {
		return failed(codeInvalid, "Name is missing")
	}
	var err error
	switch what {
	case "create domain":
		if _, has := s.domains[name]; has {
			return failed(codeDomain, "Domain already exists")
		}
		members, _ := options.Lookup("Options", "Groups").Array().Values()
		for _, g := range members {
			if !slices.Contains(groups(), g.StringValue()) {
				return failed(codeNoGroup, "Group does not exist")
			}
		}
		err = s.record("domain", name, options)
	case "create collectionspace":
		domain := text(options, "Domain")
		if _, has := s.spaces[name]; has {
			return failed(codeSpace, "Collection space already exists")
		}
		if _, has := s.domains[domain]; domain != "" && !has {
			return failed(codeNoDomain, "Domain does not exist")
		}
		err = s.record("space", name, encoded(bson.D{{Key: "Domain", Value: domain}}))
	default:
		space, inner, _ := strings.Cut(name, ".")
		if _, has := s.spaces[space]; !has {
			return failed(codeNoSpace, "Collection space does not exist")
		}
		if inner == "" {
			return failed(codeInvalid, "Name is not SPACE.COLLECTION")
		}
		if _, has := s.cls[name]; has {
			return failed(codeExists, "Collection already exists")
		}
		err = s.record("create", name, options)
	}
	if err != nil {
		return failed(codeSystem, err.Error())
	}
	return done()
}

func (s *store) drop(what string, options bson.Raw) reply {
	var err error
	switch what {
	case "drop collectionspace":
		name := text(options, "Name")
		if _, has := s.spaces[name]; !has {
			return failed(codeNoSpace, "Collection space does not exist")
		}
		for one := range s.cls {
			if strings.HasPrefix(one, name+".") && err == nil {
				err = s.record("drop", one, nil)
			}
		}
		if err == nil {
			err = s.record("dropspace", name, nil)
		}
	default:
		field, do := "Name", "drop"
		if what == "truncate" {
			field, do = "Collection", "truncate"
		}
		if _, answer, ok := s.lookup(text(options, field)); !ok {
			return answer
		}
		err = s.record(do, text(options, field), nil)
	}
	if err != nil {
		return failed(codeSystem, err.Error())
	}
	return done()
}

// catalogue describes a collection, or all, as the catalogue's snapshot does.
func (s *store) catalogue(name string) []bson.Raw {
	var all []bson.Raw
	for one, c := range s.cls {
		if name != "" && one != name {
			continue
		}
		d := bson.D{{Key: "Name", Value: one}, {Key: "Version", Value: int32(1)}}
		for _, field := range []string{"ReplSize", "ShardingKey", "ShardingType", "AutoSplit", "Partition"} {
			if v, err := c.options.LookupErr(field); err == nil {
				d = append(d, bson.E{Key: field, Value: v})
			}
		}
		parts := groups()
		if split, _ := c.options.Lookup("AutoSplit").BooleanOK(); !split {
			parts = parts[:1]
		}
		var list bson.A
		for i, g := range parts {
			list = append(list, bson.D{{Key: "ID", Value: int32(i)}, {Key: "GroupID", Value: int32(1000 + i)}, {Key: "GroupName", Value: g}})
		}
		all = append(all, encoded(append(d, bson.E{Key: "CataInfo", Value: list})))
	}
	return all
}

// born is when the process began, for figures that grow.
var born = time.Now() //nolint:gochecknoglobals // the start of the process

// snapshot returns a document for each node that the server pretends to have. The caller holds the store's lock.
func (s *Server) snapshot(what string) []bson.Raw {
	seconds := time.Since(born).Seconds()
	var all []bson.Raw
	for i, g := range groups() {
		d := bson.D{
			{Key: "NodeName", Value: "sdb" + string(rune('1'+i)) + ":11820"},
			{Key: "HostName", Value: "sdb" + string(rune('1'+i))},
			{Key: "ServiceName", Value: "11820"},
			{Key: "GroupName", Value: g},
			{Key: "IsPrimary", Value: true},
			{Key: "ServiceStatus", Value: true},
			{Key: "Status", Value: "Normal"},
		}
		switch what {
		case "database":
			d = append(d, s.database(int64(len(groups())), seconds)...)
		case "system":
			d = append(d,
				bson.E{Key: "CPU", Value: bson.D{{Key: "User", Value: seconds}, {Key: "Sys", Value: seconds / 2}, {Key: "Idle", Value: seconds / 2}, {Key: "Other", Value: 0.0}}},
				bson.E{Key: "Memory", Value: bson.D{{Key: "LoadPercent", Value: int32(50)}, {Key: "TotalRAM", Value: int64(8 << 30)}, {Key: "FreeRAM", Value: int64(4 << 30)}}},
				bson.E{Key: "Disk", Value: bson.D{{Key: "LoadPercent", Value: int32(25)}, {Key: "TotalSpace", Value: int64(4 << 40)}, {Key: "FreeSpace", Value: int64(3 << 40)}}})
		default:
			d = bson.D{
				{Key: "NodeName", Value: d[0].Value},
				{Key: "role", Value: "data"},
				{Key: "syncinterval", Value: int32(10000)},
				{Key: "syncrecordnum", Value: int32(0)},
				{Key: "syncdeep", Value: "FALSE"},
				{Key: "transactionon", Value: "FALSE"},
				{Key: "preferredinstance", Value: "M"},
			}
		}
		all = append(all, encoded(d))
	}
	return all
}

// database returns the figures of a node: its share of the server's own.
func (s *Server) database(nodes int64, seconds float64) bson.D {
	st := s.store
	share := func(n int64) int64 { return n / nodes }
	return bson.D{
		{Key: "Version", Value: bson.D{{Key: "Major", Value: int32(6)}, {Key: "Minor", Value: int32(0)}, {Key: "Fix", Value: int32(0)}}},
		{Key: "LSNQueSize", Value: int32(0)},
		{Key: "CurrentActiveSessions", Value: int32(s.sessions.Load())},
		{Key: "CurrentContexts", Value: int32(s.contexts.Load())},
		{Key: "Role", Value: "data"},
		{Key: "TotalNumConnects", Value: int32(s.sessions.Load())},
		{Key: "TotalQuery", Value: share(s.served.Load())},
		{Key: "TotalDataRead", Value: share(st.selected)},
		{Key: "TotalIndexRead", Value: share(st.selected)},
		{Key: "TotalDataWrite", Value: share(st.inserted + st.updated + st.deleted)},
		{Key: "TotalIndexWrite", Value: share(st.inserted)},
		{Key: "TotalUpdate", Value: share(st.updated)},
		{Key: "TotalDelete", Value: share(st.deleted)},
		{Key: "TotalInsert", Value: share(st.inserted)},
		{Key: "ReplUpdate", Value: int64(0)},
		{Key: "ReplDelete", Value: int64(0)},
		{Key: "ReplInsert", Value: int64(0)},
		{Key: "TotalSelect", Value: share(st.selected)},
		{Key: "TotalRead", Value: share(st.selected)},
		{Key: "ActivateTimestamp", Value: born.UTC().Format("2006-01-02-15.04.05.000000")},
		{Key: "UserCPU", Value: seconds / 4},
		{Key: "SysCPU", Value: seconds / 8},
		{Key: "freeLogSpace", Value: int64(1 << 30)},
		{Key: "rss", Value: int64(256 << 20)},
		{Key: "TotalMapped", Value: int64(1 << 30)},
		{Key: "svcNetIn", Value: share(s.served.Load() * 100)},
		{Key: "svcNetOut", Value: share(s.served.Load() * 1000)},
		{Key: "process", Value: int32(os.Getpid())},
	}
}
