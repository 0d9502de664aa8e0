package observe

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
)

// maxPage is how many bytes of a page are read.
const maxPage = 8 << 20

// ReadPage reads a page into a buffer that the caller reuses.
func ReadPage(ctx context.Context, client *http.Client, url string, into *bytes.Buffer) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return fmt.Errorf("read %s: %w", url, err)
	}
	response, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("read page: %w", err) // err names the address
	}
	defer response.Body.Close()
	into.Reset()
	_, err = into.ReadFrom(io.LimitReader(response.Body, maxPage+1))
	switch {
	case response.StatusCode != http.StatusOK:
		return fmt.Errorf("read %s: unexpected status %d %s", url, response.StatusCode, http.StatusText(response.StatusCode)) // not the server's text, which may repeat the request
	case err != nil:
		return fmt.Errorf("read %s: %w", url, err)
	case into.Len() > maxPage:
		*into = bytes.Buffer{} // it is not needed again
		return fmt.Errorf("read %s: the page exceeds %d MiB", url, maxPage>>20)
	}
	return nil
}

// number parses a finite number.
func number(value []byte) (float64, bool) {
	f, err := strconv.ParseFloat(string(value), 64)
	return f, err == nil && f < 1e300 && f > -1e300 // false for NaN, too
}
