package watch

import (
	"bytes"
	"context"
	"net/http"
	"strconv"

	"github.com/benchd/benchd/internal/observe"
	"github.com/benchd/benchd/internal/target/hbase/admin"
)

// handlers is the number of a server's general handlers, from its settings. A server keeps them as long as it lives, so the
// large page is read once.
type handlers struct {
	number float64 // 0: unknown
	tried  int
}

// handlersSetting is the setting with their number, and maxHandlersTries how often a server's settings are requested.
const (
	handlersSetting  = "hbase.regionserver.handler.count"
	maxHandlersTries = 3
	maxSettings      = 2 << 20 // bytes of the page; small items take more memory than text
)

// lacksHandlers reports whether the settings of a server should be read.
func (w *watched) lacksHandlers() bool {
	return !w.master && w.base != "" && w.handlers.number == 0 && w.handlers.tried < maxHandlersTries
}

// read reads the settings of a server. Without them the figure is missing.
func (h *handlers) read(ctx context.Context, web *http.Client, base string) {
	h.tried++
	ctx, cancel := context.WithTimeout(ctx, beanWithin)
	defer cancel()
	var page bytes.Buffer
	if err := observe.ReadPage(ctx, web, base+"/conf?format=json", &page); err != nil {
		// HBase 1 has a library for JSON only in some distributions.
		if observe.ReadPage(ctx, web, base+"/conf?format=xml", &page) != nil {
			return
		}
	}
	h.tried = maxHandlersTries // another page would be the same
	if page.Len() > maxSettings {
		return
	}
	settings, err := admin.Settings(page.Bytes())
	if err != nil {
		return
	}
	if n, err := strconv.Atoi(settings[handlersSetting]); err == nil && n > 0 {
		h.number = float64(n)
	}
}
