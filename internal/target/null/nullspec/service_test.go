package nullspec

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/property"
)

func TestServiceTimes(t *testing.T) {
	const ms = time.Millisecond
	for text, want := range map[string]struct {
		service   Service
		canonical string
	}{
		"":                        {Service{Shape: ServiceNone}, "0"},
		"0":                       {Service{Shape: ServiceNone}, "0"},
		"1ms":                     {Service{Shape: ServiceConstant, Time: ms}, "constant 1ms"},
		"constant 1ms":            {Service{Shape: ServiceConstant, Time: ms}, "constant 1ms"},
		"constant 0":              {Service{Shape: ServiceNone}, "0"},
		"lognormal  1ms 0.5":      {Service{Shape: ServiceLognormal, Time: ms, Sigma: 0.5}, "lognormal 1ms 0.5"},
		"bimodal 1ms 20ms 5%":     {Service{Shape: ServiceBimodal, Time: ms, Slow: 20 * ms, SlowShare: 0.05}, "bimodal 1ms 20ms 0.05"},
		"bimodal 1ms 20ms 0.05":   {Service{Shape: ServiceBimodal, Time: ms, Slow: 20 * ms, SlowShare: 0.05}, "bimodal 1ms 20ms 0.05"},
		"stall 1ms 1s/10s":        {Service{Shape: ServiceStall, Time: ms, Stall: time.Second, Period: 10 * time.Second}, "stall 1ms 1s/10s"},
		"warming 5ms 1ms over 3s": {Service{Shape: ServiceWarming, Slow: 5 * ms, Time: ms, Period: 3 * time.Second}, "warming 5ms 1ms over 3s"},
		"stall 0s 100ms/1s":       {Service{Shape: ServiceStall, Stall: 100 * ms, Period: time.Second}, "stall 0s 100ms/1s"},
	} {
		t.Run(text, func(t *testing.T) {
			service, err := ParseService(text)
			require.NoError(t, err)
			require.Equal(t, want.service, service)
			require.Equal(t, want.canonical, service.String())
		})
	}
}

func TestTheNullTargetsCapacity(t *testing.T) {
	s, err := Read(map[string]string{"null.capacity": "1e5"})
	require.NoError(t, err)
	require.InDelta(t, 100_000, s.Capacity, 0)
	_, err = Read(map[string]string{"null.capacity": "-1"})
	require.ErrorContains(t, err, "null.capacity")
}

func TestInvalidServiceTimes(t *testing.T) {
	for text, want := range map[string]string{
		"5":                       `invalid service time "5"`,
		"constnat 1ms":            `did you mean "constant"?`,
		"lognormal 1ms":           `invalid service time "lognormal 1ms": want 0, constant 1ms,`,
		"lognormal 1ms -1":        "sigma -1 is out of bounds; it may be 0 to 5",
		"lognormal 1ms x":         `invalid number "x"`,
		"constant -1ms":           "-1ms is out of bounds; a service time is 0 to 1h",
		"constant 2h":             "2h0m0s is out of bounds; a service time is 0 to 1h",
		"bimodal 1ms 2ms 200":     "200 is out of range: want a share from 0 to 1, or 0% to 100%",
		"stall 1ms 1s":            `invalid stall "1s": want LENGTH/PERIOD, such as 1s/10s`,
		"stall 1ms 10s/1s":        "a stall must be shorter than its period",
		"warming 5ms 1ms 3s":      `invalid service time "warming 5ms 1ms 3s": want 0, constant 1ms,`,
		"warming 5ms 1ms over 0s": "invalid warming time 0s: want more than 0",
		"stall 1 1s/10s":          `invalid duration "1": missing unit; write 1s or 1ms`,
		"quickly":                 `invalid service time "quickly": want 0, constant 1ms`,
	} {
		t.Run(text, func(t *testing.T) {
			_, err := ParseService(text)
			require.ErrorContains(t, err, want)
		})
	}
}

func TestSettingsOfTheNullTarget(t *testing.T) {
	none, err := Read(nil)
	require.NoError(t, err)
	require.Equal(t, Settings{Service: Service{Shape: ServiceNone}}, none)

	all, err := Read(map[string]string{
		"null.service": "1ms", "null.log": "/tmp/ops", "null.error.share": "1%", "null.notfound.share": "0.5", "null.seed": "18446744073709551615",
		"recordcount": "not its business",
	})
	require.NoError(t, err)
	require.Equal(t, Settings{
		Service: Service{Shape: ServiceConstant, Time: time.Millisecond}, LogPath: "/tmp/ops", ErrorShare: 0.01, NotFoundShare: 0.5, Seed: 1<<64 - 1,
	}, all)

	_, err = Read(map[string]string{"null.service": "soon", "null.seed": "-1"})
	var problems property.Problems
	require.ErrorAs(t, err, &problems)
	require.Len(t, problems, 2)
}

func FuzzParseService(f *testing.F) {
	for _, seed := range []string{"0", "constant 1ms", "lognormal 1ms 0.5", "bimodal 1ms 20ms 5%", "stall 1ms 1s/10s", "warming 5ms 1ms over 3s"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseService(text)
		if err != nil {
			return
		}
		again, err := ParseService(s.String())
		if err != nil || again != s {
			t.Errorf("%q is %+v, written %q and read as %+v: %v", text, s, s, again, err)
		}
	})
}
