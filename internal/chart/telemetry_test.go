package chart_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/chart"
	"github.com/benchd/benchd/internal/result"
)

func polled(seconds ...int) result.Observed {
	o := result.Observed{Name: "store_files", Source: "rs1:16020", Unit: "1"}
	for _, s := range seconds {
		o.At, o.Values = append(o.At, time.Duration(s)*time.Second), append(o.Values, float64(s))
	}
	return o
}

func TestFewPointsOfAFigureAreShownAsTheyAre(t *testing.T) {
	f := chart.FigureOf(polled(1, 2, 3, 4, 20, 21), 100)
	require.Equal(t, []float64{1, 2, 3, 4, 12, 20, 21}, f.Times)
	require.Equal(t, []string{"1", "2", "3", "4", "-", "20", "21"}, texts(f.Values), "a gap is not bridged")
	require.Equal(t, "rs1:16020", f.Source)
	require.Empty(t, chart.FigureOf(polled(), 100).Times)
	require.Equal(t, []float64{7}, chart.FigureOf(polled(7), 1).Times)
}

func TestManyPointsOfAFigureBecomeMeans(t *testing.T) {
	var seconds []int
	for s := range 1000 {
		if s < 500 || s >= 700 {
			seconds = append(seconds, s)
		}
	}
	f := chart.FigureOf(polled(seconds...), 10)
	require.LessOrEqual(t, len(f.Times), 11)
	gaps := 0
	for i, v := range f.Values {
		if v == nil {
			gaps++
			continue
		}
		require.InDelta(t, f.Times[i], *v, 0.001, "the mean of the values is at the mean of their times")
		require.True(t, i == 0 || f.Times[i] > f.Times[i-1])
	}
	require.Equal(t, 1, gaps)
}

func texts(values []*float64) (out []string) {
	for _, v := range values {
		out = append(out, shown(v))
	}
	return out
}
