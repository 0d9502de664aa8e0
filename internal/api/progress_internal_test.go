package api

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/remote"
)

func fleetOf(agents int) *remote.Progress {
	p := &remote.Progress{Suite: "20260301-k7mp", Run: "20260301-k7mp.1", Operations: make([]remote.Operation, 10)}
	for i := range agents {
		p.Agents = append(p.Agents, remote.AgentProgress{
			Name: fmt.Sprintf("client-%04d.example.com", i), Connected: true, State: "busy", Rate: 1234.5678, Idle: 0.5123456789, P99: time.Millisecond + time.Duration(i)*time.Nanosecond,
			Clock: remote.Clock{OffsetMS: -0.1234567891, UncertaintyMS: 0.0345678912},
		})
	}
	return p
}

func TestAnEventHasTheAgentsThatNeedAttention(t *testing.T) {
	p := fleetOf(1000)
	p.Agents[500].Connected = false
	p.Agents[400].State = "lost"
	p.Agents[300].Idle = 0.01
	p.Agents[200].P99 = time.Second
	p.Agents[100].P99, p.Agents[101].P99 = 2*time.Millisecond, 2*time.Millisecond
	p.Agents[999].Idle = -1 // unknown
	d := progressOf(p)
	require.Equal(t, 1000, d.AgentsTotal)
	require.Equal(t, 999, d.AgentsConnected)
	require.Len(t, d.Agents, mostAgents)
	var names []string
	for _, a := range d.Agents[:6] {
		names = append(names, a.Name[len("client-"):len("client-0000")])
	}
	require.Equal(t, []string{"0500", "0400", "0300", "0200", "0100", "0101"}, names)
	require.Equal(t, "client-0500.example.com", p.Agents[500].Name, "the agents of the state stay in their order")
	text, err := encode("x-1", "progress", d)
	require.NoError(t, err)
	require.Less(t, len(text), 16_000)
}

func TestASmallEventHasAllAgents(t *testing.T) {
	d := progressOf(fleetOf(3))
	require.Len(t, d.Agents, 3)
	require.Equal(t, 3, d.AgentsTotal)
	require.Nil(t, progressOf(&remote.Progress{Agents: []remote.AgentProgress{{Idle: -1}}}).Agents[0].Idle)
}
