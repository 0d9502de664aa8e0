package admin

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

const (
	pageLimit  = 2 << 20         // bytes of a page that are read
	pageWithin = 5 * time.Second // for a page to come
)

// page reads an info page of a server and decodes it as JSON.
func (c *Client) page(ctx context.Context, host string, port int, path string, into any) error {
	if port == 0 {
		return fmt.Errorf("%s reports no port of its info pages", host)
	}
	at := net.JoinHostPort(host, itoa(port))
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.config.Scheme+"://"+at+path, nil)
	if err != nil {
		return fmt.Errorf("read page of %s: %w", at, err)
	}
	response, err := c.web.Do(request)
	if err != nil {
		return fmt.Errorf("read page of %s: %w", at, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("read page %s: %s", request.URL, response.Status)
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, pageLimit)).Decode(into); err != nil {
		return fmt.Errorf("read page %s: %w", request.URL, err)
	}
	return nil
}

// Queues is the background work that a region server has yet to do.
type Queues struct {
	Compactions, Flushes, Splits int
	// Requests is how many requests the server had served when it computed these figures. It caches them for some seconds:
	// if Requests has not changed although there were requests, the figures are old.
	Requests int64
}

const serverBean = "Hadoop:service=HBase,name=RegionServer,sub=Server"

// Queues reads a region server's queues from its info pages. Several servers in one process share one page, which names the
// server that it shows; for the others Queues returns an error.
func (c *Client) Queues(ctx context.Context, s Server) (Queues, error) {
	var beans struct {
		Beans []struct {
			Server      string `json:"tag.serverName"`
			Compactions *int   `json:"compactionQueueLength"`
			Flushes     *int   `json:"flushQueueLength"`
			Splits      int    `json:"splitQueueLength"`
			Requests    int64  `json:"totalRequestCount"`
		} `json:"beans"`
	}
	if err := c.page(ctx, s.Host(), s.InfoPort, "/jmx?qry="+serverBean, &beans); err != nil {
		return Queues{}, err
	}
	for _, b := range beans.Beans {
		if b.Compactions == nil || b.Flushes == nil {
			continue
		}
		if b.Server != "" && b.Server != s.Name {
			return Queues{}, fmt.Errorf("the pages of %s show the figures of %s, which is in the same process", s.Name, b.Server)
		}
		return Queues{Compactions: *b.Compactions, Flushes: *b.Flushes, Splits: b.Splits, Requests: b.Requests}, nil
	}
	return Queues{}, fmt.Errorf("the pages of %s have no figures of a region server", s.Name)
}

// settings reads the settings of a server that matter to a benchmark, by name.
func (c *Client) settings(ctx context.Context, host string, port int) (map[string]string, error) {
	var conf struct {
		Properties []struct{ Key, Value string }
	}
	if err := c.page(ctx, host, port, "/conf?format=json", &conf); err != nil {
		return nil, err
	}
	out := make(map[string]string)
	for _, p := range conf.Properties {
		for _, name := range relevantSettings() {
			if p.Key == name {
				out[p.Key] = strings.TrimSpace(p.Value)
			}
		}
	}
	return out, nil
}

// relevantSettings lists the settings that decide what a benchmark measures.
func relevantSettings() []string {
	return []string{
		"hbase.regionserver.handler.count",
		"hfile.block.cache.size",
		"hbase.bucketcache.ioengine",
		"hbase.bucketcache.size",
		"hbase.regionserver.global.memstore.size",
		"hbase.hregion.memstore.flush.size",
		"hbase.hregion.memstore.block.multiplier",
		"hbase.hregion.max.filesize",
		"hbase.hstore.compactionThreshold",
		"hbase.hstore.blockingStoreFiles",
		"hbase.regionserver.thread.compaction.small",
		"hbase.regionserver.thread.compaction.large",
		"hbase.hregion.majorcompaction",
		"hbase.wal.provider",
		"hbase.regionserver.regionSplitLimit",
		"hbase.ipc.server.callqueue.handler.factor",
		"hbase.ipc.server.callqueue.read.ratio",
		"hbase.rootdir",
		"benchd.sandbox.service.time",
		"benchd.sandbox.detection",
	}
}
