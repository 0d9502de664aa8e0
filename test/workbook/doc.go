// Package workbook has the tests that read workbooks as other programs do: with LibreOffice and with Python.
package workbook
