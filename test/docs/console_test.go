package docs_test

import (
	"bytes"
	"cmp"
	"flag"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

var fromBrowser = flag.String("console", "", "make the pictures of the console from those that the tests in a browser have left in this folder")

// Bounds of a picture of the console.
const (
	consoleWidth  = 1280
	consoleHeight = 1100
	consoleBytes  = 150_000
)

// consolePictures has the pictures of a page by the first part of its address.
func consolePictures() map[string][]string {
	return map[string][]string{
		"": {"overview"}, "agents": {"agents"}, "suites": {"archive", "suite"}, "runs": {"run"}, "compare": {"compare"}, "trend": {"trend"}, "schedules": {"schedules"}, "new": {"new"},
	}
}

// The page about the console has a picture of each page, wide and light, that is not too large for a repository.
func TestConsoleHasAPictureOfEachPage(t *testing.T) {
	app, err := os.ReadFile(filepath.Join("..", "..", "web", "console", "app.tsx"))
	require.NoError(t, err)
	pages := map[string]bool{"": true}
	for _, found := range regexp.MustCompile(`(?m)^\s+case "(\w+)":`).FindAllStringSubmatch(string(app), -1) {
		pages[found[1]] = true
	}
	require.Greater(t, len(pages), 5, "app.tsx has the pages")
	pictures := consolePictures()
	for page := range pages {
		require.NotEmpty(t, pictures[page], "page %q has no picture", page)
	}
	for page, of := range pictures {
		require.True(t, pages[page], "there is no page %q", page)
		for _, name := range of {
			file := filepath.Join(images, "console-"+name+".png")
			if *fromBrowser != "" {
				crop(t, filepath.Join(*fromBrowser, "docs-"+name+".png"), file)
			}
			content, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Less(t, len(content), consoleBytes, "%s is too large", file)
			picture, err := png.Decode(bytes.NewReader(content))
			require.NoError(t, err, file)
			size := picture.Bounds().Size()
			require.Equal(t, consoleWidth, size.X, file)
			require.LessOrEqual(t, size.Y, consoleHeight, file)
			r, g, b, _ := picture.At(2, size.Y-2).RGBA()
			require.Greater(t, r+g+b, uint32(3*0xe000), "%s is not light", file)
			for _, page := range []string{"docs/console.md", "docs/zh/console.md"} {
				text, err := os.ReadFile(filepath.Join("..", "..", page))
				require.NoError(t, err)
				require.Contains(t, string(text), "images/console-"+name+".png)", page)
			}
		}
	}
}

// crop writes the upper part of a picture to a file, in as many colours as a byte has.
func crop(t *testing.T, from, to string) {
	t.Helper()
	content, err := os.ReadFile(from)
	require.NoError(t, err, "make console-pictures takes the pictures first")
	whole, err := png.Decode(bytes.NewReader(content))
	require.NoError(t, err, from)
	part := image.NewNRGBA(image.Rect(0, 0, whole.Bounds().Dx(), min(whole.Bounds().Dy(), consoleHeight)))
	draw.Draw(part, part.Bounds(), whole, whole.Bounds().Min, draw.Src)
	few := image.NewPaletted(part.Bounds(), frequent(part))
	draw.Draw(few, few.Bounds(), part, image.Point{}, draw.Src)
	var out bytes.Buffer
	require.NoError(t, (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, few))
	require.NoError(t, os.WriteFile(to, out.Bytes(), 0o644))
}

// frequent returns the most frequent colours of a picture: the others are edges of letters.
func frequent(of *image.NRGBA) color.Palette {
	counts := make(map[color.NRGBA]int)
	for i := 0; i < len(of.Pix); i += 4 {
		counts[color.NRGBA{of.Pix[i], of.Pix[i+1], of.Pix[i+2], 0xff}]++
	}
	all := slices.SortedFunc(maps.Keys(counts), func(a, b color.NRGBA) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	})
	var palette color.Palette
	for _, c := range all[:min(len(all), 256)] {
		palette = append(palette, c)
	}
	return palette
}
