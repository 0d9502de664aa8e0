-- How much of its speed the busiest network interface of the agent's machine carried.
ALTER TABLE window ADD COLUMN net_use REAL NOT NULL DEFAULT 0; -- 0 to 1; 0 where no speed is known
