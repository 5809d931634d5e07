-- probability that y is it's <ok>
-- Read these columns as text, not as numbers, dates or truth values: "region", "side", "few", "model".
WITH scored AS (
SELECT *, (
  (-5e-01::float8)
  + 2.5e-01::float8 * ((CASE WHEN CAST("age" AS DOUBLE PRECISION) BETWEEN (-1e-150::float8) AND 1e-150::float8 THEN 0e+00::float8 WHEN CAST("age" AS DOUBLE PRECISION) BETWEEN (-5.992310449541052e+303::float8) AND 5.992310449541052e+303::float8 THEN CAST("age" AS DOUBLE PRECISION) WHEN "age" IS NULL THEN 4e+01::float8 END - 1e+06::float8) / 3.333333333333333e-01::float8)
  + (-7.5e-01::float8) * ((CASE WHEN CAST("odd ""na'me""" AS DOUBLE PRECISION) BETWEEN (-1e-150::float8) AND 1e-150::float8 THEN 0e+00::float8 WHEN CAST("odd ""na'me""" AS DOUBLE PRECISION) BETWEEN (-1.7976931348623158e+304::float8) AND 1.7976931348623158e+304::float8 THEN CAST("odd ""na'me""" AS DOUBLE PRECISION) WHEN "odd ""na'me""" IS NULL THEN (-2e+00::float8) END - 1e-01::float8) / 7e+00::float8)
  + CASE WHEN "region" IS NULL THEN 7.5e-01::float8 ELSE CASE CAST("region" AS TEXT)
      WHEN '' THEN 5e-01::float8
      WHEN 'Côte d''Ivoire' THEN (-2.5e-01::float8)
      WHEN 'back\slash "q"' THEN 1.25e-01::float8
      WHEN 'süd' THEN 6.25e-02::float8
      ELSE 0e+00::float8 END END
  + CASE WHEN "side" IS NULL THEN 0e+00::float8 ELSE CASE CAST("side" AS TEXT)
      WHEN 'left' THEN 0e+00::float8
      WHEN 'right' THEN 3.75e-01::float8
      ELSE 0e+00::float8 END END
  + CASE WHEN "few" IS NULL THEN (-4e-01::float8) ELSE CASE CAST("few" AS TEXT)
      WHEN 'x' THEN 0e+00::float8
      ELSE 0e+00::float8 END END
  + CASE WHEN "known" IS NULL THEN 0e+00::float8 WHEN NOT CAST("known" AS BOOLEAN) THEN 0e+00::float8 WHEN CAST("known" AS BOOLEAN) THEN (-3e-01::float8) END
  + CASE WHEN "maybe" IS NULL THEN 3.3e-01::float8 WHEN NOT CAST("maybe" AS BOOLEAN) THEN 1.1e-01::float8 WHEN CAST("maybe" AS BOOLEAN) THEN 2.2e-01::float8 END
  + CASE WHEN "floors" IS NULL THEN 0e+00::float8 ELSE CASE CAST("floors" AS DOUBLE PRECISION)
      WHEN (-1e+00::float8) THEN 3e-01::float8
      WHEN 0e+00::float8 THEN 2e-01::float8
      WHEN 2.1e+00::float8 THEN (-6e-01::float8)
      ELSE 0e+00::float8 END END
  + CASE WHEN "code" IS NULL THEN 7e-01::float8 ELSE CASE CAST("code" AS DOUBLE PRECISION)
      WHEN 1e+00::float8 THEN 9e-01::float8
      WHEN 2e+00::float8 THEN (-8e-01::float8)
      ELSE 0e+00::float8 END END
  + CASE WHEN "model" IS NULL THEN 0e+00::float8 ELSE CASE CAST("model" AS TEXT)
      WHEN '1' THEN CASE WHEN pg_typeof("model")::text IN ('text', 'character varying', 'character') THEN 1.5e-01::float8 END
      WHEN '1.0' THEN CASE WHEN pg_typeof("model")::text IN ('text', 'character varying', 'character') THEN 2.5e-01::float8 END
      WHEN '01' THEN 3.5e-01::float8
      ELSE 0e+00::float8 END END
) AS margin
FROM data
)
SELECT *, CASE
  WHEN margin >= 40 THEN 1e+00::float8
  WHEN margin >= 0 THEN 1e+00::float8 / (1e+00::float8 + EXP(-margin))
  WHEN margin > -700 THEN EXP(margin) / (1e+00::float8 + EXP(margin))
  WHEN margin <= -700 THEN 0e+00::float8
END AS probability
FROM scored;
