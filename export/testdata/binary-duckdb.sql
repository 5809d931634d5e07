-- probability that y is it's <ok>
-- Read these columns as text, not as numbers, dates or truth values: "region", "side", "few", "model".
-- From a CSV file: read_csv('data.csv', types={'region': 'VARCHAR', 'side': 'VARCHAR', 'few': 'VARCHAR', 'model': 'VARCHAR'})
WITH scored AS (
SELECT *, (
  (-5e-01)
  + 2.5e-01 * ((CASE WHEN CAST("age" AS DOUBLE) BETWEEN (-5.992310449541052e+303) AND 5.992310449541052e+303 THEN CAST("age" AS DOUBLE) WHEN "age" IS NULL THEN 4e+01 END - 1e+06) / 3.333333333333333e-01)
  + (-7.5e-01) * ((CASE WHEN CAST("odd ""na'me""" AS DOUBLE) BETWEEN (-1.7976931348623158e+304) AND 1.7976931348623158e+304 THEN CAST("odd ""na'me""" AS DOUBLE) WHEN "odd ""na'me""" IS NULL THEN (-2e+00) END - 1e-01) / 7e+00)
  + CASE WHEN "region" IS NULL THEN 7.5e-01 ELSE CASE CAST("region" AS VARCHAR)
      WHEN '' THEN 5e-01
      WHEN 'Côte d''Ivoire' THEN (-2.5e-01)
      WHEN 'back\slash "q"' THEN 1.25e-01
      WHEN 'süd' THEN 6.25e-02
      ELSE 0e+00 END END
  + CASE WHEN "side" IS NULL THEN 0e+00 ELSE CASE CAST("side" AS VARCHAR)
      WHEN 'left' THEN 0e+00
      WHEN 'right' THEN 3.75e-01
      ELSE 0e+00 END END
  + CASE WHEN "few" IS NULL THEN (-4e-01) ELSE CASE CAST("few" AS VARCHAR)
      WHEN 'x' THEN 0e+00
      ELSE 0e+00 END END
  + CASE WHEN "known" IS NULL THEN 0e+00 WHEN NOT CAST("known" AS BOOLEAN) THEN 0e+00 WHEN CAST("known" AS BOOLEAN) THEN (-3e-01) END
  + CASE WHEN "maybe" IS NULL THEN 3.3e-01 WHEN NOT CAST("maybe" AS BOOLEAN) THEN 1.1e-01 WHEN CAST("maybe" AS BOOLEAN) THEN 2.2e-01 END
  + CASE WHEN "floors" IS NULL THEN 0e+00 ELSE CASE CAST("floors" AS DOUBLE)
      WHEN (-1e+00) THEN 3e-01
      WHEN 0e+00 THEN 2e-01
      WHEN 2.1e+00 THEN (-6e-01)
      ELSE 0e+00 END END
  + CASE WHEN "code" IS NULL THEN 7e-01 ELSE CASE CAST("code" AS DOUBLE)
      WHEN 1e+00 THEN 9e-01
      WHEN 2e+00 THEN (-8e-01)
      ELSE 0e+00 END END
  + CASE WHEN "model" IS NULL THEN 0e+00 ELSE CASE CAST("model" AS VARCHAR)
      WHEN '1' THEN CASE WHEN (typeof("model") = 'VARCHAR' OR typeof("model") LIKE 'ENUM%') THEN 1.5e-01 END
      WHEN '1.0' THEN CASE WHEN (typeof("model") = 'VARCHAR' OR typeof("model") LIKE 'ENUM%') THEN 2.5e-01 END
      WHEN '01' THEN 3.5e-01
      ELSE 0e+00 END END
) AS margin
FROM data
)
SELECT *, CASE
  WHEN margin >= 40 THEN 1e+00
  WHEN margin >= 0 THEN 1e+00 / (1e+00 + EXP(-margin))
  WHEN margin > -700 THEN EXP(margin) / (1e+00 + EXP(margin))
  WHEN margin <= -700 THEN 0e+00
END AS probability
FROM scored;
