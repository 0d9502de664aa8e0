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
	pageLimit  = 16 << 20        // bytes of a page that are read
	pageWithin = 5 * time.Second // for a page to come
)

// page reads a page of a server's, and decodes it as JSON.
func (c *Client) page(ctx context.Context, host string, port int, path string, into any) error {
	if port == 0 {
		return fmt.Errorf("%s does not tell the port of its pages", host)
	}
	at := net.JoinHostPort(host, itoa(port))
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+at+path, nil)
	if err != nil {
		return fmt.Errorf("read page of %s: %w", at, err)
	}
	response, err := c.web.Do(request)
	if err != nil {
		return fmt.Errorf("read page of %s: %w", at, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("read page http://%s%s: %s", at, path, response.Status)
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, pageLimit)).Decode(into); err != nil {
		return fmt.Errorf("read page http://%s%s: %w", at, path, err)
	}
	return nil
}

// Queues is how much a region server has still to do in the background.
type Queues struct {
	Compactions, Flushes, Splits int
	// Requests is how many the server had served when these figures were true. They are kept for some seconds: where
	// this has not changed though there were requests, they are old.
	Requests int64
}

const serverBean = "Hadoop:service=HBase,name=RegionServer,sub=Server"

// Queues reads a region server's queues from its pages. Several servers in one process share these figures; then they
// are of the one that they name, and of the others the error says that nothing is known.
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

// settings reads a server's settings that matter to a benchmark, by their names.
func (c *Client) settings(ctx context.Context, host string, port int) (map[string]string, error) {
	var conf struct {
		Properties []struct{ Key, Value string }
	}
	if err := c.page(ctx, host, port, "/conf?format=json", &conf); err != nil {
		return nil, err
	}
	out := make(map[string]string)
	for _, p := range conf.Properties {
		for _, name := range telling() {
			if p.Key == name {
				out[p.Key] = strings.TrimSpace(p.Value)
			}
		}
	}
	return out, nil
}

// telling are the settings that decide what a benchmark measures.
func telling() []string {
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
