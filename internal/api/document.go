package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/benchd/benchd/internal/result"
)

const (
	jsonMedia   = "application/json"
	revalidated = "private, no-cache" // a client keeps the document, and asks whether it is still the same
)

// document answers with a document as JSON.
func (q *request) document(of any) error {
	text, err := json.Marshal(of)
	if err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	q.Header().Set("Content-Type", jsonMedia)
	if q.route.Status != 0 {
		q.WriteHeader(q.route.Status)
	}
	q.begun = true
	_, err = q.Write(append(text, '\n'))
	return err
}

// sealed answers with the JSON of what has ended, under an entity tag: a client that has it already gets 304.
func (q *request) sealed(tag string, text []byte) {
	h := q.Header()
	h.Set("Content-Type", jsonMedia)
	h.Set("Cache-Control", revalidated)
	h.Set("ETag", `"`+tag+`"`)
	q.begun = true
	http.ServeContent(q.ResponseWriter, q.r, "", time.Time{}, bytes.NewReader(text))
}

// result answers with the JSON of a result.
func (q *request) result(text []byte) error {
	if !ended(text) {
		q.Header().Set("Content-Type", jsonMedia)
		q.begun = true
		_, err := q.Write(text)
		return err
	}
	q.sealed(digest(text), text)
	return nil
}

// digest is a tag of some texts.
func digest(texts ...[]byte) string {
	sum := sha256.New()
	for _, text := range texts {
		_, _ = fmt.Fprintf(sum, "%d ", len(text))
		_, _ = sum.Write(text)
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// ended reports whether the JSON of a result is that of a suite or run that has ended.
func ended(text []byte) bool {
	var head struct {
		Status result.Status `json:"status"`
	}
	return json.Unmarshal(text, &head) == nil && head.Status.Ended()
}

// fresh reports whether the client has the document of a tag, and answers then.
func (q *request) fresh(tag string) bool {
	if q.r.Header.Get("If-None-Match") != `"`+tag+`"` {
		return false
	}
	q.Header().Set("ETag", `"`+tag+`"`)
	q.Header().Set("Cache-Control", revalidated)
	q.begun = true
	q.WriteHeader(http.StatusNotModified)
	return true
}
