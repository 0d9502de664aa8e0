"""Prints as JSON what openpyxl reads in workbooks: cells, panes, charts with their ranges; and what openxml-audit objects to."""

import json
import subprocess
import sys

import openpyxl


def ref(source):
    """The range that a part of a series refers to, and whether it is one of numbers."""
    if source is None:
        return ""
    for kind in ("numRef", "strRef"):
        held = getattr(source, kind, None)
        if held is not None:
            return held.f
    return ""


def text(title):
    """The text of a title."""
    if title is None or title.tx is None or title.tx.rich is None:
        return ""
    return "".join(run.t for p in title.tx.rich.p for run in p.r or [])


def series(s):
    return {
        "x": ref(s.xVal) or ref(s.cat),
        "y": ref(s.yVal) or ref(s.val),
        "whiskers": ref(s.errBars.plus) if s.errBars is not None else "",
        "lines": s.errBars is not None,
    }


def chart(c):
    parts = c._charts
    axes = [a for p in parts for a in (p.x_axis, p.y_axis)]
    return {
        "title": text(c.title),
        "kinds": [type(p).__name__ for p in parts],
        "axes": [text(a.title) for a in axes],
        "log": sum(1 for a in axes if a.scaling.logBase == 10),
        "series": [series(s) for p in parts for s in p.ser],
    }


def sheet(ws):
    numbers, texts, formulas = {}, {}, []
    for row in ws.iter_rows():
        for cell in row:
            if cell.value is None:
                continue
            if cell.data_type == "f":
                formulas.append(cell.coordinate)
            elif cell.data_type == "n":
                numbers[cell.coordinate] = cell.value
            else:
                texts[cell.coordinate] = str(cell.value)
    return {
        "name": ws.title,
        "freeze": ws.freeze_panes or "",
        "landscape": ws.page_setup.orientation == "landscape",
        "repeated": ws.print_title_rows or "",
        "filter": ws.auto_filter.ref or "",
        "scales": len(list(ws.conditional_formatting)),
        "numbers": numbers,
        "texts": texts,
        "formulas": formulas,
        "charts": [chart(c) for c in ws._charts],
    }


def audit(path):
    command = [sys.executable, "-m", "openxml_audit", "-m", "0", "-o", "json", path]
    out = json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)
    return [f"{e['part_uri']} {e['path']}: {e['description']}" for e in out[0]["errors"]]


books = {}
for path in sys.argv[2:]:
    wb = openpyxl.load_workbook(path)
    books[path] = {
        "title": wb.properties.title or "",
        "sheets": [sheet(ws) for ws in wb],
        "audit": audit(path) if sys.argv[1] == "audit" else [],
    }
json.dump(books, sys.stdout)
