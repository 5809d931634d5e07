-- y, in its own units
WITH scored AS (
SELECT *, 3e+00 + 5e-01 * (
  (-5e-01)
  + 1e-07 * ((CASE WHEN CAST(`age` AS FLOAT64) BETWEEN (-5.992310449541052e+303) AND 5.992310449541052e+303 THEN CAST(`age` AS FLOAT64) WHEN `age` IS NULL THEN 4e+01 END - 1e+06) / 3.333333333333333e-01)
  + (-7.5e-01) * ((CASE WHEN CAST(`odd "na'me"` AS FLOAT64) BETWEEN (-1.7976931348623158e+304) AND 1.7976931348623158e+304 THEN CAST(`odd "na'me"` AS FLOAT64) WHEN `odd "na'me"` IS NULL THEN (-2e+00) END - 1e-01) / 7e+00)
  + CASE WHEN `region` IS NULL THEN 7.5e-01 ELSE CASE CAST(`region` AS STRING)
      WHEN '' THEN 5e-01
      WHEN 'Côte d\'Ivoire' THEN (-2.5e-01)
      WHEN 'back\\slash "q"' THEN 1.25e-01
      WHEN 'süd' THEN 6.25e-02
      ELSE 0e+00 END END
  + CASE WHEN `side` IS NULL THEN 0e+00 ELSE CASE CAST(`side` AS STRING)
      WHEN 'left' THEN 0e+00
      WHEN 'right' THEN 3.75e-01
      ELSE 0e+00 END END
  + CASE WHEN `few` IS NULL THEN (-4e-01) ELSE CASE CAST(`few` AS STRING)
      WHEN 'x' THEN 0e+00
      ELSE 0e+00 END END
  + CASE WHEN `known` IS NULL THEN 0e+00 WHEN CAST(`known` AS BOOL) THEN (-3e-01) ELSE 0e+00 END
  + CASE WHEN `maybe` IS NULL THEN 3.3e-01 WHEN CAST(`maybe` AS BOOL) THEN 2.2e-01 ELSE 1.1e-01 END
  + CASE WHEN `floors` IS NULL THEN 0e+00 ELSE CASE CAST(`floors` AS FLOAT64)
      WHEN (-1e+00) THEN 3e-01
      WHEN 0e+00 THEN 2e-01
      WHEN 2.1e+00 THEN (-6e-01)
      ELSE 0e+00 END END
  + CASE WHEN `code` IS NULL THEN 7e-01 ELSE CASE CAST(`code` AS FLOAT64)
      WHEN 1e+00 THEN 9e-01
      WHEN 2e+00 THEN (-8e-01)
      ELSE 0e+00 END END
  + CASE WHEN `model` IS NULL THEN 0e+00 ELSE CASE CAST(`model` AS STRING)
      WHEN '1' THEN 1.5e-01
      WHEN '1.0' THEN 2.5e-01
      WHEN '01' THEN 3.5e-01
      ELSE 0e+00 END END
) AS log_prediction
FROM data
)
SELECT *, CASE
  WHEN log_prediction < (-7e+02) THEN (-1e+00)
  WHEN log_prediction <= 6.997768564486857e+02 THEN 1.25e+00 * EXP(log_prediction) - 1e+00
END AS prediction
FROM scored;
