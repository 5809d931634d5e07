-- y, in its own units
SELECT *, (-2.5025e+02::float8) + 1.25e+01::float8 * (
  (-5e-01::float8)
  + 2.5e-01::float8 * ((COALESCE(CAST("age" AS DOUBLE PRECISION), 4e+01::float8) - 1e+06::float8) / 3.333333333333333e-01::float8)
  + (-7.5e-01::float8) * ((COALESCE(CAST("odd ""na'me""" AS DOUBLE PRECISION), (-2e+00::float8)) - 1e-01::float8) / 7e+00::float8)
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
  + CASE WHEN "known" IS NULL THEN 0e+00::float8 WHEN CAST("known" AS BOOLEAN) THEN (-3e-01::float8) ELSE 0e+00::float8 END
  + CASE WHEN "maybe" IS NULL THEN 3.3e-01::float8 WHEN CAST("maybe" AS BOOLEAN) THEN 2.2e-01::float8 ELSE 1.1e-01::float8 END
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
      WHEN '1' THEN 1.5e-01::float8
      WHEN '1.0' THEN 2.5e-01::float8
      WHEN '01' THEN 3.5e-01::float8
      ELSE 0e+00::float8 END END
  + 3e-01::float8 * ((CASE WHEN COALESCE(CAST("income" AS DOUBLE PRECISION), 2.5e+00::float8) > 0e+00::float8 THEN LN(COALESCE(CAST("income" AS DOUBLE PRECISION), 2.5e+00::float8)) END - 5e-01::float8) / 1.5e+00::float8)
  + (-2e-01::float8) * ((CASE WHEN COALESCE(CAST("income" AS DOUBLE PRECISION), 2.5e+00::float8) <= (-1e+00::float8) THEN NULL WHEN 1e+00::float8 + COALESCE(CAST("income" AS DOUBLE PRECISION), 2.5e+00::float8) = 1e+00::float8 THEN COALESCE(CAST("income" AS DOUBLE PRECISION), 2.5e+00::float8) ELSE LN(1e+00::float8 + COALESCE(CAST("income" AS DOUBLE PRECISION), 2.5e+00::float8)) * (COALESCE(CAST("income" AS DOUBLE PRECISION), 2.5e+00::float8) / ((1e+00::float8 + COALESCE(CAST("income" AS DOUBLE PRECISION), 2.5e+00::float8)) - 1e+00::float8)) END - 1e+00::float8) / 3e+00::float8)
  + 1.1e-01::float8 * ((COALESCE(CAST("age" AS DOUBLE PRECISION), 4e+01::float8) * COALESCE(CAST("age" AS DOUBLE PRECISION), 4e+01::float8) - 1e+12::float8) / 1e+06::float8)
  + 6e-02::float8 * ((CASE WHEN COALESCE(CAST("odd ""na'me""" AS DOUBLE PRECISION), (-2e+00::float8)) < (-2e+01::float8) THEN 1e+00::float8 + 1e-01::float8 * (COALESCE(CAST("odd ""na'me""" AS DOUBLE PRECISION), (-2e+00::float8)) - (-2e+01::float8))
      WHEN COALESCE(CAST("odd ""na'me""" AS DOUBLE PRECISION), (-2e+00::float8)) < 5e-01::float8 THEN 1e+00::float8 + (COALESCE(CAST("odd ""na'me""" AS DOUBLE PRECISION), (-2e+00::float8)) - (-2e+01::float8)) * (1e-01::float8 + (COALESCE(CAST("odd ""na'me""" AS DOUBLE PRECISION), (-2e+00::float8)) - (-2e+01::float8)) * (0e+00::float8 + (COALESCE(CAST("odd ""na'me""" AS DOUBLE PRECISION), (-2e+00::float8)) - (-2e+01::float8)) * (-1e-04::float8)))
      WHEN COALESCE(CAST("odd ""na'me""" AS DOUBLE PRECISION), (-2e+00::float8)) < 7e+01::float8 THEN 2.2e+00::float8 + (COALESCE(CAST("odd ""na'me""" AS DOUBLE PRECISION), (-2e+00::float8)) - 5e-01::float8) * ((-2e-02::float8) + (COALESCE(CAST("odd ""na'me""" AS DOUBLE PRECISION), (-2e+00::float8)) - 5e-01::float8) * ((-6e-03::float8) + (COALESCE(CAST("odd ""na'me""" AS DOUBLE PRECISION), (-2e+00::float8)) - 5e-01::float8) * 1e-04::float8))
      WHEN COALESCE(CAST("odd ""na'me""" AS DOUBLE PRECISION), (-2e+00::float8)) >= 7e+01::float8 THEN (-1.1e+00::float8) + (-1.1e-01::float8) * (COALESCE(CAST("odd ""na'me""" AS DOUBLE PRECISION), (-2e+00::float8)) - 7e+01::float8) END - 2e-01::float8) / 8e-01::float8)
  + 5e-04::float8 * ((COALESCE(CAST("income" AS DOUBLE PRECISION), 2.5e+00::float8) * COALESCE(CAST("odd ""na'me""" AS DOUBLE PRECISION), (-2e+00::float8)) - 9e+00::float8) / 6e+00::float8)
  + 4e-02::float8 * ((CASE WHEN CAST("region" AS TEXT) = 'Côte d''Ivoire' THEN 1e+00::float8 ELSE 0e+00::float8 END * COALESCE(CAST("odd ""na'me""" AS DOUBLE PRECISION), (-2e+00::float8)) - 3e-01::float8) / 7e+00::float8)
  + 5e-02::float8 * ((CASE WHEN "region" IS NULL THEN 1e+00::float8 ELSE 0e+00::float8 END * COALESCE(CAST("odd ""na'me""" AS DOUBLE PRECISION), (-2e+00::float8)) - 3e-01::float8) / 7e+00::float8)
  + 6e-02::float8 * ((CASE WHEN CAST("side" AS TEXT) = 'left' THEN 1e+00::float8 ELSE 0e+00::float8 END * COALESCE(CAST("odd ""na'me""" AS DOUBLE PRECISION), (-2e+00::float8)) - 3e-01::float8) / 7e+00::float8)
  + 7e-02::float8 * ((CASE WHEN "few" IS NULL THEN 1e+00::float8 ELSE 0e+00::float8 END * COALESCE(CAST("odd ""na'me""" AS DOUBLE PRECISION), (-2e+00::float8)) - 3e-01::float8) / 7e+00::float8)
  + 8e-02::float8 * ((CASE WHEN NOT CAST("known" AS BOOLEAN) THEN 1e+00::float8 ELSE 0e+00::float8 END * COALESCE(CAST("odd ""na'me""" AS DOUBLE PRECISION), (-2e+00::float8)) - 3e-01::float8) / 7e+00::float8)
  + 9e-02::float8 * ((CASE WHEN CAST("known" AS BOOLEAN) THEN 1e+00::float8 ELSE 0e+00::float8 END * COALESCE(CAST("odd ""na'me""" AS DOUBLE PRECISION), (-2e+00::float8)) - 3e-01::float8) / 7e+00::float8)
  + 1e-01::float8 * ((CASE WHEN CAST("maybe" AS BOOLEAN) THEN 1e+00::float8 ELSE 0e+00::float8 END * COALESCE(CAST("odd ""na'me""" AS DOUBLE PRECISION), (-2e+00::float8)) - 3e-01::float8) / 7e+00::float8)
  + 1.1000000000000001e-01::float8 * ((CASE WHEN NOT CAST("maybe" AS BOOLEAN) THEN 1e+00::float8 ELSE 0e+00::float8 END * COALESCE(CAST("odd ""na'me""" AS DOUBLE PRECISION), (-2e+00::float8)) - 3e-01::float8) / 7e+00::float8)
  + 1.2e-01::float8 * ((CASE WHEN "maybe" IS NULL THEN 1e+00::float8 ELSE 0e+00::float8 END * COALESCE(CAST("odd ""na'me""" AS DOUBLE PRECISION), (-2e+00::float8)) - 3e-01::float8) / 7e+00::float8)
  + 1.3e-01::float8 * ((CASE WHEN CAST("floors" AS DOUBLE PRECISION) = 2.1e+00::float8 THEN 1e+00::float8 ELSE 0e+00::float8 END * COALESCE(CAST("odd ""na'me""" AS DOUBLE PRECISION), (-2e+00::float8)) - 3e-01::float8) / 7e+00::float8)
  + 1.4e-01::float8 * ((CASE WHEN CAST("code" AS DOUBLE PRECISION) = 1e+00::float8 THEN 1e+00::float8 ELSE 0e+00::float8 END * COALESCE(CAST("odd ""na'me""" AS DOUBLE PRECISION), (-2e+00::float8)) - 3e-01::float8) / 7e+00::float8)
  + 1.5e-01::float8 * ((CASE WHEN "code" IS NULL THEN 1e+00::float8 ELSE 0e+00::float8 END * COALESCE(CAST("odd ""na'me""" AS DOUBLE PRECISION), (-2e+00::float8)) - 3e-01::float8) / 7e+00::float8)
  + 1.6e-01::float8 * ((CASE WHEN CAST("model" AS TEXT) = '1.0' THEN 1e+00::float8 ELSE 0e+00::float8 END * COALESCE(CAST("odd ""na'me""" AS DOUBLE PRECISION), (-2e+00::float8)) - 3e-01::float8) / 7e+00::float8)
) AS prediction
FROM data;
