package jmx

import (
	"strings"
	"time"
)

// masterBeans returns the beans of the master.
func masterBeans(m *Master, now time.Time) []*bean {
	server := hbaseBean("Master", "Server", m.Host)
	server.set("tag.liveRegionServers", strings.Join(m.Live, ";"))
	server.set("tag.deadRegionServers", strings.Join(m.Dead, ";"))
	server.set("tag.zookeeperQuorum", m.Quorum)
	server.set("tag.serverName", m.Name)
	server.set("tag.clusterId", m.ClusterID)
	server.set("tag.isActiveMaster", "true")
	load := 0.0
	if len(m.Live) > 0 {
		load = float64(m.Regions) / float64(len(m.Live))
	}
	server.set("averageLoad", load)
	server.counters(
		counter{"masterStartTime", m.Started.UnixMilli()},
		counter{"masterActiveTime", m.Started.UnixMilli()},
		counter{"numRegionServers", int64(len(m.Live))},
		counter{"numDeadRegionServers", int64(len(m.Dead))},
		counter{"clusterRequests", m.Requests},
	)
	assignment := hbaseBean("Master", "AssignmentManager", m.Host)
	assignment.counters(
		counter{"ritCount", int64(m.InTransition)},
		counter{"ritOldestAge", m.OldestInMotion.Milliseconds()},
	)
	return []*bean{server, assignment, ipcBean("Master", m.Meter, m.Host, now)}
}
