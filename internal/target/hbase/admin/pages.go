package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	pageLimit  = 2 << 20         // bytes of a page that are read
	pageWithin = 5 * time.Second // for a page to come
)

// page reads an info page of a server.
func (c *Client) page(ctx context.Context, host string, port int, path string) ([]byte, error) {
	if port == 0 {
		return nil, fmt.Errorf("%s reports no port of its info pages", host)
	}
	at := net.JoinHostPort(host, itoa(port))
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.config.Scheme+"://"+at+path, nil)
	if err != nil {
		return nil, fmt.Errorf("read page of %s: %w", at, err)
	}
	response, err := c.web.Do(request)
	if err != nil {
		return nil, fmt.Errorf("read page of %s: %w", at, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("read page %s: %s", request.URL, response.Status)
	}
	page, err := io.ReadAll(io.LimitReader(response.Body, pageLimit))
	if err != nil {
		return nil, fmt.Errorf("read page %s: %w", request.URL, err)
	}
	return page, nil
}

// Queues is the background work that a region server has yet to do.
type Queues struct {
	Compactions, Flushes, Splits int
	// Requests is how many requests the server had served when it computed these figures. It caches them for some seconds:
	// if Requests has not changed although there were requests, the figures are old.
	Requests int64
}

const serverBean = "Hadoop:service=HBase,name=RegionServer,sub=Server"

// errNoFigures is the error of a page without the wanted bean.
var errNoFigures = errors.New("have no figures of a region server")

const (
	// HBase drops its beans for half a second when a region is opened or closed.
	queuesTries = 3
	queuesEvery = 400 * time.Millisecond
)

// Queues reads a region server's queues from its info pages. Several servers in one process share one page, which names the
// server that it shows; for the others Queues returns an error.
func (c *Client) Queues(ctx context.Context, s Server) (Queues, error) {
	for tries := 1; ; tries++ {
		queues, err := c.queues(ctx, s)
		if !errors.Is(err, errNoFigures) || tries == queuesTries {
			return queues, err
		}
		if late := wait(ctx, queuesEvery); late != nil {
			return Queues{}, fmt.Errorf("%w (%w)", err, late)
		}
	}
}

func (c *Client) queues(ctx context.Context, s Server) (Queues, error) {
	var beans struct {
		Beans []struct {
			Server      string  `json:"tag.serverName"`
			Compactions *figure `json:"compactionQueueLength"`
			Flushes     *figure `json:"flushQueueLength"`
			Splits      figure  `json:"splitQueueLength"`
			Requests    figure  `json:"totalRequestCount"`
		} `json:"beans"`
	}
	page, err := c.page(ctx, s.Host(), s.InfoPort, "/jmx?qry="+serverBean)
	if err != nil {
		return Queues{}, err
	}
	if err := json.Unmarshal(page, &beans); err != nil {
		return Queues{}, fmt.Errorf("read the beans of %s: %w", s.Name, err)
	}
	for _, b := range beans.Beans {
		if b.Compactions == nil || b.Flushes == nil {
			continue
		}
		if b.Server != "" && b.Server != s.Name {
			return Queues{}, fmt.Errorf("the pages of %s show the figures of %s, which is in the same process", s.Name, b.Server)
		}
		return Queues{Compactions: int(*b.Compactions), Flushes: int(*b.Flushes), Splits: int(b.Splits), Requests: int64(b.Requests)}, nil
	}
	return Queues{}, fmt.Errorf("the pages of %s %w", s.Name, errNoFigures)
}

// figure is a number of a bean. HBase 1 writes numbers as strings.
type figure int64

// UnmarshalJSON reads a number, or a string with one.
func (f *figure) UnmarshalJSON(text []byte) error {
	n, err := strconv.ParseInt(strings.Trim(string(text), `"`), 10, 64)
	*f = figure(n)
	return err //nolint:wrapcheck // json names the field
}

// settings reads the settings of a server that matter to a benchmark, by name.
func (c *Client) settings(ctx context.Context, host string, port int) (map[string]string, error) {
	page, err := c.page(ctx, host, port, "/conf?format=json")
	if err != nil {
		// HBase 1 has a library for JSON only in some distributions.
		if page, err = c.page(ctx, host, port, "/conf?format=xml"); err != nil {
			return nil, err
		}
	}
	all, err := Settings(page)
	if err != nil {
		return nil, fmt.Errorf("read the settings of %s: %w", host, err)
	}
	out := make(map[string]string)
	for _, name := range relevantSettings() {
		if value, ok := all[name]; ok {
			out[name] = value
		}
	}
	return out, nil
}

// Settings decodes a server's page of settings, which is JSON or XML.
func Settings(page []byte) (map[string]string, error) {
	var conf struct {
		Properties []struct {
			Key   string `json:"key"   xml:"name"`
			Value string `json:"value" xml:"value"`
		} `json:"properties" xml:"property"`
	}
	decode := json.Unmarshal
	if bytes.HasPrefix(bytes.TrimSpace(page), []byte("<")) {
		decode = xml.Unmarshal
	}
	if err := decode(page, &conf); err != nil {
		return nil, fmt.Errorf("decode settings: %w", err)
	}
	out := make(map[string]string, len(conf.Properties))
	for _, p := range conf.Properties {
		out[p.Key] = strings.TrimSpace(p.Value)
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
		"hbase.wal.hsync",
		"dfs.replication",
		"hbase.regionserver.regionSplitLimit",
		"hbase.ipc.server.callqueue.handler.factor",
		"hbase.ipc.server.callqueue.read.ratio",
		"hbase.rootdir",
		"benchd.sandbox.service.time",
		"benchd.sandbox.detection",
	}
}
