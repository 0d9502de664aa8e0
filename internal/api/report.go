package api

import (
	"archive/zip"
	"cmp"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/benchd/benchd/internal/phrase"
	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/report/html"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/wire"
)

// pageOfReport are the rules of a browser for the page of a report: its own script and style, no network, and no access to what other pages of
// the server have, which may show it in a frame.
func pageOfReport() string {
	return "sandbox allow-scripts allow-downloads; frame-ancestors 'self'; " + html.Policy()
}

// report answers with the report of a suite or run.
func (s *Server) report(q *request) error {
	format, lang := cmp.Or(q.text("format"), "html"), cmp.Or(q.text("lang"), "en")
	text, err := s.client.Result(q.ctx, q.id())
	if err != nil {
		return err
	}
	tag := digest(text, []byte(format), []byte(lang), []byte(s.config.Version))
	if format == "html" { // also with 304, whose headers replace those that a browser has kept
		q.Header().Set(policyHeader, pageOfReport())
	}
	if ended(text) && q.fresh(tag) {
		return nil
	}
	select {
	case s.reports <- struct{}{}:
		defer func() { <-s.reports }()
	default:
		return wire.Errorf(wire.ErrLimit, "%d reports are being made, the maximum: try again when one is ready", maxReports)
	}
	run, suite, err := result.Read(text)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "benchd-report-")
	if err != nil {
		return fmt.Errorf("make a folder for the report: %w", err)
	}
	defer func() {
		if err := os.RemoveAll(dir); err != nil {
			s.config.Logger.Warn("remove the folder of a report", "error", err)
		}
	}()
	path, err := s.write(q, dir, report.Document{ID: q.id(), Text: text, Run: run, Suite: suite}, format, lang)
	if err != nil {
		return ofReport(err)
	}
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("read the report: %w", err)
	}
	defer file.Close()
	h, name, shown := q.Header(), filepath.Base(path), "attachment"
	if format == "html" && q.text("download") != "true" {
		shown = "inline"
	}
	h.Set("Content-Disposition", mime.FormatMediaType(shown, map[string]string{"filename": name}))
	h.Set("Content-Type", cmp.Or(mime.TypeByExtension(filepath.Ext(name)), "application/octet-stream"))
	if ended(text) {
		h.Set("Cache-Control", revalidated)
		h.Set("ETag", `"`+tag+`"`)
	}
	q.begun = true
	http.ServeContent(q.ResponseWriter, q.r, "", time.Time{}, file)
	return nil
}

// write makes the files of a report, and returns the path of the only one, or of a ZIP archive of several.
func (s *Server) write(q *request, dir string, d report.Document, format, lang string) (string, error) {
	translate, err := phrase.For(lang)
	if err != nil {
		return "", wire.Errorf(wire.ErrBadSpec, "lang: %v", err)
	}
	w := report.Writer{
		Files: report.NewFiles(false), Dir: dir, Source: s.client, Targets: s.config.Targets.Descriptors(), Lang: translate.Lang(), Text: translate.Text,
		Warn: func(text string) { q.Header().Add("Benchd-Warning", report.Plain(text)) },
	}
	defer w.Files.Discard()
	if err := w.Write(q.ctx, d, []string{format}); err != nil {
		return "", err
	}
	if err := w.Files.Commit(); err != nil {
		return "", err
	}
	paths := w.Files.Paths()
	switch len(paths) {
	case 0:
		return "", wire.Errorf(wire.ErrNotAllowed, "%s has nothing for the format %s: choose another", d.ID, format)
	case 1:
		return paths[0], nil
	}
	packed := filepath.Join(dir, report.SafeName(d.ID)+"-"+format+".zip")
	return packed, pack(packed, paths)
}

// pack writes files into a ZIP archive.
func pack(archive string, paths []string) (err error) {
	file, err := os.Create(archive)
	if err != nil {
		return fmt.Errorf("pack a report: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	z := zip.NewWriter(file)
	for _, path := range paths {
		if err := packOne(z, path); err != nil {
			return fmt.Errorf("pack a report: %w", err)
		}
	}
	if err := z.Close(); err != nil {
		return fmt.Errorf("pack a report: %w", err)
	}
	return nil
}

func packOne(z *zip.Writer, path string) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := z.Create(filepath.Base(path))
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return err
}

// ofReport is the error of a report: of the state of the result, where it has no data for the format.
func ofReport(err error) error {
	if errors.As(err, new(*report.NoPointsError)) || errors.As(err, new(*report.NotHeldError)) {
		return &statusError{http.StatusConflict, err.Error()}
	}
	return err
}
