package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/result"
)

// statusOuts returns the outputs of YCSB's status lines, if they are wanted: with a time series also standard output.
func statusOuts(c *cli.Context, y report.YCSB, format string) []io.Writer {
	switch {
	case !y.Status:
		return nil
	case y.Type == report.TimeSeries && format == "ycsb":
		return []io.Writer{c.Err, c.Out}
	}
	return []io.Writer{c.Err}
}

// warnOfFiles warns that no command waits to write the files that YCSB would write at the end.
func warnOfFiles(c *cli.Context, y report.YCSB, id string) {
	var files []string
	if y.ExportFile != "" {
		files = append(files, "exportfile")
	}
	if y.Logs {
		files = append(files, "hdrhistogram.fileoutput")
	}
	if y.Raw() {
		files = append(files, "measurementtype="+string(y.Type))
	}
	if len(files) > 0 {
		warn(c, []string{fmt.Sprintf("%s: no file is written without --wait; `benchctl report %s --format ycsb,hlog,raw --out DIR` writes them later", strings.Join(files, ", "), id)})
	}
}

// noteOmitted prints the lines that YCSB would have printed, and why they are missing.
func noteOmitted(c *cli.Context, y report.YCSB, run result.Run) {
	if omitted := y.Omitted(run); len(omitted) > 0 {
		_, _ = fmt.Fprintf(c.Err, "note: percentiles of too few samples are not printed: %s\n", strings.Join(omitted, "; "))
	}
}

// onlyNamed removes from y the files that the command line has not named: another user may have submitted a run that is resumed,
// and a coordinator must not choose files on this machine. It returns the removed properties.
func onlyNamed(y, named report.YCSB) (report.YCSB, []string) {
	var left []string
	if y.ExportFile != named.ExportFile {
		y.ExportFile, left = named.ExportFile, append(left, "exportfile="+y.ExportFile)
	}
	if y.Logs && (!named.Logs || y.LogPath != named.LogPath) {
		y.Logs, left = false, append(left, "hdrhistogram.output.path="+y.LogPath)
	}
	if y.RawFile != named.RawFile {
		y.RawFile, left = named.RawFile, append(left, "measurement.raw.output_file="+y.RawFile)
	}
	return y, left
}

// deliver writes the files of YCSB's properties and replaces existing ones, as YCSB does. It reports whether one of them has
// YCSB's output.
func deliver(ctx context.Context, c *cli.Context, client *remote.Client, text []byte, format string, named report.YCSB) (exported bool, err error) {
	run, suite, err := result.Read(text)
	if err != nil || suite != nil {
		return false, err
	}
	y, err := report.YCSBOf(run)
	if err != nil {
		return false, err
	}
	var left []string
	if y, left = onlyNamed(y, named); len(left) > 0 {
		warn(c, []string{fmt.Sprintf("%s: not written, because this command line names no such file; `benchctl report %s --format ycsb,hlog,raw --out DIR` writes it", strings.Join(left, ", "), run.ID)})
	}
	files := report.NewFiles(true)
	defer files.Discard()
	if y.ExportFile != "" {
		w, err := files.Create(y.ExportFile)
		if err != nil {
			return false, err
		}
		if err := y.Write(w, run); err != nil {
			return false, err
		}
		noteOmitted(c, y, run)
	}
	if y.Logs {
		logs := y.NewYCSBLogs(files)
		if err := client.Histograms(ctx, run.ID, 0, logs.Add); err != nil {
			return false, err
		}
		if err := logs.Close(); err != nil {
			return false, err
		}
	}
	if y.Raw() && (y.RawFile != "" || format == "ycsb") {
		if err := deliverPoints(ctx, c, client, y, run); err != nil {
			return false, err
		}
	}
	if err := files.Commit(); err != nil {
		return false, err
	}
	for _, path := range files.Paths() {
		c.Logger.Info("written", "file", path)
	}
	return y.ExportFile != "", nil
}

// deliverPoints appends a run's operations to the file that YCSB's property names, or writes them to standard output.
func deliverPoints(ctx context.Context, c *cli.Context, client *remote.Client, y report.YCSB, run result.Run) (err error) {
	points := y.NewYCSBPoints()
	defer func() { _ = points.Close() }() // temporary files
	got, err := client.Points(ctx, run.ID, points.Add)
	if err != nil {
		return err
	}
	warn(c, got.Warnings(run))
	if y.RawFile == "" {
		_, err = points.WriteTo(c.Out)
		return err
	}
	file, err := os.OpenFile(y.RawFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("write raw points: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	_, err = points.WriteTo(file)
	return err
}
