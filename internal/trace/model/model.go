// Package model describes a trace as a workload that can be generated:
//
//  1. Of reads a trace and counts its kinds of operation, keys and sizes;
//  2. a Model has the mix, the popularity of keys, the sizes of values and scans, and the rate over time;
//  3. Properties and Files are the settings of a run that generates such a workload, perhaps with more keys or at a higher rate.
package model

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/keyspace"
	"github.com/benchd/benchd/internal/trace"
	"github.com/benchd/benchd/internal/workload"
)

// exactKeys is the number of keys whose popularity a model has one by one. The others are joined in groups, each a tenth larger than the
// one before.
const exactKeys = 1000

// mostBlocks is the number of blocks of a histogram of sizes.
const mostBlocks = 20_000

// mostPieces is the number of pieces of a rate.
const mostPieces = 60

// Model is a workload.
type Model struct {
	Card       trace.Card
	Popularity keyspace.Popularity
	Sizes      []int // of values that are written, ascending
	Scans      []int // lengths of scans, ascending
}

// Of reads a trace. It keeps 16 bytes of each distinct key, and eight bytes for each write, in memory.
func Of(file *trace.File) (Model, error) {
	m := Model{Card: file.Card}
	counts := make(map[uint64]int64)
	err := file.Each(func(e trace.Entry) error {
		if e.Kind == workload.Scan && e.Rows > 0 {
			m.Scans = append(m.Scans, e.Rows)
		}
		switch e.Kind {
		case workload.Insert:
		default:
			counts[trace.Hash(e.Key)]++
		}
		if e.Size > 0 && writes(e.Kind) {
			m.Sizes = append(m.Sizes, e.Size)
		}
		return nil
	})
	slices.Sort(m.Sizes)
	slices.Sort(m.Scans)
	m.Popularity = popularity(slices.Collect(maps.Values(counts)))
	return m, err
}

func writes(k workload.Kind) bool {
	switch k {
	case workload.Update, workload.Insert, workload.ReadModifyWrite, workload.CheckAndPut, workload.Append:
		return true
	default:
		return false
	}
}

// popularity joins the counts of keys to a histogram.
func popularity(counts []int64) keyspace.Popularity {
	slices.SortFunc(counts, func(a, b int64) int { return cmp.Compare(b, a) })
	var p keyspace.Popularity
	for i := 0; i < len(counts); {
		n := 1
		if i >= exactKeys {
			n = min(i/10, len(counts)-i)
		}
		part := keyspace.PopularRows{Rows: int64(n)}
		for _, c := range counts[i : i+n] {
			part.Requests += c
		}
		p, i = append(p, part), i+n
	}
	return p
}

// Scale is how a workload differs from its trace.
type Scale struct {
	Rate float64 // factor of the rate
	Rows float64 // factor of the number of rows
}

// File is a file of a model.
type File struct{ Name, Text string }

// The files of a model.
const (
	PropertiesFile = "model.properties"
	requestsFile   = "requests.hist"
	sizesFile      = "sizes.hist"
)

// Files returns the files of the model, whose properties name the others below dir.
func (m Model) Files(dir string, scale Scale) []File {
	var b strings.Builder
	set := func(name string, value any) { fmt.Fprintf(&b, "%s=%v\n", name, value) }
	fmt.Fprintf(&b, "# A model of %d operations on %d keys in %v, made by benchctl trace.\n", m.Card.Ops, m.Card.Keys, m.Card.Length)
	for _, share := range (&workload.Proportions{}).Shares() {
		set(share.Property, m.Card.Share(share.Kind.String()))
	}
	files := []File{{}}
	rows := max(m.Popularity.Rows(), 1)
	set("recordcount", int64(float64(rows)*scale.Rows))
	if len(m.Popularity) > 0 {
		set("requestdistribution", workload.Histogram)
		set("requesthistogram", dir+"/"+requestsFile)
		var text strings.Builder
		for _, part := range m.Popularity {
			fmt.Fprintf(&text, "%d\t%d\n", part.Rows, part.Requests)
		}
		files = append(files, File{requestsFile, text.String()})
	}
	if len(m.Sizes) > 0 {
		set("fieldcount", 1)
		set("fieldlengthdistribution", workload.Histogram)
		set("fieldlengthhistogram", dir+"/"+sizesFile)
		files = append(files, File{sizesFile, sizes(m.Sizes)})
	}
	if n := len(m.Scans); n > 0 {
		set("minscanlength", m.Scans[0])
		set("maxscanlength", m.Scans[n-1])
	}
	set("operationcount", 0)
	length := time.Duration(float64(m.Card.Length)).Round(time.Millisecond)
	set("duration", max(length, time.Second))
	set("arrival", "poisson")
	set("rate", m.rate(scale.Rate))
	files[0] = File{PropertiesFile, b.String()}
	return files
}

// sizes returns YCSB's histogram of lengths. Its last bucket counts as the one before it, so that an empty one follows.
func sizes(sorted []int) string {
	block := max((sorted[len(sorted)-1]+mostBlocks-1)/mostBlocks, 1)
	counts := make([]int64, (sorted[len(sorted)-1]+block-1)/block+1)
	for _, size := range sorted {
		counts[max((size+block/2)/block, 1)-1]++
	}
	var text strings.Builder
	fmt.Fprintf(&text, "BlockSize\t%d\n", block)
	for i, n := range counts {
		fmt.Fprintf(&text, "%d\t%d\n", i, n)
	}
	return text.String()
}

// rate returns the rate over time.
func (m Model) rate(factor float64) string {
	step := (len(m.Card.Counts) + mostPieces - 1) / mostPieces
	var pieces []string
	begin := time.Duration(0)
	for part := range slices.Chunk(m.Card.Counts, step) {
		sum := int64(0)
		for _, n := range part {
			sum += n
		}
		length := min(time.Duration(len(part))*m.Card.Interval, max(m.Card.Length-begin, time.Millisecond)) // the last one ends with the trace
		begin += length
		pieces = append(pieces, fmt.Sprintf("%.3f for %v", float64(sum)/length.Seconds()*factor, length))
	}
	return strings.Join(pieces, ", ")
}
