// Package browser has the tests that open benchd's pages in a browser, as people do.
//
//  1. Reports: what the report of a long run costs, how quickly its page reacts, and whether it can be used with the keyboard, on a narrow
//     screen, on paper, in both languages and both themes.
//  2. The console of `benchd dev`: submitting, watching, cancelling, comparing and downloading on its pages, and each page in both languages,
//     sizes and themes. Elements are found as a screen reader finds them, by role and name.
//  3. The console while a coordinator is killed, with 1000 agents, and with a run of 100 hours.
package browser
