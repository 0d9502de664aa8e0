package hbasespec

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/property"
)

// The properties of the registry, by which a client finds the servers of a cluster. They have the names of HBase's own configuration.
const (
	registryKey   = "hbase.client.registry.impl"
	bootstrapKey  = "hbase.client.bootstrap.servers"
	mastersKey    = "hbase.masters"
	masterPortKey = "hbase.master.port"
	replicasKey   = "hbase.locator.meta.replicas.mode"
	hedgedKey     = "hbase.meta.replicas.use"
)

// The values of hbase.client.registry.impl: HBase's classes, without their package.
const (
	RegistryZooKeeper = "ZKConnectionRegistry"
	RegistryRPC       = "RpcConnectionRegistry"
	RegistryMasters   = "MasterRegistry"
)

// Registry is where a client asks for the master and for hbase:meta, if not in ZooKeeper.
type Registry struct {
	Class    string   // RegistryZooKeeper, RegistryRPC or RegistryMasters
	Servers  []string // HOST:PORT of the servers that are asked; empty with RegistryZooKeeper
	Property string   // that lists them
	Hedged   bool     // look-ups read replicas of hbase:meta while its server does not serve it
}

func registries() []string { return []string{RegistryZooKeeper, RegistryRPC, RegistryMasters} }

// checkClass accepts the name of a registry's class, with its package or without. Older versions of HBase have other names of the one in
// ZooKeeper.
func checkClass(value string) (string, error) {
	name := strings.TrimPrefix(strings.TrimSpace(value), "org.apache.hadoop.hbase.client.")
	if slices.Contains([]string{"ZKAsyncRegistry", "ZooKeeperRegistry"}, name) {
		return RegistryZooKeeper, nil
	}
	if slices.Contains(registries(), name) {
		return name, nil
	}
	return "", fmt.Errorf("unknown registry class %s: want %s of HBase's client, or %s for ZooKeeper",
		property.Quote(value), strings.Join(registries()[1:], " or "), RegistryZooKeeper)
}

// checkBootstrap accepts servers with their ports.
func checkBootstrap(value string) (string, error) {
	list, err := checkServers(value, "HBase server")
	if err != nil {
		return "", err
	}
	for server := range strings.SplitSeq(list, ",") {
		if _, _, err := net.SplitHostPort(server); err != nil && list != "" {
			return "", fmt.Errorf("invalid HBase server %s: want host:port, such as %s:16020 for a region server, or port 16000 for a master", property.Quote(server), server)
		}
	}
	return list, nil
}

// checkMasters accepts masters with or without their ports.
func checkMasters(value string) (string, error) { return checkServers(value, "HBase master") }

// mostServers bounds the servers of a registry.
const mostServers = 100

// checkServers accepts a list of host[:port], which may be empty.
func checkServers(value, what string) (string, error) {
	if strings.TrimSpace(value) == "" {
		return "", nil
	}
	list, err := checkAddresses(value, what)
	if err == nil && strings.Count(list, ",") >= mostServers {
		return "", errors.New("has more than 100 servers; a few that are always there will do: a client asks them for others")
	}
	return list, err
}

// The values of hbase.locator.meta.replicas.mode.
const (
	replicasNone   = "None"
	replicasHedged = "HedgedRead"
)

// checkReplicas accepts the modes of replicas that benchd has.
func checkReplicas(value string) (string, error) {
	value = strings.TrimSpace(value)
	if strings.EqualFold(value, "LoadBalance") {
		return "", fmt.Errorf("%s, which spreads look-ups over the replicas of hbase:meta, is not supported: want %s, which reads them while the server of hbase:meta does not serve it, or %s",
			property.Quote(value), replicasHedged, replicasNone)
	}
	return checkList(value, []string{replicasNone, replicasHedged})
}

// registryOf returns the settings of the registry.
func registryOf(v property.Values) Registry {
	r := Registry{Class: v.Text(registryKey), Hedged: v.Text(replicasKey) == replicasHedged || v.Bool(hedgedKey)}
	switch {
	case r.Class == RegistryZooKeeper:
		return r
	case r.Class == RegistryRPC && v.Text(bootstrapKey) != "":
		r.Property = bootstrapKey
	default:
		r.Property = mastersKey
	}
	if list := v.Text(r.Property); list != "" {
		r.Servers = addresses(list, v.Text(masterPortKey))
	}
	return r
}

// checkRegistry reports a registry that is not asked, or that lacks its servers.
func checkRegistry(c descriptor.Case) {
	if !c.Sound(registryKey, bootstrapKey, mastersKey) {
		return
	}
	class, bootstrap, masters := c.Value(registryKey), c.Value(bootstrapKey), c.Value(mastersKey)
	switch {
	case class == RegistryRPC && bootstrap == "" && masters == "":
		c.Fail(registryKey, "%s needs %s=HOST:PORT,… of some region servers or masters, or %s; take them from hbase-site.xml of the cluster's clients (--hbase-conf)", class, bootstrapKey, mastersKey)
	case class == RegistryMasters && masters == "":
		c.Fail(registryKey, "%s needs %s=HOST[:PORT],… of the masters; take them from hbase-site.xml of the cluster's clients (--hbase-conf)", class, mastersKey)
	}
	checkHedged(c)
	if bootstrap != "" && class != RegistryRPC {
		c.Warn(bootstrapKey, "has no effect without %s=%s", registryKey, RegistryRPC)
	}
	if masters != "" && class == RegistryZooKeeper {
		c.Warn(mastersKey, "has no effect without %s=%s or %s", registryKey, RegistryRPC, RegistryMasters)
	}
}

// checkHedged reports settings of the replicas that contradict each other: as in HBase's client, the newer one does not revoke the older.
func checkHedged(c descriptor.Case) {
	if c.Sound(replicasKey, hedgedKey) && c.Value(hedgedKey) == "true" && c.Changed(replicasKey) {
		c.Warn(hedgedKey, "has no effect beside %s=%s, which is its newer name", replicasKey, c.Value(replicasKey))
	}
}

// Masters reports whether only masters are asked.
func (r Registry) Masters() bool { return r.Property == mastersKey }

// Where names the cluster, as the settings have it.
func (s Settings) Where() string {
	if s.Registry.Class != RegistryZooKeeper {
		return s.Registry.Property + "=" + strings.Join(s.Registry.Servers, ",")
	}
	return strings.Join(s.Quorum, ",") + s.Znode
}

// Facts are the facts of a registry other than ZooKeeper.
func (r Registry) Facts() map[string]string {
	if r.Class == RegistryZooKeeper {
		return nil
	}
	return map[string]string{registryKey: r.Class}
}
