-- What a suite of several runs is to do is kept with it.
ALTER TABLE suite ADD COLUMN plan TEXT; -- JSON: its cases, their order and the tables of its report
