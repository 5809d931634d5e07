-- probability that y is it's <ok>
WITH scored AS (
SELECT *, (
  (-5e-01)
  + 2.5e-01 * ((COALESCE(CAST(`age` AS FLOAT64), 4e+01) - 1e+06) / 3.333333333333333e-01)
  + (-7.5e-01) * ((COALESCE(CAST(`odd "na'me"` AS FLOAT64), (-2e+00)) - 1e-01) / 7e+00)
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
  + 3e-01 * ((CASE WHEN COALESCE(CAST(`income` AS FLOAT64), 2.5e+00) > 0e+00 THEN LN(COALESCE(CAST(`income` AS FLOAT64), 2.5e+00)) END - 5e-01) / 1.5e+00)
  + (-2e-01) * ((CASE WHEN COALESCE(CAST(`income` AS FLOAT64), 2.5e+00) <= (-1e+00) THEN NULL WHEN 1e+00 + COALESCE(CAST(`income` AS FLOAT64), 2.5e+00) = 1e+00 THEN COALESCE(CAST(`income` AS FLOAT64), 2.5e+00) ELSE LN(1e+00 + COALESCE(CAST(`income` AS FLOAT64), 2.5e+00)) * (COALESCE(CAST(`income` AS FLOAT64), 2.5e+00) / ((1e+00 + COALESCE(CAST(`income` AS FLOAT64), 2.5e+00)) - 1e+00)) END - 1e+00) / 3e+00)
  + 1.1e-01 * ((COALESCE(CAST(`age` AS FLOAT64), 4e+01) * COALESCE(CAST(`age` AS FLOAT64), 4e+01) - 1e+12) / 1e+06)
  + 6e-02 * ((CASE WHEN COALESCE(CAST(`odd "na'me"` AS FLOAT64), (-2e+00)) < (-2e+01) THEN 1e+00 + 1e-01 * (COALESCE(CAST(`odd "na'me"` AS FLOAT64), (-2e+00)) - (-2e+01))
      WHEN COALESCE(CAST(`odd "na'me"` AS FLOAT64), (-2e+00)) < 5e-01 THEN 1e+00 + (COALESCE(CAST(`odd "na'me"` AS FLOAT64), (-2e+00)) - (-2e+01)) * (1e-01 + (COALESCE(CAST(`odd "na'me"` AS FLOAT64), (-2e+00)) - (-2e+01)) * (0e+00 + (COALESCE(CAST(`odd "na'me"` AS FLOAT64), (-2e+00)) - (-2e+01)) * (-1e-04)))
      WHEN COALESCE(CAST(`odd "na'me"` AS FLOAT64), (-2e+00)) < 7e+01 THEN 2.2e+00 + (COALESCE(CAST(`odd "na'me"` AS FLOAT64), (-2e+00)) - 5e-01) * ((-2e-02) + (COALESCE(CAST(`odd "na'me"` AS FLOAT64), (-2e+00)) - 5e-01) * ((-6e-03) + (COALESCE(CAST(`odd "na'me"` AS FLOAT64), (-2e+00)) - 5e-01) * 1e-04))
      WHEN COALESCE(CAST(`odd "na'me"` AS FLOAT64), (-2e+00)) >= 7e+01 THEN (-1.1e+00) + (-1.1e-01) * (COALESCE(CAST(`odd "na'me"` AS FLOAT64), (-2e+00)) - 7e+01) END - 2e-01) / 8e-01)
  + 5e-04 * ((COALESCE(CAST(`income` AS FLOAT64), 2.5e+00) * COALESCE(CAST(`odd "na'me"` AS FLOAT64), (-2e+00)) - 9e+00) / 6e+00)
  + 4e-02 * ((CASE WHEN CAST(`region` AS STRING) = 'Côte d\'Ivoire' THEN 1e+00 ELSE 0e+00 END * COALESCE(CAST(`odd "na'me"` AS FLOAT64), (-2e+00)) - 3e-01) / 7e+00)
  + 5e-02 * ((CASE WHEN `region` IS NULL THEN 1e+00 ELSE 0e+00 END * COALESCE(CAST(`odd "na'me"` AS FLOAT64), (-2e+00)) - 3e-01) / 7e+00)
  + 6e-02 * ((CASE WHEN CAST(`side` AS STRING) = 'left' THEN 1e+00 ELSE 0e+00 END * COALESCE(CAST(`odd "na'me"` AS FLOAT64), (-2e+00)) - 3e-01) / 7e+00)
  + 7e-02 * ((CASE WHEN `few` IS NULL THEN 1e+00 ELSE 0e+00 END * COALESCE(CAST(`odd "na'me"` AS FLOAT64), (-2e+00)) - 3e-01) / 7e+00)
  + 8e-02 * ((CASE WHEN NOT CAST(`known` AS BOOL) THEN 1e+00 ELSE 0e+00 END * COALESCE(CAST(`odd "na'me"` AS FLOAT64), (-2e+00)) - 3e-01) / 7e+00)
  + 9e-02 * ((CASE WHEN CAST(`known` AS BOOL) THEN 1e+00 ELSE 0e+00 END * COALESCE(CAST(`odd "na'me"` AS FLOAT64), (-2e+00)) - 3e-01) / 7e+00)
  + 1e-01 * ((CASE WHEN CAST(`maybe` AS BOOL) THEN 1e+00 ELSE 0e+00 END * COALESCE(CAST(`odd "na'me"` AS FLOAT64), (-2e+00)) - 3e-01) / 7e+00)
  + 1.1000000000000001e-01 * ((CASE WHEN NOT CAST(`maybe` AS BOOL) THEN 1e+00 ELSE 0e+00 END * COALESCE(CAST(`odd "na'me"` AS FLOAT64), (-2e+00)) - 3e-01) / 7e+00)
  + 1.2e-01 * ((CASE WHEN `maybe` IS NULL THEN 1e+00 ELSE 0e+00 END * COALESCE(CAST(`odd "na'me"` AS FLOAT64), (-2e+00)) - 3e-01) / 7e+00)
  + 1.3e-01 * ((CASE WHEN CAST(`floors` AS FLOAT64) = 2.1e+00 THEN 1e+00 ELSE 0e+00 END * COALESCE(CAST(`odd "na'me"` AS FLOAT64), (-2e+00)) - 3e-01) / 7e+00)
  + 1.4e-01 * ((CASE WHEN CAST(`code` AS FLOAT64) = 1e+00 THEN 1e+00 ELSE 0e+00 END * COALESCE(CAST(`odd "na'me"` AS FLOAT64), (-2e+00)) - 3e-01) / 7e+00)
  + 1.5e-01 * ((CASE WHEN `code` IS NULL THEN 1e+00 ELSE 0e+00 END * COALESCE(CAST(`odd "na'me"` AS FLOAT64), (-2e+00)) - 3e-01) / 7e+00)
  + 1.6e-01 * ((CASE WHEN CAST(`model` AS STRING) = '1.0' THEN 1e+00 ELSE 0e+00 END * COALESCE(CAST(`odd "na'me"` AS FLOAT64), (-2e+00)) - 3e-01) / 7e+00)
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
