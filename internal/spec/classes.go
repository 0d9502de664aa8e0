package spec

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/keyspace"
	"github.com/benchd/benchd/internal/property"
)

// coreWorkload is the default of YCSB's workload classes.
const coreWorkload = "site.ycsb.workloads.CoreWorkload"

// className returns the name of a Java class in current YCSB: until 0.15 its packages had another prefix.
func className(value string) string {
	if rest, ok := strings.CutPrefix(value, "com.yahoo.ycsb."); ok {
		return "site.ycsb." + rest
	}
	return value
}

// checkWorkload accepts YCSB's CoreWorkload and TimeSeriesWorkload under each of their names.
func checkWorkload(value string) (string, error) {
	name := className(value)
	if name == coreWorkload || name == "core" || name == "CoreWorkload" {
		return coreWorkload, nil
	}
	if name == seriesWorkload || name == "TimeSeriesWorkload" {
		return seriesWorkload, nil
	}
	reasons := map[string]string{
		"RestWorkload":              "it replays traces of URLs against web servers, which benchd does not drive",
		"ConstantOccupancyWorkload": "set recordcount, insertcount and operationcount instead of its disksize and occupancy",
		"ClosedEconomyWorkload":     "it belongs to the YCSB+T fork, and benchd has no transactions",
	}
	short := name[strings.LastIndexByte(name, '.')+1:]
	if reason, ok := reasons[short]; ok {
		return "", fmt.Errorf("%s is not supported: %s; remove the property to use CoreWorkload", short, reason)
	}
	return "", fmt.Errorf("unknown value %s: benchd supports YCSB's CoreWorkload and TimeSeriesWorkload; remove the property, or write %s or %s", property.Quote(value), coreWorkload, seriesWorkload)
}

// dbCheck accepts the targets' names and those of YCSB's bindings for them.
func dbCheck(targets descriptor.List) func(string) (string, error) {
	return func(value string) (string, error) {
		name := className(value)
		if target, ok := targets.ByAlias(name); ok {
			return target, nil
		}
		if strings.HasPrefix(name, "site.ycsb.") {
			return "", fmt.Errorf("no target for YCSB's class %s (one of %s)", property.Quote(value), strings.Join(targets.Names(), ", "))
		}
		return property.OneOf(value, targets.Names())
	}
}

// checkExporter accepts YCSB's exporters.
func checkExporter(value string) (string, error) {
	name := className(value)
	for _, key := range reportingKeys() {
		if key.Name == "exporter" && slices.Contains(key.Values, name) {
			return name, nil
		}
	}
	return "", fmt.Errorf("unknown value %s: want YCSB's TextMeasurementsExporter, JSONMeasurementsExporter or JSONArrayMeasurementsExporter, with its package; remove the property for text", property.Quote(value))
}

// checkPhase accepts the phases with any spacing.
func checkPhase(value string) (string, error) {
	return property.OneOf(strings.ReplaceAll(value, " ", ""), []string{"load", "run", "load,run"})
}

// checkTransactions turns YCSB's choice of the phase into benchd's.
func checkTransactions(value string) (string, error) {
	value, err := property.ParseBool(value)
	if err != nil {
		return "", err
	}
	if value == "true" {
		return "run", nil
	}
	return "load", nil
}

// checkSeconds turns an integer number of seconds into a duration.
func checkSeconds(value string) (string, error) {
	n, err := strconv.ParseInt(value, 10, 32)
	switch {
	case err == nil && n >= 0:
		return (time.Duration(n) * time.Second).String(), nil
	case errors.Is(err, strconv.ErrRange) || err == nil:
		return "", fmt.Errorf("%s is out of range: want 0 to %d seconds", value, math.MaxInt32)
	}
	if d, err := time.ParseDuration(value); err == nil && d >= 0 {
		return "", fmt.Errorf("invalid number of seconds %s: want an integer; write %d, or duration=%v", property.Quote(value), int64(d.Seconds()), d)
	}
	return "", fmt.Errorf("invalid number of seconds %s: want an integer, such as 60", property.Quote(value))
}

// checkHistogram validates the content of a histogram file.
func checkHistogram(value string) (string, error) {
	if value == "" {
		return "", nil
	}
	_, err := keyspace.ParseLengthHistogram("content", strings.NewReader(value))
	return value, err
}

// checkTemplate validates a template of keys. Its error joins all mistakes.
func checkTemplate(value string) (string, error) {
	if value == "" {
		return "", nil
	}
	_, err := keyspace.ParseTemplate(value)
	return value, err //nolint:wrapcheck // its mistakes are reported one by one
}

// checkSizes validates the content of a file of sizes.
func checkSizes(value string) (string, error) {
	if value == "" {
		return "", nil
	}
	_, err := keyspace.ParseLengthSample("content", value)
	return value, err //nolint:wrapcheck // it names the line
}

func checkRequests(value string) (string, error) {
	if value == "" {
		return "", nil
	}
	_, err := keyspace.ParsePopularity("content", strings.NewReader(value))
	return value, err
}

// checkPercentiles accepts comma-separated percentiles.
func checkPercentiles(value string) (string, error) {
	var list []string
	for part := range strings.SplitSeq(value, ",") {
		f, err := property.ParseNumber(strings.TrimSpace(part))
		if err != nil || f <= 0 || f > 100 {
			return "", fmt.Errorf("invalid percentile %s: want numbers above 0 and up to 100, separated by commas, such as 50,95,99.9", property.Quote(part))
		}
		list = append(list, property.FormatPlain(f))
		if len(list) > 100 {
			return "", errors.New("has more than 100 percentiles; remove some")
		}
	}
	return strings.Join(list, ","), nil
}
