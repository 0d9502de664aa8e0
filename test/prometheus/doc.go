// Package prometheus tests monitoring: a real Prometheus finds a coordinator and its agents, scrapes them during a run, and answers
// the queries of the dashboard.
//
//  1. scripts/prometheus finds Prometheus, or downloads it.
//  2. A coordinator, two agents and two Prometheus (with native histograms, and without) run as separate processes.
//  3. Their answers are compared with the run's result.
//
// Its tests are behind the tag `integration`: make test-integration.
package prometheus
