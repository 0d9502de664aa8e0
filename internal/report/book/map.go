package book

import "slices"

// Map returns a copy of the book with f applied to every text that benchd wrote. Names are left alone. Texts that
// contain names are passed as a whole.
func (b Book) Map(f func(string) string) Book {
	b.Title, b.Question, b.Status = f(b.Title), f(b.Question), f(b.Status)
	b.Answer, b.Lead = all(b.Answer, f), all(b.Lead, f)
	b.Chapters = slices.Clone(b.Chapters)
	for i, c := range b.Chapters {
		c.Title, c.Text = f(c.Title), all(c.Text, f)
		c.Charts, c.Tables = slices.Clone(c.Charts), slices.Clone(c.Tables)
		for k, chart := range c.Charts {
			c.Charts[k] = chart.Map(f)
		}
		for k, t := range c.Tables {
			c.Tables[k] = t.Map(f)
		}
		b.Chapters[i] = c
	}
	b.Data = slices.Clone(b.Data)
	for i, t := range b.Data {
		b.Data[i] = t.Map(f)
	}
	return b
}

// Map is Book.Map of a table.
func (t Table) Map(f func(string) string) Table {
	t.Title, t.How, t.Notes = f(t.Title), f(t.How), all(t.Notes, f)
	t.Columns, t.Rows = slices.Clone(t.Columns), slices.Clone(t.Rows)
	for i := range t.Columns {
		t.Columns[i].Head = f(t.Columns[i].Head)
	}
	for i, row := range t.Rows {
		row = slices.Clone(row)
		for k := range row {
			if k < len(t.Columns) && !t.Columns[k].Names {
				row[k].Text = f(row[k].Text)
			}
		}
		t.Rows[i] = row
	}
	return t
}

// Map is Book.Map of a chart.
func (c Chart) Map(f func(string) string) Chart {
	c.Title, c.How, c.X = f(c.Title), f(c.How), c.X.mapped(f)
	c.Y, c.Series, c.Marks, c.Limits = slices.Clone(c.Y), slices.Clone(c.Series), slices.Clone(c.Marks), slices.Clone(c.Limits)
	for i := range c.Y {
		c.Y[i] = c.Y[i].mapped(f)
	}
	for i, s := range c.Series {
		if !s.Verbatim {
			c.Series[i].Name = f(s.Name)
		}
	}
	for i, m := range c.Marks {
		c.Marks[i].Label, c.Marks[i].Text = f(m.Label), f(m.Text)
	}
	for i, l := range c.Limits {
		c.Limits[i].Label = f(l.Label)
	}
	return c
}

func (a Axis) mapped(f func(string) string) Axis {
	a.Title = f(a.Title)
	return a
}

func all(texts []string, f func(string) string) []string {
	out := make([]string, len(texts))
	for i, s := range texts {
		out[i] = f(s)
	}
	return out
}
