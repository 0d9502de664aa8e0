package suggest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/suggest"
)

func TestNearestFindsTheIntendedWord(t *testing.T) {
	names := []string{"json", "listen", "table", "wait-agents", "o"}
	for word, want := range map[string]string{
		"jsno": "json", "jso": "json", "lsten": "listen", "tabel": "table", "wait-agent": "wait-agents",
		"wait_agents": "wait-agents", "JSON": "json", "": "", "xyz": "", "p": "",
	} {
		require.Equal(t, want, suggest.Nearest(word, names), word)
	}
}

func TestCloseIgnoresDifferentWords(t *testing.T) {
	names := []string{"read_p99_us", "throughput_ops"}
	for word, want := range map[string]string{"raed_p99_us": "read_p99_us", "read_p98_us": "read_p99_us", "throughput": "", "read_avg_us": ""} {
		require.Equal(t, want, suggest.Close(word, names), word)
	}
}
