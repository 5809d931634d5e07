"""Makes small tables in the shape and with the mess of well-known public ones.

    pip install numpy pandas pyarrow polars openpyxl
    python make.py

Every value is drawn by a seed; nothing is taken from the public tables but the names and
spellings of columns and levels, and what makes a first try fail. Which columns carry the
target and which give it away stands in public_test.go.
"""
import datetime
import os

import numpy as np
import pandas as pd
import polars as pl

os.chdir(os.path.dirname(os.path.abspath(__file__)))


def logistic(rng, score):
    return rng.random(len(score)) < 1 / (1 + np.exp(-score))


def lines(name, rows, sep, head=None, encoding="utf-8", end="\n"):
    with open(name, "w", encoding=encoding, newline="") as f:
        for row in ([head] if head else []) + rows:
            f.write(sep.join(str(v) for v in row) + end)


def days(start, ds):
    return [(start + datetime.timedelta(int(d))).isoformat() if d == d else "" for d in ds]


def adult():
    """No header, a space after every comma, ` ?`, and of two parts the second with a full stop
    after the label, as in the test file of the original."""
    rng = np.random.default_rng(1)
    n = 400
    age = rng.integers(17, 80, n)
    work = rng.choice(["Private", "State-gov", "Self-emp-inc", "?"], n, p=[.7, .1, .1, .1])
    weight = rng.integers(20000, 400000, n)
    school, years = np.array(["HS-grad", "Bachelors", "Masters", "11th"]), np.array([9, 13, 14, 7])
    k = rng.choice(4, n, p=[.45, .25, .15, .15])
    married = rng.choice(["Married-civ-spouse", "Never-married", "Divorced"], n, p=[.5, .3, .2])
    hours = rng.integers(15, 70, n)
    rich = logistic(rng, -2.1 + .04 * (age - 40) + .4 * (years[k] - 10) + 1.8 * (married == "Married-civ-spouse") - .9 + .03 * (hours - 40))
    rows = [[age[i], work[i], weight[i], school[k[i]], years[k[i]], married[i], rng.choice(["Male", "Female"]), hours[i],
             (">50K" if rich[i] else "<=50K") + ("." if i >= 250 else "")] for i in range(n)]
    lines("adult.data", rows, ", ")


def recidivism():
    """Dates and times, identifiers, two columns of one name, and columns that were filled in
    for those who were arrested again."""
    rng = np.random.default_rng(2)
    n = 500
    priors = rng.poisson(2.5, n)
    age = rng.integers(18, 70, n)
    again = logistic(rng, -.2 + .35 * (priors - 2.5) - .05 * (age - 40))
    screen = rng.integers(0, 700, n)
    jail = np.where(rng.random(n) < .06, np.nan, screen - rng.integers(0, 3, n))
    rearrest = np.where(again, screen + rng.integers(20, 700, n), np.nan)
    custody = np.where(again & (rng.random(n) < .8), np.nan_to_num(rearrest) + 1, np.where(rng.random(n) < .9, jail, np.nan))
    start = datetime.date(2013, 1, 2)
    names = [f"{a} {b}" for a, b in zip(rng.choice(["ann", "bob", "cem", "dee", "eva", "fay"], n), (f"doe{i:03d}" for i in rng.permutation(n)))]
    text = lambda v: "" if v != v else str(v)
    df = [[i + 1, names[i], rng.choice(["Male", "Female"], p=[.8, .2]), age[i], priors[i], d, j, f"13{rng.integers(10**6, 10**7):07d}CF10A",
           rng.choice(["F", "M"]), int(again[i]), f"13{rng.integers(10**6, 10**7):07d}TC30A" if again[i] else "", a,
           rng.choice(["Battery", "Theft", "Driving"]) if again[i] else "", c, "", priors[i], int(again[i])]
          for i, (d, j, a, c) in enumerate(zip(days(start, screen), days(start, jail), days(start, rearrest), days(start, custody)))]
    head = ["id", "name", "sex", "age", "priors_count", "compas_screening_date", "c_jail_in", "c_case_number", "c_charge_degree", "is_recid", "r_case_number",
            "r_offense_date", "r_charge_desc", "in_custody", "violent_recid", "priors_count", "two_year_recid"]
    lines("recidivism.csv", df, ",", head)


def credit():
    """No header, spaces between the fields, codes, the label 1 or 2."""
    rng = np.random.default_rng(3)
    n = 300
    status = rng.choice(["A11", "A12", "A13", "A14"], n)
    months = rng.choice([6, 12, 18, 24, 36, 48], n)
    history = rng.choice(["A30", "A32", "A34"], n)
    amount = rng.integers(250, 15000, n)
    age = rng.integers(19, 75, n)
    bad = logistic(rng, -1 + 2.6 * (status == "A11") + .07 * (months - 24) - 2 * (history == "A34"))
    lines("german.data", [[status[i], months[i], history[i], amount[i], rng.choice(["A61", "A65"]), age[i], 1 + int(bad[i])] for i in range(n)], " ")


def bank():
    """Semicolons, every text in quotes, the length of the call that decides."""
    rng = np.random.default_rng(4)
    n = 400
    job = rng.choice(["admin.", "blue-collar", "retired", "student", "unknown"], n)
    balance = rng.integers(-500, 6000, n)
    contact = rng.choice(["cellular", "telephone", "unknown"], n)
    pdays = np.where(rng.random(n) < .75, -1, rng.integers(1, 400, n))
    yes = logistic(rng, -.9 + 1.5 * (job == "student") + .0005 * (balance - 2500) - 2 * (contact == "unknown") + 1.5 * (pdays > 0))
    duration = np.round(np.exp(rng.normal(4.6 + 1.2 * yes, .6, n))).astype(int)
    month = rng.choice(["jan", "may", "jul", "oct"], n)
    pd.DataFrame({"age": rng.integers(18, 80, n), "job": job, "balance": balance, "contact": contact, "month": month, "duration": duration, "pdays": pdays,
                  "poutcome": np.where(pdays < 0, "unknown", rng.choice(["failure", "success"], n)), "y": np.where(yes, "yes", "no")}).to_csv("bank.csv", sep=";", index=False, quoting=2)


def titanic():
    """Names with commas in quotes, tickets, cabins that most do not have, ages missing, the
    boat that took those who survived."""
    rng = np.random.default_rng(5)
    n = 400
    sex = rng.choice(["male", "female"], n, p=[.62, .38])
    klass = rng.choice([1, 2, 3], n, p=[.25, .2, .55])
    age = np.where(rng.random(n) < .2, np.nan, rng.integers(1, 75, n))
    lived = logistic(rng, -1 + 2.5 * (sex == "female") - .9 * (klass - 2))
    frame = pd.DataFrame({
        "PassengerId": np.arange(1, n + 1), "Survived": lived.astype(int), "Pclass": klass,
        "Name": [f"{a}{i}, {'Mr.' if s == 'male' else 'Mrs.'} {b}" for i, (a, b, s) in enumerate(zip(rng.choice(["Smith", "O'Leary", "Berg"], n), rng.choice(["John", "Ada \"Di\""], n), sex))],
        "Sex": sex, "Age": age, "SibSp": rng.poisson(.5, n), "Ticket": [f"{rng.choice(['PC ', 'A/5 ', ''])}{t}" for t in rng.integers(10000, 400000, n)],
        "Fare": np.round(np.exp(rng.normal(4.2 - .7 * klass, .5, n)), 4), "Cabin": [f"{rng.choice(list('BCD'))}{rng.integers(1, 99)}" if rng.random() < .2 else "" for _ in range(n)],
        "Embarked": rng.choice(["S", "C", "Q", ""], n, p=[.7, .19, .1, .01]), "boat": [rng.choice(["4", "11", "15", "A", "C D"]) if a else "" for a in lived]})
    frame.to_csv("titanic.csv", index=False)


def houses():
    """A spreadsheet's export for Excel in Windows-1252: semicolons, thousands,
    currency, dates as 31/12/2019."""
    rng = np.random.default_rng(6)
    n = 300
    area = rng.integers(40, 250, n)
    town = rng.choice(["Zürich", "Genève", "Chur"], n)
    sold = rng.integers(0, 1400, n)
    price = 9000 * area * np.where(town == "Zürich", 1.5, np.where(town == "Genève", 1.3, .8)) * np.exp(rng.normal(0, .12, n)) + 150 * sold
    money = lambda v: f"£{v:,.0f}"
    rows = [[f"H-{1000 + i}", town[i], area[i], rng.integers(1900, 2020), f"{12.5 * rng.random():.1f}%", (datetime.date(2019, 1, 1) + datetime.timedelta(int(sold[i]))).strftime("%d/%m/%Y"),
             money(price[i])] for i in range(n)]
    lines("houses.csv", rows, ";", ["Property ID", "Town", "Floor area (m²)", "Built", "Service charge", "Date sold", "Price"], "cp1252", "\r\n")


def readmission():
    """Two identifiers, `?` in many columns, codes of diagnoses of many levels, weights that
    nearly nobody has."""
    rng = np.random.default_rng(7)
    n = 500
    visits = rng.poisson(1, n)
    stay = rng.integers(1, 14, n)
    code = rng.choice([f"I{c}" for c in range(10, 50)] + ["?"], n)
    race = rng.choice(["Caucasian", "AfricanAmerican", "?"], n, p=[.7, .2, .1])
    back = logistic(rng, -.8 + 1.3 * (visits - 1) + .3 * (stay - 7))
    pd.DataFrame({"encounter_id": rng.permutation(np.arange(10**8, 10**8 + 9999))[:n], "patient_nbr": rng.integers(10**6, 10**8, n), "race": race,
                  "age": rng.choice([f"[{10 * k}-{10 * k + 10})" for k in range(3, 9)], n), "weight": np.where(rng.random(n) < .97, "?", "[75-100)"),
                  "time_in_hospital": stay, "medical_specialty": rng.choice(["?", "Cardiology", "Surgery-General"], n), "number_inpatient": visits, "num_medications": np.where(rng.random(n) < .04, "?", rng.integers(1, 30, n).astype(str)), "diag_1": code,
                  "insulin": rng.choice(["No", "Up", "Steady"], n), "readmitted": np.where(back, "YES", "NO")}).to_csv("readmission.csv", index=False)


def trips():
    """Parquet: timestamps of both ends and the duration that lies between them."""
    rng = np.random.default_rng(8)
    n = 400
    begin = np.datetime64("2024-03-01T00:00:00") + rng.integers(0, 30 * 86400, n).astype("timedelta64[s]")
    hour = begin.astype("datetime64[h]").astype(int) % 24
    distance = np.round(np.exp(rng.normal(1, .6, n)), 2)
    took = (distance * 180 * np.exp(rng.normal(0, .25, n)) + 240 * ((hour > 7) & (hour < 19))).astype(int)
    fare = np.round(3 + 1.6 * distance + .006 * took + rng.normal(0, .8, n), 2)
    tip = np.round(.15 * fare * (rng.random(n) < .6), 2)
    pd.DataFrame({"VendorID": rng.choice([1, 2], n), "tpep_pickup_datetime": begin, "tpep_dropoff_datetime": begin + took.astype("timedelta64[s]"), "trip_distance": distance,
                  "took": took.astype("timedelta64[s]"), "payment_type": pd.Categorical(rng.choice(["card", "cash"], n)), "fare_amount": fare, "tip_amount": tip,
                  "total_amount": np.round(fare + tip, 2)}).to_parquet("trips.parquet", compression="zstd")


def wine():
    """Semicolons, decimal commas, names with spaces, a mark of UTF-8."""
    rng = np.random.default_rng(9)
    n = 300
    alcohol, acid = np.round(rng.uniform(8, 14, n), 1), np.round(rng.uniform(.1, 1.2, n), 2)
    sugar, sulphates = np.round(np.exp(rng.normal(.8, .5, n)), 1), np.round(rng.uniform(.3, 1, n), 2)
    quality = np.clip(np.round(5.5 + .45 * (alcohol - 11) - 1.6 * (acid - .6) + .9 * sulphates - .6 + rng.normal(0, .6, n)), 3, 9).astype(int)
    pd.DataFrame({"volatile acidity": acid, "residual sugar": sugar, "sulphates": sulphates, "alcohol": alcohol, "quality": quality}).to_csv(
        "wine.csv", sep=";", decimal=",", index=False, encoding="utf-8-sig")


def churn():
    """Parquet by polars: categories, an enumeration, nulls in all of them, a list, a copy of
    the target in words."""
    rng = np.random.default_rng(10)
    n = 400
    plan = rng.choice(["basic", "plus", "pro"], n)
    age = rng.integers(18, 80, n)
    calls = rng.poisson(2, n)
    left = logistic(rng, -1 + .7 * (calls - 2) + 1.6 * (plan == "basic") - .5)
    gaps = lambda v, p: [None if rng.random() < p else x for x in v]
    pl.DataFrame({"customer_id": [f"{x:08x}" for x in rng.permutation(10**6)[:n]], "plan": pl.Series(plan, dtype=pl.Enum(["basic", "plus", "pro"])),
                  "region": pl.Series(gaps(rng.choice(["north", "south"], n).tolist(), .1), dtype=pl.Categorical), "age": pl.Series(gaps(age.tolist(), .15), dtype=pl.Int16),
                  "support_calls": calls, "tags": [[int(a) % 3] for a in age], "nothing": pl.Series([None] * n, dtype=pl.Null),
                  "status": np.where(left, "gone", "active"), "churn": left}).write_parquet("churn.parquet", compression="zstd")


for make in adult, recidivism, credit, bank, titanic, houses, readmission, trips, wine, churn:
    make()
