package pacing

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMistakesAreNamedByTheirProperty(t *testing.T) {
	open := func(pieces ...Piece) Config { return Config{Arrival: FixedRate, Rate: pieces} }
	for _, test := range []struct {
		cfg      Config
		property string
		text     string
	}{
		{Config{Arrival: "poison"}, "arrival", "arrival=poison is unknown; write closed, fixed or poisson"},
		{Config{Rate: Rate{{From: 1, To: 1}}}, "arrival", "arrival=closed cannot have a rate: its operations wait for each other; write arrival=fixed or arrival=poisson, or remove the rate"},
		{Config{CatchUp: -1}, "target", "target=-1 is out of range; write operations per second, or 0 for no throttle"},
		{Config{Arrival: Poisson, CatchUp: 5, Rate: Rate{{From: 1, To: 1}}}, "target", ""},
		{Config{Arrival: Poisson}, "rate", "rate= is missing, and an open loop needs one; write operations per second, such as rate=1000"},
		{open(Piece{}), "rate", "rate=0 offers no operation at all; write a rate above 0"},
		{open(Piece{From: 5, To: 5, Seconds: 0}, Piece{From: 1, To: 1}), "rate", ""},
		{open(Piece{From: 5, To: 5, Seconds: -1}), "rate", ""},
		{open(Piece{From: 5, To: 6}), "rate", "rate=5→6 is a ramp without a duration; add the duration"},
		{open(Piece{From: -5, To: 5, Seconds: 1}), "rate", ""},
		{open(Piece{From: math.NaN(), To: 5, Seconds: 1}), "rate", ""},
		{open(Piece{From: 1, To: 2e9, Seconds: 1}), "rate", "rate=2e+09 in piece 1 is out of range; write 0 to 1e+09 operations per second"},
		{open(Piece{From: 1, To: 1, Seconds: math.Inf(1)}), "rate", ""},
	} {
		wrong, ok := errors.AsType[*PropertyError](test.cfg.Validate())
		require.True(t, ok, "%+v", test.cfg)
		require.Equal(t, test.property, wrong.Property)
		require.NotEmpty(t, wrong.Cure)
		if test.text != "" {
			require.EqualError(t, wrong, test.text)
		}
		_, err := New(test.cfg, 0, 1, 1)
		require.Error(t, err)
	}
	for _, shard := range []int{-1, 2} {
		_, err := New(Config{}, shard, 2, 1)
		require.Error(t, err)
	}
}

func TestGoodConfigurationsAreAccepted(t *testing.T) {
	for _, cfg := range []Config{
		{},
		{Arrival: ClosedLoop, CatchUp: 500},
		constant(0.001),
		{Arrival: Poisson, Rate: Rate{{From: 10, To: 0, Seconds: 60}}},
		{Arrival: FixedRate, Rate: Rate{{From: 0, To: 0, Seconds: 60}, {From: 10, To: 10}}},
	} {
		require.NoError(t, cfg.Validate(), "%+v", cfg)
	}
}
