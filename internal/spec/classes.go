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

// coreWorkload is the workload that benchd has.
const coreWorkload = "site.ycsb.workloads.CoreWorkload"

// className returns a Java class's name as today's YCSB has it: until 0.15 its packages began otherwise.
func className(value string) string {
	if rest, ok := strings.CutPrefix(value, "com.yahoo.ycsb."); ok {
		return "site.ycsb." + rest
	}
	return value
}

// checkWorkload accepts YCSB's CoreWorkload under each of its names.
func checkWorkload(value string) (string, error) {
	name := className(value)
	if name == coreWorkload || name == "core" || name == "CoreWorkload" {
		return coreWorkload, nil
	}
	reasons := map[string]string{
		"TimeSeriesWorkload":        "its time series are not built",
		"RestWorkload":              "it replays traces of URLs against web servers, which benchd does not drive",
		"ConstantOccupancyWorkload": "give recordcount, insertcount and operationcount themselves instead of its disksize and occupancy",
		"ClosedEconomyWorkload":     "it belongs to the YCSB+T fork, and its transactions are not built",
	}
	short := name[strings.LastIndexByte(name, '.')+1:]
	if reason, ok := reasons[short]; ok {
		return "", fmt.Errorf("%s is not supported: %s; leave workload out for CoreWorkload", short, reason)
	}
	return "", fmt.Errorf("unknown value %s; benchd has YCSB's CoreWorkload only; leave workload out, or write %s", property.Quote(value), coreWorkload)
}

// dbCheck accepts the targets' names and those of YCSB's bindings for them.
func dbCheck(targets descriptor.List) func(string) (string, error) {
	return func(value string) (string, error) {
		name := className(value)
		if target, ok := targets.ByAlias(name); ok {
			return target, nil
		}
		if strings.HasPrefix(name, "site.ycsb.") {
			return "", fmt.Errorf("there is no target for YCSB's class %s (one of %s)", property.Quote(value), strings.Join(targets.Names(), ", "))
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
	return "", fmt.Errorf("unknown value %s; benchd writes what YCSB's TextMeasurementsExporter, JSONMeasurementsExporter and JSONArrayMeasurementsExporter write; name one of these classes, or leave exporter out for text", property.Quote(value))
}

// checkPhase accepts the phases in any spacing.
func checkPhase(value string) (string, error) {
	return property.OneOf(strings.ReplaceAll(value, " ", ""), []string{"load", "run", "load,run"})
}

// checkTransactions turns YCSB's choice of phase into ours.
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

// checkSeconds turns whole seconds into a duration.
func checkSeconds(value string) (string, error) {
	n, err := strconv.ParseInt(value, 10, 32)
	switch {
	case err == nil && n >= 0:
		return (time.Duration(n) * time.Second).String(), nil
	case errors.Is(err, strconv.ErrRange) || err == nil:
		return "", fmt.Errorf("%s is out of bounds; it may be 0 to %d seconds", value, math.MaxInt32)
	}
	if d, err := time.ParseDuration(value); err == nil && d >= 0 {
		return "", fmt.Errorf("%s is no whole number of seconds; write %d here, or duration=%v", property.Quote(value), int64(d.Seconds()), d)
	}
	return "", fmt.Errorf("%s is no whole number of seconds; write one such as 60", property.Quote(value))
}

// checkHistogram judges the content of a histogram file.
func checkHistogram(value string) (string, error) {
	if value == "" {
		return "", nil
	}
	_, err := keyspace.ParseLengthHistogram("content", strings.NewReader(value))
	return value, err
}

// checkPercentiles accepts percentiles with commas between them.
func checkPercentiles(value string) (string, error) {
	var list []string
	for part := range strings.SplitSeq(value, ",") {
		f, err := property.ParseNumber(strings.TrimSpace(part))
		if err != nil || f <= 0 || f > 100 {
			return "", fmt.Errorf("%s is no percentile; write numbers above 0 and up to 100 with commas between them, such as 50,95,99.9", property.Quote(part))
		}
		list = append(list, property.FormatPlain(f))
		if len(list) > 100 {
			return "", errors.New("has more than 100 percentiles in it")
		}
	}
	return strings.Join(list, ","), nil
}
