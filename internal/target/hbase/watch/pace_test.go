package watch

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/clock"
)

// looks has a server looked at for a while, and returns at which seconds that was and how late each renewal was seen.
func looks(p *pace, every, renewed, lasts time.Duration) (at, late []time.Duration) {
	begin := clock.Mono()
	seen := uint64(0)
	for t := time.Duration(0); t < lasts; t += every {
		if !p.due(begin.Add(t)) {
			continue
		}
		at = append(at, t)
		page := uint64((t + renewed/3) / renewed) // it was not begun to be looked at when it was renewed
		if page != seen {
			late = append(late, (t+renewed/3)%renewed)
			seen = page
		}
		p.saw(begin.Add(t), page+1)
	}
	return at, late
}

func TestAServerThatCachesItsFiguresIsReadRarely(t *testing.T) {
	for _, renewed := range []time.Duration{10 * time.Second, 10700 * time.Millisecond, 5 * time.Second} {
		at, late := looks(&pace{}, time.Second, renewed, 10*time.Minute)
		renewals := int(10 * time.Minute / renewed)
		require.InDelta(t, renewals, len(late), 1, "each renewal is seen")
		for _, l := range late {
			require.Less(t, l, time.Second, "as soon as by looking each second")
		}
		require.Less(t, len(at), 4*renewals+25, "and it takes few looks: %v", at)
	}
}

func TestAServerWithFreshFiguresIsReadEachTime(t *testing.T) {
	for _, renewed := range []time.Duration{time.Millisecond, time.Second, 1500 * time.Millisecond} {
		at, _ := looks(&pace{}, time.Second, renewed, time.Minute)
		require.Len(t, at, 60, "%s", renewed)
	}
}

// A server that is restarted with another setting renews its figures sooner than before.
func TestAPeriodThatBecomesShorterIsLearned(t *testing.T) {
	p := &pace{}
	looks(p, time.Second, 10*time.Second, time.Minute)
	require.Greater(t, p.period, 7*time.Second)
	now := p.looked
	for i := range 40 {
		now = now.Add(time.Second)
		if p.due(now) {
			p.saw(now, uint64(1000+i))
		}
	}
	require.Zero(t, p.period)
	require.True(t, p.due(now.Add(time.Second)))
}

// A delayed read makes a period seem short; later reads correct it.
func TestAPeriodThatOnlySeemedShorterIsCorrected(t *testing.T) {
	p := &pace{}
	looks(p, time.Second, 10*time.Second, time.Minute)
	begin := p.changed
	for at := p.looked.Sub(begin).Truncate(time.Second) + time.Second; at < 40*time.Second; at += time.Second {
		if held := at >= 7*time.Second && at < 15*time.Second; !held && p.due(begin.Add(at)) {
			p.saw(begin.Add(at), uint64(at/(10*time.Second)))
		}
	}
	require.Greater(t, p.period, 7*time.Second)
}
