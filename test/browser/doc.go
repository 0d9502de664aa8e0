// Package browser has the tests that open reports in a browser, as readers do: what a report of a long run costs, how quickly its page
// reacts, and whether it can be used with the keyboard, on a narrow screen, on paper, in both languages and both themes.
package browser
