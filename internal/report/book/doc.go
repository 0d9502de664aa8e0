// Package book is the model of a report: what a reader sees, independent of the format and of the language.
//
//  1. A Book has a title, the question that was asked, the answer, and chapters with the evidence: texts, tables and charts.
//  2. A Table has cells of text. A cell of a figure also has its number, which spreadsheets calculate with.
//  3. A Chart has axes, series, marks of what happened and limits. It is data: writers draw it in a browser, as a picture or
//     in a spreadsheet. Every table and chart says in one line how its figures were computed.
//  4. Map replaces every text that benchd wrote, such as by its translation, and leaves names alone: of suites, cases,
//     servers, agents and operations.
//
// All formats for people are made from a Book, so they show the same figures. The package is pure.
package book
