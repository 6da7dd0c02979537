-- How well a WebShop policy reads: its option checks on product pages, against the instruction and the page.
--   submit/sql --out out/webshop-1k -f notebooks/thoughts.sql
-- A check says of a wanted option whether the product has it: 'color · red yes'.
WITH checks AS (
  SELECT method, mode, turns[0].observation AS instruction, turn.observation AS page,
         explode(filter(split(turn.thought, '; '), part -> part RLIKE ' · .* (yes|no)$')) AS check
  FROM json.`out/webshop-1k/evaluation-final/episodes.jsonl` LATERAL VIEW explode(turns) AS turn
  WHERE method LIKE 'A*-PO%' AND turn.observation RLIKE '^[0-9]+ left[.] [0-9]+ '
),
parted AS (
  SELECT method, mode, lower(instruction) AS instruction, lower(check) AS check,
         regexp_replace(lower(check), '^.*? · | (yes|no)$', '') AS value,
         split(regexp_replace(lower(page), '[.]$', ''), '; ') AS options
  FROM checks
)
SELECT method, mode, count(*) AS checks,
       count_if(NOT contains(instruction, regexp_replace(replace(check, ' · ', ': '), ' (yes|no)$', ''))) AS misread,
       count_if(endswith(check, ' yes')
                <> exists(options, o -> contains(concat(o, ' · '), concat(' · ', value, ' · ')))) AS misjudged
FROM parted GROUP BY method, mode ORDER BY method, mode;

-- Episodes whose first search never came to its end.
SELECT method, mode, count_if(startswith(turns[0].action, '<unparsed>')) AS endless, count(*) AS episodes
FROM json.`out/webshop-1k/evaluation-final/episodes.jsonl`
WHERE method LIKE 'A*-PO%' GROUP BY method, mode ORDER BY mode;
