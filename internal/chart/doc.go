// Package chart defines the charts of runs: documents of few points, however long a run is, for pages and scripts.
//
//  1. A request names a part of a run, and how many points it can show.
//  2. A Series is the course of a run, merged over its agents. A point has a length of Steps, so that the points of neighbouring
//     parts and of finer ones fit together.
//  3. A Matrix counts what each agent does while windows come, and an AgentSeries shows it.
//  4. Telemetry has the figures of targets and hosts.
//
// The package is pure: package results fills the documents from the archive.
package chart
