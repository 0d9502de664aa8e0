package nullspec

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/property"
	"github.com/benchd/benchd/internal/suggest"
)

// ServiceShape is a distribution of service times.
type ServiceShape string

// The shapes, as in null.service.
const (
	ServiceNone      ServiceShape = "0"         // at once
	ServiceConstant  ServiceShape = "constant"  // Time
	ServiceLognormal ServiceShape = "lognormal" // median Time; Sigma is the deviation of its logarithm
	ServiceBimodal   ServiceShape = "bimodal"   // Time, or Slow with probability SlowShare
	ServiceStall     ServiceShape = "stall"     // Time, but nothing is served for Stall in every Period
	ServiceWarming   ServiceShape = "warming"   // falls from Slow to Time over Period, since the first operation
)

// Service is a simulated service time.
type Service struct {
	Shape         ServiceShape
	Time          time.Duration
	Sigma         float64
	Slow          time.Duration
	SlowShare     float64
	Stall, Period time.Duration
}

const serviceForms = "0, constant 1ms, lognormal 1ms 0.5 (median, sigma), bimodal 1ms 20ms 5%, stall 1ms 1s/10s (1s of every 10s), or warming 5ms 1ms over 30s"

// ParseService reads a service time: "0", "1ms", "constant 1ms", "lognormal 1ms 0.5", "bimodal 1ms 20ms 5%",
// "stall 1ms 1s/10s" or "warming 5ms 1ms over 30s".
func ParseService(text string) (Service, error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return Service{Shape: ServiceNone}, nil
	}
	if len(words) == 1 {
		if d, err := time.ParseDuration(words[0]); err == nil {
			return constantService(d)
		}
	}
	s := Service{Shape: ServiceShape(words[0])}
	var err error
	switch {
	case s.Shape == ServiceConstant && len(words) == 2:
		d, err := property.ParseDuration(words[1])
		if err != nil {
			return Service{}, err
		}
		return constantService(d)
	case s.Shape == ServiceLognormal && len(words) == 3:
		if s.Sigma, err = property.ParseNumber(words[2]); err != nil {
			return Service{}, err
		}
		if s.Sigma < 0 || s.Sigma > 5 {
			return Service{}, fmt.Errorf("sigma %s is out of bounds; it may be 0 to 5", words[2])
		}
	case s.Shape == ServiceBimodal && len(words) == 4:
		if s.SlowShare, err = property.ParseShare(words[3]); err != nil {
			return Service{}, err
		}
		if s.Slow, err = serviceTime(words[2]); err != nil {
			return Service{}, err
		}
	case s.Shape == ServiceStall && len(words) == 3:
		if s.Stall, s.Period, err = parseStall(words[2]); err != nil {
			return Service{}, err
		}
	case s.Shape == ServiceWarming && len(words) == 5 && words[3] == "over":
		return warmingService(words)
	default:
		return Service{}, serviceForm(text, words[0])
	}
	s.Time, err = serviceTime(words[1])
	if err != nil {
		return Service{}, err
	}
	return s, nil
}

func serviceForm(text, word string) error {
	shapes := []string{string(ServiceConstant), string(ServiceLognormal), string(ServiceBimodal), string(ServiceStall), string(ServiceWarming)}
	if near := suggest.Nearest(word, shapes); near != "" && near != word {
		return fmt.Errorf("unknown service time %s; did you mean %q? (%s)", property.Quote(text), near, serviceForms)
	}
	return fmt.Errorf("invalid service time %s: want %s", property.Quote(text), serviceForms)
}

func constantService(d time.Duration) (Service, error) {
	if err := boundService(d); err != nil {
		return Service{}, err
	}
	if d == 0 {
		return Service{Shape: ServiceNone}, nil
	}
	return Service{Shape: ServiceConstant, Time: d}, nil
}

func warmingService(words []string) (Service, error) {
	s := Service{Shape: ServiceWarming}
	var err error
	if s.Slow, err = serviceTime(words[1]); err != nil {
		return Service{}, err
	}
	if s.Time, err = serviceTime(words[2]); err != nil {
		return Service{}, err
	}
	if s.Period, err = serviceTime(words[4]); err != nil {
		return Service{}, err
	}
	if s.Period == 0 {
		return Service{}, errors.New("invalid warming time 0s: want more than 0, such as warming 5ms 1ms over 30s")
	}
	return s, nil
}

func serviceTime(text string) (time.Duration, error) {
	d, err := property.ParseDuration(text)
	if err != nil {
		return 0, err
	}
	return d, boundService(d)
}

func boundService(d time.Duration) error {
	if d < 0 || d > time.Hour {
		return fmt.Errorf("%v is out of bounds; a service time is 0 to 1h", d)
	}
	return nil
}

func parseStall(text string) (stall, period time.Duration, err error) {
	part, whole, ok := strings.Cut(text, "/")
	if !ok {
		return 0, 0, fmt.Errorf("invalid stall %s: want LENGTH/PERIOD, such as 1s/10s", property.Quote(text))
	}
	if stall, err = serviceTime(part); err != nil {
		return 0, 0, err
	}
	if period, err = serviceTime(whole); err != nil {
		return 0, 0, err
	}
	if stall >= period {
		return 0, 0, errors.New("a stall must be shorter than its period: want LENGTH/PERIOD, such as 1s/10s")
	}
	return stall, period, nil
}

// String formats a service time in a form that ParseService accepts.
func (s Service) String() string {
	switch s.Shape {
	case ServiceConstant:
		return fmt.Sprintf("constant %v", s.Time)
	case ServiceLognormal:
		return fmt.Sprintf("lognormal %v %s", s.Time, property.FormatFloat(s.Sigma))
	case ServiceBimodal:
		return fmt.Sprintf("bimodal %v %v %s", s.Time, s.Slow, property.FormatFloat(s.SlowShare))
	case ServiceStall:
		return fmt.Sprintf("stall %v %v/%v", s.Time, s.Stall, s.Period)
	case ServiceWarming:
		return fmt.Sprintf("warming %v %v over %v", s.Slow, s.Time, s.Period)
	case ServiceNone:
	}
	return string(ServiceNone)
}

func checkService(value string) (string, error) {
	s, err := ParseService(value)
	return s.String(), err
}
