ALTER TABLE completions ADD COLUMN split TEXT NOT NULL DEFAULT 'train' CHECK (split IN ('train', 'eval'));
UPDATE completions SET split = 'eval'
WHERE id IN (
  SELECT id FROM run_lines WHERE stream = 'completions' AND json_valid(raw) AND json_extract(raw, '$.split') = 'eval'
);
