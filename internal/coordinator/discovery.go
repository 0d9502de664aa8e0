package coordinator

import (
	"encoding/json"
	"net/http"
	"time"
)

// scrapeGroup is an entry of Prometheus's HTTP service discovery.
type scrapeGroup struct {
	Targets []string          `json:"targets"`
	Labels  map[string]string `json:"labels"`
}

// Discovery tells Prometheus where the connected agents serve their metrics (http_sd_configs).
func (c *Coordinator) Discovery() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		groups := []scrapeGroup{}
		for _, m := range c.roster.all(time.Now()) {
			if info := m.info(c.clock.Now()); info.GetConnected() && info.GetMetricsAddress() != "" {
				groups = append(groups, scrapeGroup{
					Targets: []string{info.GetMetricsAddress()}, Labels: map[string]string{"agent": info.GetName()},
				})
			}
		}
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(groups); err != nil {
			c.log.Debug("answer service discovery", "error", err)
		}
	})
}
