package coordinator

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/benchd/benchd/internal/coordinator/roster"
)

// scrapeGroup is an entry of Prometheus's HTTP service discovery.
type scrapeGroup struct {
	Targets []string          `json:"targets"`
	Labels  map[string]string `json:"labels"`
}

// metaPrefix is the prefix of an agent's labels during relabelling; Prometheus drops them afterwards.
const metaPrefix = "__meta_benchd_label_"

// Discovery serves the metrics addresses of the connected agents to Prometheus (http_sd_configs). Every series of an
// agent has its name as the label "agent"; the agent's own labels are available to relabelling. Prometheus uses HTTPS for agents that
// serve TLS.
func (c *Coordinator) Discovery() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		groups := []scrapeGroup{}
		for _, m := range c.roster.All() {
			info := m.Info(c.clock)
			if !info.GetConnected() || info.GetMetricsAddress() == "" {
				continue
			}
			labels := map[string]string{"agent": info.GetName()}
			for name, value := range info.GetLabels() {
				labels[metaPrefix+labelName(name)] = value
			}
			address, secured := strings.CutPrefix(info.GetMetricsAddress(), roster.TLSScheme)
			if secured {
				labels["__scheme__"] = "https"
			}
			groups = append(groups, scrapeGroup{Targets: []string{address}, Labels: labels})
		}
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(groups); err != nil {
			c.log.Debug("answer service discovery", "error", err)
		}
	})
}

// labelName converts the name of an agent's label to a valid Prometheus label name.
func labelName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_':
			return r
		}
		return '_'
	}, name)
}
