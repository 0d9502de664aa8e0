package api

import (
	"net/http"
	"reflect"
	"slices"

	"github.com/benchd/benchd/internal/advice"
	"github.com/benchd/benchd/internal/compare"
	"github.com/benchd/benchd/internal/phrase"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/schedule"
	"github.com/benchd/benchd/internal/trend"
)

// Routes are all routes.
func Routes() []Route { return slices.Concat(reading(), charts(), changing()) }

// reading are the routes that change nothing.
func reading() []Route {
	results := types(reflect.TypeFor[result.Run](), reflect.TypeFor[result.Suite]())
	series := Parameter{Name: "series", Kind: Boolean, Doc: "false leaves out series, observations and the specification, which are most of the text"}
	return []Route{
		{
			Method: "GET", Path: "/openapi.json", Name: "openapi", Doc: "This description, as OpenAPI 3.1.",
			Answers: types(reflect.TypeFor[map[string]any]()), serve: (*Server).describe,
		},
		{
			Method: "GET", Path: "/about", Name: "about", Doc: "The coordinator: version, archive, listeners, and who the client is.",
			Calls: []string{"About"}, Answers: types(reflect.TypeFor[About]()), serve: (*Server).about,
		},
		{
			Method: "GET", Path: "/agents", Name: "listAgents", Doc: "The agents, with host, clock and the run that each serves.",
			Calls: []string{"Agents"}, Answers: types(reflect.TypeFor[[]remote.Agent]()), serve: (*Server).agents,
		},
		{
			Method: "GET", Path: "/queue", Name: "listQueue", Doc: "The suites that have not ended, in the order of their submission.",
			Calls: []string{"List"}, Answers: types(reflect.TypeFor[[]remote.Suite]()), serve: (*Server).queue,
		},
		{
			Method: "GET", Path: "/suites", Name: "listSuites", Doc: "The suites in the archive, newest first. The header Link has the next page.",
			Calls: []string{"List"}, Parameters: listParameters(), Answers: types(reflect.TypeFor[[]remote.Suite]()), serve: (*Server).suites,
		},
		{
			Method: "GET", Path: "/suites/{id}", Name: "getSuite", Doc: "The result of a suite; of a suite of one run, the result of that run.",
			Calls: []string{"Get"}, Parameters: []Parameter{series, language()}, Answers: results, serve: (*Server).result,
		},
		{
			Method: "GET", Path: "/runs/{id}", Name: "getRun", Doc: "The result of a run.",
			Calls: []string{"Get"}, Parameters: []Parameter{series, language()}, Answers: types(results[0]), serve: (*Server).result,
		},
		{
			Method: "GET", Path: "/suites/{id}/answer", Name: "getSuiteAnswer", Doc: "The conclusions of a suite in sentences, as its report begins.",
			Calls: []string{"Get"}, Parameters: []Parameter{language()}, Answers: types(reflect.TypeFor[Answer]()), serve: (*Server).conclusion,
		},
		{
			Method: "GET", Path: "/runs/{id}/answer", Name: "getRunAnswer", Doc: "The conclusions of a run in sentences, as its report begins.",
			Calls: []string{"Get"}, Parameters: []Parameter{language()}, Answers: types(reflect.TypeFor[Answer]()), serve: (*Server).conclusion,
		},
		{
			Method: "GET", Path: "/suites/{id}/report", Name: "getSuiteReport", Doc: "A report of a suite. A format of several files is a ZIP archive.",
			Calls: []string{"Get", "Histograms", "Points"}, Parameters: reportParameters(), Media: "*/*", serve: (*Server).report,
		},
		{
			Method: "GET", Path: "/runs/{id}/report", Name: "getRunReport", Doc: "A report of a run. A format of several files is a ZIP archive.",
			Calls: []string{"Get", "Histograms", "Points"}, Parameters: reportParameters(), Media: "*/*", serve: (*Server).report,
		},
		{
			Method: "GET", Path: "/suites/{id}/events", Name: "followSuite", Doc: "The progress of a suite as server-sent events, until it has ended.",
			Calls: []string{"Watch"}, Parameters: eventParameters(), Answers: types(reflect.TypeFor[Progress]()), Media: eventMedia, serve: (*Server).events,
		},
		{
			Method: "GET", Path: "/runs/{id}/events", Name: "followRun", Doc: "The progress of a run as server-sent events, until it has ended.",
			Calls: []string{"Watch"}, Parameters: eventParameters(), Answers: types(reflect.TypeFor[Progress]()), Media: eventMedia, serve: (*Server).events,
		},
		{
			Method: "GET", Path: "/suites/{id}/submission", Name: "getSubmission", Doc: "What was submitted as a suite, to submit it again. Secrets are left out.",
			Calls: []string{"Submission"}, Answers: types(reflect.TypeFor[Resubmission]()), serve: (*Server).submissionOf,
		},
		{
			Method: "GET", Path: "/compare", Name: "compare", Doc: "Each further result compared with the first.",
			Calls: []string{"Get"}, Parameters: compareParameters(),
			Answers: types(reflect.TypeFor[compare.Comparison](), reflect.TypeFor[[]compare.Comparison]()), serve: (*Server).compare,
		},
		{
			Method: "GET", Path: "/trend", Name: "trend", Doc: "The results of a recurring suite, and the suites from which on they changed.",
			Calls: []string{"List", "Get"}, Parameters: trendParameters(), Answers: types(reflect.TypeFor[trend.Trend]()), serve: (*Server).trend,
		},
		{
			Method: "GET", Path: "/schedules", Name: "listSchedules", Doc: "The schedules, by their names.",
			Calls: []string{"Schedules"}, Answers: types(reflect.TypeFor[[]schedule.Summary]()), serve: (*Server).schedules,
		},
		{
			Method: "GET", Path: "/schedules/{name}", Name: "getSchedule", Doc: "A schedule, what became of its due times, and its alerts.",
			Calls: []string{"Schedules"}, Answers: types(reflect.TypeFor[schedule.Document]()), serve: (*Server).showSchedule,
		},
		{
			Method: "GET", Path: "/schema", Name: "getSchema", Doc: "The JSON Schema of suite files, for editors.",
			Answers: types(reflect.TypeFor[map[string]any]()), serve: (*Server).schema,
		},
		{
			Method: "GET", Path: "/templates", Name: "listTemplates", Doc: "Suite files to start from, the simplest first.",
			Answers: types(reflect.TypeFor[[]Template]()), serve: (*Server).templates,
		},
	}
}

// changing are the routes that change something, and those that check a submission.
func changing() []Route {
	body, none := reflect.TypeFor[Submission](), http.StatusNoContent
	return []Route{
		{
			Method: "POST", Path: "/validate", Name: "validate", Doc: "Whether a submission is valid, with all mistakes.",
			Calls: []string{"Validate"}, Body: body, Answers: types(reflect.TypeFor[Validated]()), serve: (*Server).validate,
		},
		{
			Method: "POST", Path: "/plan", Name: "plan", Doc: "A dry run: the cases and runs of a submission, and what earlier runs show of them.",
			Calls: []string{"Validate", "Advise"}, Body: body, Answers: types(reflect.TypeFor[advice.Outline]()), serve: (*Server).plan,
		},
		{
			Method: "POST", Path: "/suites", Name: "submit", Doc: "Validate a submission and queue it.",
			Calls: []string{"Submit"}, Body: body, Answers: types(reflect.TypeFor[Submitted]()), Status: http.StatusCreated, serve: (*Server).submit,
		},
		{
			Method: "POST", Path: "/suites/{id}/cancel", Name: "cancelSuite", Doc: "Cancel a suite. What it has measured is kept.",
			Calls: []string{"Cancel"}, Status: none, serve: (*Server).cancel,
		},
		{
			Method: "POST", Path: "/runs/{id}/cancel", Name: "cancelRun", Doc: "Cancel a run. What it has measured is kept.",
			Calls: []string{"Cancel"}, Status: none, serve: (*Server).cancel,
		},
		{
			Method: "PATCH", Path: "/suites/{id}", Name: "annotateSuite", Doc: "Change the note and tags of a suite, also of one that has ended.",
			Calls: []string{"Annotate"}, Body: reflect.TypeFor[Annotation](), Status: none, serve: (*Server).annotate,
		},
		{
			Method: "DELETE", Path: "/suites/{id}", Name: "removeSuite", Doc: "Remove a suite that has ended from the archive.",
			Calls: []string{"Remove"}, Status: none, serve: (*Server).remove,
		},
		{
			Method: "POST", Path: "/agents/{name}/drain", Name: "drainAgent", Doc: "Assign no further runs to an agent; its run goes on.",
			Calls: []string{"Drain"}, Status: none, serve: (*Server).drain,
		},
		{
			Method: "POST", Path: "/agents/{name}/resume", Name: "resumeAgent", Doc: "Assign runs to an agent again.",
			Calls: []string{"Drain"}, Status: none, serve: (*Server).undrain,
		},
		{
			Method: "POST", Path: "/schedules", Name: "schedule", Doc: "Keep a suite with a schedule, which the coordinator submits when it is due.",
			Calls: []string{"Schedule"}, Body: body, Answers: types(reflect.TypeFor[Scheduled]()), Status: http.StatusCreated, serve: (*Server).schedule,
			Parameters: []Parameter{{Name: "replace", Kind: Boolean, Doc: "true replaces a schedule of the same name"}},
		},
		{
			Method: "POST", Path: "/schedules/{name}/pause", Name: "pauseSchedule", Doc: "Submit nothing more of a schedule for now.",
			Calls: []string{"ChangeSchedule"}, Status: none, serve: changeSchedule(remote.PauseSchedule),
		},
		{
			Method: "POST", Path: "/schedules/{name}/resume", Name: "resumeSchedule", Doc: "Submit a paused schedule again when it is due.",
			Calls: []string{"ChangeSchedule"}, Status: none, serve: changeSchedule(remote.ResumeSchedule),
		},
		{
			Method: "POST", Path: "/schedules/{name}/run", Name: "runSchedule", Doc: "Submit the suite of a schedule now.",
			Calls: []string{"ChangeSchedule"}, Answers: types(reflect.TypeFor[Submitted]()), Status: http.StatusCreated, serve: (*Server).runSchedule,
		},
		{
			Method: "DELETE", Path: "/schedules/{name}", Name: "removeSchedule", Doc: "Remove a schedule. Its suites stay.",
			Calls: []string{"ChangeSchedule"}, Status: none, serve: changeSchedule(remote.DeleteSchedule),
		},
	}
}

func listParameters() []Parameter {
	return []Parameter{
		{Name: "name", Kind: Text, Doc: "only suites of the name"},
		{Name: "search", Kind: Text, Doc: "only suites whose id, name, note, submitter or tags contain the text"},
		{Name: "tag", Kind: Text, Repeated: true, Doc: "only suites with the tag KEY=VALUE"},
		{Name: "target", Kind: Text, Doc: "only suites on the target, by its name in the list"},
		{Name: "status", Kind: Text, Repeated: true, Choices: statuses(), Doc: "only suites with one of the statuses"},
		{Name: "since", Kind: Time, Doc: "only suites that were submitted at that time or later"},
		{Name: "until", Kind: Time, Doc: "only suites that were submitted before that time"},
		{Name: "limit", Kind: Integer, Doc: "maximum number of suites; default 100"},
		{Name: "after", Kind: Text, Doc: "id of the last suite of the page before"},
	}
}

func statuses() []string {
	return []string{"queued", "preparing", "running", "stopping", "complete", "partial", "failed", "cancelled"}
}

func reportParameters() []Parameter {
	return []Parameter{
		{Name: "format", Kind: Text, Choices: report.FormatNames(), Doc: "format of the report; default html"},
		{Name: "lang", Kind: Text, Choices: phrase.Languages(), Doc: "language of formats for people; default en"},
		{Name: "download", Kind: Boolean, Doc: "true offers a page as a file, as the other formats are, instead of showing it"},
	}
}

// language is the parameter of documents that have sentences.
func language() Parameter {
	return Parameter{Name: "lang", Kind: Text, Choices: phrase.Languages(), Doc: "language of the sentences; default en"}
}

func eventParameters() []Parameter {
	return []Parameter{{Name: "last_event_id", Kind: Text, Doc: "id of the last event that the client has received, for clients that cannot send the header Last-Event-ID"}}
}

func compareParameters() []Parameter {
	return []Parameter{
		{Name: "a", Kind: Text, Required: true, Doc: "the result to compare with, as benchctl compare takes it: ID, ID:CASE, ID@TARGET, or several with commas between them"},
		{Name: "b", Kind: Text, Required: true, Repeated: true, Doc: "a result that is compared with a"},
		{Name: "smallest", Kind: Text, Doc: "smallest effect worth naming, such as 2% or 0.02; default 5%"},
		{Name: "figure", Kind: Text, Repeated: true, Doc: "a figure to compare, such as read_p99_us; default throughput, p50, p99 and p99.9"},
		language(),
	}
}

func trendParameters() []Parameter {
	return []Parameter{
		{Name: "name", Kind: Text, Doc: "name of the suites; required without a tag"},
		{Name: "tag", Kind: Text, Repeated: true, Doc: "only suites with the tag KEY=VALUE"},
		{Name: "case", Kind: Text, Doc: "name of the only case; default all"},
		{Name: "figure", Kind: Text, Repeated: true, Doc: "a figure to test, such as read_p99_us; default throughput, and p99 of each operation"},
		{Name: "smallest", Kind: Text, Doc: "smallest change worth naming, such as 2% or 0.02; default 3%"},
		{Name: "false_alarms", Kind: Integer, Doc: "that many suites without a change have one false alarm at most, on average; 200 or more, default 200"},
		{Name: "last", Kind: Integer, Doc: "read only the latest suites; default 400"},
		language(),
	}
}
