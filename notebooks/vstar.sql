-- Questions to the tables of a run:  submit/sql --out out/webshop-lite -f notebooks/vstar.sql

-- The hardest tasks: where the reference policy is worth least, and how sure that is.
SELECT regexp_extract(prompt, 'buy (.*)[.] Avail', 1) AS wants,
       round(v_star, 3) AS v_star, round(v_star_low, 3) AS low, round(v_star_high, 3) AS high,
       all_alike
FROM vstar ORDER BY v_star_high, v_star, wants LIMIT 5;

-- V* by category.
SELECT category, count(*) AS tasks, round(avg(v_star), 3) AS v_star,
       round(avg(success_rate), 3) AS success
FROM vstar JOIN tasks USING (task_id) GROUP BY category ORDER BY v_star;

-- Where N is too small: the tasks whose V* is still known only to ±0.4.
SELECT count_if(v_star_high - v_star_low > 0.8) AS too_few, count(*) AS tasks,
       round(avg(ess), 2) AS mean_ess, min(n) AS n
FROM vstar;

-- V* under another β₁, from the same samples: nothing is rolled out again.
SELECT round(avg(b0), 3) AS beta_0, round(avg(b01), 3) AS beta_01, round(avg(b5), 3) AS beta_5
FROM (SELECT task_id, vstar(return, 0) AS b0, vstar(return, 0.1) AS b01, vstar(return, 5) AS b5
      FROM samples GROUP BY task_id);

-- How many samples are enough: V* of the first 2, 4 and 8 samples of each task.
SELECT round(avg(vstar2), 3) AS n2, round(avg(vstar4), 3) AS n4, round(avg(vstar8), 3) AS n8
FROM (SELECT task_id,
             vstar(return, 0.5) FILTER (WHERE sample_index < 2) AS vstar2,
             vstar(return, 0.5) FILTER (WHERE sample_index < 4) AS vstar4,
             vstar(return, 0.5) AS vstar8
      FROM samples GROUP BY task_id);

-- What the reference policy does first, and what that is worth.
SELECT size(split(actions[0], ' ')) - 1 AS keywords, count(*) AS rollouts,
       round(avg(return), 3) AS mean_return
FROM samples WHERE actions[0] LIKE 'search %' GROUP BY 1 ORDER BY 1;
