package plan

import (
	"fmt"
	"hash/fnv"
	"maps"
	"strconv"
)

// SeedProperty is the property that carries a run's seed to its agents.
const SeedProperty = "seed"

// Runs lists the runs of a suite in the order of their execution; see Order. Run n of suite S is S.n, counted from 1. Of a
// search it has a single run: how many probes follow depends on their results.
func Runs(suite string, s Suite) []Run {
	var runs []Run
	for _, t := range s.turns() {
		runs = append(runs, NewRun(suite, len(runs)+1, t.c, t.repeat))
	}
	return runs
}

// NewRun returns run n of a suite: a repeat of a case.
func NewRun(suite string, n int, c Case, repeat int) Run {
	id := suite + "." + strconv.Itoa(n)
	return Run{ID: id, Case: c.Name, Repeat: repeat, Seed: seed(c.Settings.Workload.Seed, id), Phases: Phases(c.Settings)}
}

// seed returns the given seed, or one derived from the run's id, so that seeds differ between runs and need no source of
// randomness.
func seed(given uint64, run string) uint64 {
	if given != 0 {
		return given
	}
	h := fnv.New64a()
	h.Write([]byte(run))
	// FNV's high bits hardly depend on a short text's last letters; this mixes them.
	x := h.Sum64()
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	x ^= x >> 31
	return max(x, 1)
}

// Case returns the case with that name.
func (s Suite) Case(name string) (Case, bool) {
	for _, c := range s.Cases {
		if c.Name == name {
			return c, true
		}
	}
	return Case{}, false
}

// SpreadError reports that a run has fewer workers than agents.
type SpreadError struct {
	Agents, Threads int
}

// Error names the numbers and the cure.
func (e *SpreadError) Error() string {
	return fmt.Sprintf("spread %d threads over %d agents: an agent would have none; take at most %d agents, or raise threads.total to %d",
		e.Threads, e.Agents, e.Threads, e.Agents)
}

// Workers returns the number of workers of each shard. A total is spread evenly; the first shards get one more if it does
// not divide. With groups of workers each group is spread on its own.
func Workers(s Settings, shards int) ([]int, error) {
	workers := make([]int, shards)
	for _, g := range s.Groups {
		own, err := Workers(g.Settings, shards)
		if err != nil {
			return nil, fmt.Errorf("group %s: %w", g.Name, err)
		}
		for i, n := range own {
			workers[i] += n
		}
	}
	if len(s.Groups) > 0 {
		return workers, nil
	}
	if s.ThreadsTotal == 0 {
		for i := range workers {
			workers[i] = max(s.Threads, 1)
		}
		return workers, nil
	}
	if s.ThreadsTotal < shards {
		return nil, &SpreadError{Agents: shards, Threads: s.ThreadsTotal}
	}
	for i := range workers {
		workers[i] = s.ThreadsTotal / shards
		if i < s.ThreadsTotal%shards {
			workers[i]++
		}
	}
	return workers, nil
}

// Shards divides a run of case c over agents, one shard for each in the order given, each in its first attempt.
func Shards(run Run, c Case, agents []string) ([]Shard, error) {
	workers, err := Workers(c.Settings, len(agents))
	if err != nil {
		return nil, err
	}
	properties := run.Properties(c)
	for _, name := range []string{AfterLoadProperty, BeforeRunProperty, ActionTimeoutProperty} {
		delete(properties, name) // agents of earlier releases know them by other names
	}
	shards := make([]Shard, len(agents))
	for i, agent := range agents {
		shards[i] = Shard{
			Run:        run.ID,
			Index:      i,
			Count:      len(agents),
			Attempt:    1,
			Agent:      agent,
			Workers:    workers[i],
			Phases:     run.Phases,
			Properties: properties,
		}
	}
	return shards, nil
}

// Properties returns the settings of case c for this run: with the run's own seed.
func (r Run) Properties(c Case) map[string]string {
	properties := maps.Clone(c.Properties)
	if properties == nil {
		properties = make(map[string]string, 1)
	}
	properties[SeedProperty] = strconv.FormatUint(r.Seed, 10)
	return properties
}
