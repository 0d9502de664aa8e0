package hbase

import (
	"crypto/md5" //nolint:gosec // HBase names regions so; nothing is protected by it
	"encoding/hex"
	"fmt"
	"strings"
	"time"
)

// replicas returns the open replicas of a region.
func (c *regionCache) replicas(p Place) []*region {
	var open []*region
	for i, addr := range p.Replicas {
		if addr == "" {
			continue
		}
		name := replicaName(p.Name, i+1)
		open = append(open, &region{
			start: p.Start, stop: p.Stop, name: name, field: regionField([]byte(name)), server: c.server(addr), replica: true,
		})
	}
	return open
}

// replicaName returns the name of a region's replica. A region is TABLE,START,ID.HASH. and its replica TABLE,START,ID_000N.HASH. with
// the MD5 hash of what is before it.
func replicaName(name string, id int) string {
	prefix := strings.TrimSuffix(name, ".")
	prefix = fmt.Sprintf("%s_%04X", prefix[:max(0, strings.LastIndexByte(prefix, '.'))], id)
	hash := md5.Sum([]byte(prefix)) //nolint:gosec // as above
	return prefix + "." + hex.EncodeToString(hash[:]) + "."
}

// refreshEvery is the shortest time between two look-ups of a region for the sake of its replicas.
const refreshEvery = time.Second

// refresh looks up the region of a key, because a replica of it has failed. It does not wait.
func (c *regionCache) refresh(key []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.cover(key)
	if known == nil || c.looks[known] != nil || time.Since(known.looked) < refreshEvery || c.ctx.Err() != nil {
		return
	}
	c.launch(known, key, 0)
}
