// Package timetable keeps the schedules of a coordinator, and submits their suites when they are due.
//
//  1. Put keeps a schedule with the submission that it repeats. Pause, Resume, Start and Delete change it, List and Show describe it.
//     Renew keeps the newest certificate of its owner, whose rights its suites have.
//  2. Run waits for due times by the wall clock. The newest due time submits its suite, unless the suite before it is in progress: then it
//     is skipped. Those before it were missed.
//  3. When a suite has ended, the trend of all suites of its schedule is evaluated. A change that it has revealed is an alert: archived,
//     announced, logged and counted.
//
// A submission is archived with the id of its suite before the suite is. A process that dies in between finds out by the id, when it starts
// again, whether the suite was submitted, so that no due time is lost or counts twice.
package timetable
