// Package html writes a report as one HTML file, which needs no other file and no network.
//
//  1. The book becomes a view: texts that are too long for their place are cut, paragraphs are joined to lists, and
//     every chapter, table and chart gets an id.
//  2. Charts of kinds lines and bars become SVG (package svg). The others become data, as base64 of 32-bit floats, which
//     the page's script draws when they come into view.
//  3. The view is written through a template of html/template, which escapes each text for its place. A policy in the
//     page's head allows only the page's own script and style, by their hashes.
//
// Style and script are bundled from web/report and the chart library by `make generate`; the bundles are committed.
package html

//go:generate go -C ../../../tools run ./bundle ..
