-- By which rule the letter was read; which faults its tags have (bits: 1 missing, 2 doubled, 4 out of order).
ALTER TABLE completions ADD COLUMN rule TEXT NOT NULL DEFAULT '';
ALTER TABLE completions ADD COLUMN tag_faults INTEGER NOT NULL DEFAULT 0;
UPDATE completions SET
  rule = coalesce((SELECT json_extract(raw, '$.parse.rule') FROM run_lines l WHERE l.id = completions.id AND json_valid(raw)), ''),
  tag_faults = coalesce((
    SELECT
      (instr(t, '<think>') = 0 OR instr(t, '</think>') = 0 OR instr(t, '<answer>') = 0 OR instr(t, '</answer>') = 0)
      | 2 * (length(t) - length(replace(t, '<think>', '')) > 7 OR length(t) - length(replace(t, '</think>', '')) > 8
          OR length(t) - length(replace(t, '<answer>', '')) > 8 OR length(t) - length(replace(t, '</answer>', '')) > 9)
      | 4 * (instr(t, '<answer>') > 0 AND instr(t, '<think>') > 0 AND instr(t, '<answer>') < instr(t, '<think>'))
    FROM (SELECT json_extract(raw, '$.text') AS t FROM run_lines l WHERE l.id = completions.id AND json_valid(raw))), 0);

-- Groups without a signal in which all are right and all are wrong; answers, golds, rules and the judge's words counted.
ALTER TABLE step_tallies ADD COLUMN tied_right INTEGER NOT NULL DEFAULT 0;
ALTER TABLE step_tallies ADD COLUMN tied_wrong INTEGER NOT NULL DEFAULT 0;
ALTER TABLE step_tallies ADD COLUMN letters TEXT NOT NULL DEFAULT '{}';
ALTER TABLE step_tallies ADD COLUMN golds TEXT NOT NULL DEFAULT '{}';
ALTER TABLE step_tallies ADD COLUMN rules TEXT NOT NULL DEFAULT '{}';
ALTER TABLE step_tallies ADD COLUMN judges TEXT NOT NULL DEFAULT '{}';
CREATE TEMP TABLE counted AS
  SELECT run_id, attempt, step, 'letter' AS what, coalesce(letter, '') AS value, count(*) AS n FROM completions
  WHERE split = 'train' GROUP BY 1, 2, 3, 5
  UNION ALL
  SELECT run_id, attempt, step, 'gold', coalesce(gold, ''), count(*) FROM completions
  WHERE split = 'train' GROUP BY 1, 2, 3, 5
  UNION ALL
  SELECT run_id, attempt, step, 'rule', rule, count(*) FROM completions WHERE split = 'train' GROUP BY 1, 2, 3, 5
  UNION ALL
  SELECT run_id, attempt, step, 'judge', judge_status, count(*) FROM completions
  WHERE split = 'train' AND judge_status IS NOT NULL GROUP BY 1, 2, 3, 5;
CREATE INDEX temp.counted_steps ON counted (run_id, attempt, step, what);
CREATE TEMP TABLE tied AS
  SELECT run_id, attempt, step,
    sum(size > 1 AND low = high AND worst >= 1 AND scored = size) AS all_right,
    sum(size > 1 AND low = high AND best < 1 AND scored = size) AS all_wrong
  FROM (
    SELECT run_id, attempt, step, count(*) AS size, min(reward) AS low, max(reward) AS high,
      min(accuracy) AS worst, max(accuracy) AS best, count(accuracy) AS scored
    FROM completions WHERE split = 'train' GROUP BY run_id, attempt, step, group_id)
  GROUP BY run_id, attempt, step;
CREATE INDEX temp.tied_steps ON tied (run_id, attempt, step);
UPDATE step_tallies SET
  tied_right = coalesce((SELECT all_right FROM tied t WHERE (t.run_id, t.attempt, t.step) = (step_tallies.run_id, step_tallies.attempt, step_tallies.step)), 0),
  tied_wrong = coalesce((SELECT all_wrong FROM tied t WHERE (t.run_id, t.attempt, t.step) = (step_tallies.run_id, step_tallies.attempt, step_tallies.step)), 0),
  letters = (SELECT json_group_object(value, n) FROM counted c WHERE (c.run_id, c.attempt, c.step, c.what) = (step_tallies.run_id, step_tallies.attempt, step_tallies.step, 'letter')),
  golds = (SELECT json_group_object(value, n) FROM counted c WHERE (c.run_id, c.attempt, c.step, c.what) = (step_tallies.run_id, step_tallies.attempt, step_tallies.step, 'gold')),
  rules = (SELECT json_group_object(value, n) FROM counted c WHERE (c.run_id, c.attempt, c.step, c.what) = (step_tallies.run_id, step_tallies.attempt, step_tallies.step, 'rule')),
  judges = (SELECT json_group_object(value, n) FROM counted c WHERE (c.run_id, c.attempt, c.step, c.what) = (step_tallies.run_id, step_tallies.attempt, step_tallies.step, 'judge'));
DROP TABLE temp.counted;
DROP TABLE temp.tied;

-- The words of completions by the id of their line; the text itself stays where it is. Filled in the background.
CREATE VIRTUAL TABLE completion_words USING fts5 (run, words, content = '', tokenize = 'unicode61');

-- What people say of completions. Append-only: a row of kind 'undo' or 'redo' takes back, or brings back, the one it is of.
CREATE TABLE completion_remarks (
  remark_id INTEGER PRIMARY KEY AUTOINCREMENT,
  completion_id INTEGER NOT NULL REFERENCES run_lines (id),
  kind TEXT NOT NULL CHECK (kind IN ('note', 'tag', 'undo', 'redo')),
  text TEXT NOT NULL,
  of_id INTEGER REFERENCES completion_remarks (remark_id),
  author TEXT NOT NULL,
  made_secs REAL NOT NULL
) STRICT;
CREATE INDEX completion_remarks_of ON completion_remarks (completion_id, remark_id);
CREATE TRIGGER completion_remarks_stay BEFORE UPDATE ON completion_remarks
BEGIN SELECT RAISE(ABORT, 'completion_remarks is append-only'); END;
CREATE TRIGGER completion_remarks_remain BEFORE DELETE ON completion_remarks
BEGIN SELECT RAISE(ABORT, 'completion_remarks is append-only'); END;

CREATE TABLE find_views (
  view_id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  filter TEXT NOT NULL,
  author TEXT NOT NULL,
  made_secs REAL NOT NULL,
  removed_secs REAL
) STRICT;
