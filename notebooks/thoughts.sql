-- How well a WebShop policy reads: its thoughts on product pages against the instruction and the page.
--   submit/sql --out out/webshop-1k -f notebooks/thoughts.sql
-- A thought names every wanted option and says yes or no to it; white space is of no account.
WITH thoughts AS (
  SELECT method, mode,
         filter(split(regexp_replace(turns[0].observation, ', and price lower than [0-9.]+ dollars$', ''),
                      '(?:, and | with )(?=[^:,]+: )'), part -> contains(part, ': ')) AS wanted,
         turn.observation AS page,
         regexp_extract_all(concat(turn.thought, ' '), '(.+?) (yes|no) ', 1) AS options,
         regexp_extract_all(concat(turn.thought, ' '), '(.+?) (yes|no) ', 2) AS verdicts
  FROM json.`out/webshop-1k/evaluation-final/episodes.jsonl` LATERAL VIEW explode(turns) AS turn
  WHERE method = 'A*-PO regression' AND trim(turn.thought) <> ''
),
normalized AS (
  SELECT method, mode, verdicts,
         transform(wanted, w -> regexp_replace(lower(substring_index(w, ': ', -1)), '\\s', '')) AS wanted,
         transform(options, o -> regexp_replace(lower(o), '\\s', '')) AS options,
         transform(flatten(transform(filter(split(page, '; '), g -> contains(g, ': ')),
                                     g -> split(regexp_replace(substring_index(g, ': ', -1), '[.]$', ''), ', '))),
                   v -> regexp_replace(lower(v), '\\s', '')) AS present
  FROM thoughts
)
SELECT method, mode, count(*) AS thoughts, count_if(options <> wanted) AS misread,
       count_if(options = wanted
                AND transform(options, o -> if(array_contains(present, o), 'yes', 'no')) <> verdicts) AS misjudged
FROM normalized WHERE size(wanted) > 0 GROUP BY method, mode ORDER BY mode;

-- Episodes whose first search never came to its end.
SELECT method, mode, count_if(startswith(turns[0].action, '<unparsed>')) AS endless, count(*) AS episodes
FROM json.`out/webshop-1k/evaluation-final/episodes.jsonl`
WHERE method LIKE 'A*-PO%' GROUP BY method, mode ORDER BY mode;
