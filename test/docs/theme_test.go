package docs_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the pictures")

const images = "../../docs/images"

// theme has the colours of a picture. They are those of GitHub's pages, so that a picture looks like a part of its page.
type theme struct {
	name                                     string
	page, bar, border, text, dim, blue, good string
}

func themes() []theme {
	return []theme{
		{"light", "#ffffff", "#f6f8fa", "#d0d7de", "#1f2328", "#59636e", "#0969da", "#1a7f37"},
		{"dark", "#0d1117", "#151b23", "#3d444d", "#e6edf3", "#9198a1", "#4493f8", "#3fb950"},
	}
}

// picture is an SVG document under construction.
type picture struct {
	theme
	body strings.Builder
}

func (p *picture) add(format string, args ...any) { fmt.Fprintf(&p.body, format+"\n", args...) }

// document returns the picture with its frame. The title is what a screen reader reads.
func (p *picture) document(width, height float64, font, title string) string {
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%g" height="%g" viewBox="0 0 %g %g" role="img" font-family="%s">`+"\n<title>%s</title>\n%s</svg>\n",
		width, height, width, height, escape(font), escape(title), p.body.String())
}

func escape(text string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(text)) // a buffer takes everything
	return b.String()
}

// drawn requires that a file in docs/images is the given picture, and that a browser can read it. With -update it writes the file.
func drawn(t *testing.T, file, svg string) {
	t.Helper()
	decoder := xml.NewDecoder(strings.NewReader(svg))
	for {
		_, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err, file)
	}
	path := filepath.Join(images, file)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(svg), 0o644))
		return
	}
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, svg, string(content), "%s is out of date: go test ./test/docs -update writes it", file)
}
