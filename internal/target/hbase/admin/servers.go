package admin

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
)

// Cluster is the cluster's status as the master reports it.
type Cluster struct {
	Version      string   `json:"version"`
	ID           string   `json:"id,omitempty"`
	Master       string   `json:"master"` // HOST,PORT,STARTCODE
	MasterInfo   int      `json:"master_info_port,omitempty"`
	Backups      []string `json:"backup_masters,omitempty"`
	Servers      []Server `json:"servers"`
	Dead         []string `json:"dead_servers,omitempty"`
	InTransition int      `json:"regions_in_transition"`
	Balancer     bool     `json:"balancer"`

	moving map[string]int // regions in transition, by table
}

// Server is a region server as it last reported to the master, which it does every few seconds. Sizes are in whole MB,
// as HBase reports them.
type Server struct {
	Name        string    `json:"name"` // HOST,PORT,STARTCODE
	InfoPort    int       `json:"info_port,omitempty"`
	Regions     int       `json:"regions"`
	Stores      int       `json:"store_files"`
	StoresMB    uint64    `json:"store_files_mb"`
	MemstoreMB  uint64    `json:"memstore_mb"`
	UsedHeapMB  int       `json:"used_heap_mb"`
	MaxHeapMB   int       `json:"max_heap_mb"`
	Requests    uint64    `json:"requests"` // since its start
	Reported    time.Time `json:"reported"`
	RegionLoads []Load    `json:"-"`
}

// Host returns the server's host.
func (s Server) Host() string {
	host, _, _ := strings.Cut(s.Name, ",")
	return host
}

// Load is what a server reports about one of its regions.
type Load struct {
	Region             string
	Files              int
	FilesMB            uint64
	MemstoreMB         uint64
	Reads, Writes      uint64
	Compacting         bool
	Locality           float64
	LastMajorCompacted time.Time // zero if never
}

// Cluster reads the status of the cluster from the master.
func (c *Client) Cluster(ctx context.Context) (Cluster, error) {
	response := &hbasepb.GetClusterStatusResponse{}
	if err := c.query(ctx, "GetClusterStatus", &hbasepb.GetClusterStatusRequest{}, response); err != nil {
		return Cluster{}, fmt.Errorf("read cluster status: %w", err)
	}
	s := response.GetClusterStatus()
	c.noteRelease(s)
	c.mu.Lock()
	info := c.sites.masterInfo
	c.mu.Unlock()
	out := Cluster{
		Version: s.GetHbaseVersion().GetVersion(), ID: s.GetClusterId().GetClusterId(), Master: serverName(s.GetMaster()),
		MasterInfo:   cmp.Or(max(int(s.GetMasterInfoPort()), 0), info),
		InTransition: len(s.GetRegionsInTransition()), Balancer: s.GetBalancerOn(), moving: make(map[string]int),
	}
	for _, r := range s.GetRegionsInTransition() {
		out.moving[nameOf(r.GetRegionState().GetRegionInfo().GetTableName())]++
	}
	for _, m := range s.GetBackupMasters() {
		out.Backups = append(out.Backups, serverName(m))
	}
	for _, d := range s.GetDeadServers() {
		out.Dead = append(out.Dead, serverName(d))
	}
	for _, live := range s.GetLiveServers() {
		out.Servers = append(out.Servers, fromLoad(serverName(live.GetServer()), live.GetServerLoad()))
	}
	slices.SortFunc(out.Servers, func(a, b Server) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

func fromLoad(name string, load *hbasepb.ServerLoad) Server {
	s := Server{
		Name: name, InfoPort: int(load.GetInfoServerPort()), Regions: len(load.GetRegionLoads()),
		UsedHeapMB: int(load.GetUsedHeapMb()), MaxHeapMB: int(load.GetMaxHeapMb()),
		Requests: load.GetTotalNumberOfRequests(), Reported: time.UnixMilli(int64(load.GetReportEndTime())),
	}
	for _, r := range load.GetRegionLoads() {
		one := fromRegionLoad(r)
		s.Stores += one.Files
		s.StoresMB += one.FilesMB
		s.MemstoreMB += one.MemstoreMB
		s.RegionLoads = append(s.RegionLoads, one)
	}
	return s
}

func fromRegionLoad(r *hbasepb.RegionLoad) Load {
	l := Load{
		Region: string(r.GetRegionSpecifier().GetValue()), Files: int(r.GetStorefiles()), FilesMB: uint64(r.GetStorefileSizeMb()),
		MemstoreMB: uint64(r.GetMemStoreSizeMb()), Reads: r.GetReadRequestsCount(), Writes: r.GetWriteRequestsCount(),
		Locality: float64(r.GetDataLocality()),
		Compacting: r.GetCompactionState() != hbasepb.CompactionState_COMPACTION_STATE_NONE ||
			r.GetCurrentCompactedKvs() < r.GetTotalCompactingKvs(),
	}
	if at := r.GetLastMajorCompactionTs(); at > 0 {
		l.LastMajorCompacted = time.UnixMilli(int64(at))
	}
	return l
}

func serverName(s *hbasepb.ServerName) string {
	if s.GetHostName() == "" {
		return ""
	}
	return fmt.Sprintf("%s,%d,%d", s.GetHostName(), s.GetPort(), s.GetStartCode())
}

// loads reads the loads of a server's regions from the server itself: those of the master are some seconds old.
func (c *Client) loads(ctx context.Context, server string) ([]Load, error) {
	at, err := serverAddress(server)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, c.config.CallTimeout)
	defer cancel()
	response := &hbasepb.GetRegionLoadResponse{}
	if err := c.ask(ctx, endpoint{adminService, at}, "GetRegionLoad", &hbasepb.GetRegionLoadRequest{}, response); err != nil {
		return nil, err
	}
	loads := make([]Load, 0, len(response.GetRegionLoads()))
	for _, r := range response.GetRegionLoads() {
		loads = append(loads, fromRegionLoad(r))
	}
	return loads, nil
}
