package webhook_test

import (
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/notice"
	"github.com/benchd/benchd/internal/webhook"
)

// records are those of an archive that several coordinators share.
type records struct {
	mu   sync.Mutex
	kept map[string][]byte
}

func (r *records) Keep(name string, content []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept[name] = slices.Clone(content)
	return nil
}

func (r *records) Remove(name string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.kept, name)
	return nil
}

func (r *records) Left() (left []webhook.Record, _ error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(r.kept)) {
		left = append(left, webhook.Record{Name: name, Content: r.kept[name]})
	}
	return left, nil
}

func (r *records) len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.kept)
}

func TestTheNextLeaderDeliversWhatIsLeft(t *testing.T) {
	var down sync.Mutex
	status := 503
	to := receive(t, answer(&down, &status))
	shared := &records{kept: make(map[string][]byte)}
	hooks := "hooks:\n- {name: ci, url: " + to.URL + ", events: [suite_ended]}\n"
	first := newBench(t, hooks)
	first.records = shared
	first.open()
	for _, suite := range []string{"S1", "S2"} {
		first.ended(suite)
	}
	sent := to.next(t)
	first.Announce(notice.Occasion{Event: notice.SuiteEnded, Suite: "S3"}) // the leader dies before it is archived, or after
	first.close()
	require.Equal(t, 3, shared.len())
	require.Zero(t, first.files(), "nothing is on this host alone")

	down.Lock()
	status = 200
	down.Unlock()
	second := newBench(t, hooks) // on another host
	second.records, second.archived = shared, true
	second.open()
	require.Equal(t, sent.body, to.next(t).body, "the oldest one comes first")
	require.Contains(t, string(to.next(t).body), `"S2"`)
	require.Contains(t, string(to.next(t).body), `"S3"`)
	second.count("ci", "delivered", 3)
	second.close()
	require.Zero(t, shared.len())
}
