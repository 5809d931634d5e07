package value

import (
	"context"
	_ "embed"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/drotrain/drotrain/data"
)

//go:embed gather.R
var gatherR []byte

//go:embed gather.py
var gatherPython []byte

// Gather writes tables of packages of R and Python as CSV files to dir: those whose package
// is installed. r is the program Rscript, python an interpreter; empty: none of its tables.
func Gather(ctx context.Context, r, python, dir string) error {
	for _, by := range []struct {
		program, file string
		text          []byte
	}{{r, "gather.R", gatherR}, {python, "gather.py", gatherPython}} {
		if by.program == "" {
			continue
		}
		path := filepath.Join(dir, by.file)
		if err := os.WriteFile(path, by.text, 0o600); err != nil {
			return err
		}
		if out, err := exec.CommandContext(ctx, by.program, path, dir).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", by.program, err, out)
		}
	}
	return nil
}

// gathered are the tables of packages.
func gathered() []Table {
	seen := InView
	of := func(name, about, target string, groups ...string) Table {
		return Table{Name: name, About: about, Target: target, Groups: groups, Seen: seen, Package: true, read: func(ctx context.Context, from Sources) (*data.Frame, error) {
			path := filepath.Join(from.Gathered, name+".csv")
			if from.Gathered == "" {
				return nil, fs.ErrNotExist
			}
			if _, err := os.Stat(path); err != nil {
				return nil, err
			}
			return data.Read(ctx, path)
		}}
	}
	all := []Table{
		of("Boston", "house values (MASS), groups by access to highways", "medv", "highway"),
		of("diamonds", "log prices of 10 000 diamonds (ggplot2), groups by cut", "price", "cut"),
		of("SLID", "wages in Ontario (carData), groups sex × language", "wages", "sex", "language"),
		of("NMES1988", "visits to physicians (AER), groups by health", "visits", "health"),
		of("HealthInsurance", "self-reported health (AER), groups gender × ethnicity", "health", "gender", "ethnicity"),
		of("CollegeDistance", "test scores (AER), groups by ethnicity", "score", "ethnicity"),
		of("SmokeBan", "smokers (AER), groups afam × hispanic", "smoker", "afam", "hispanic"),
		of("Fertility2", "a third child (AER), groups afam × hispanic", "morekids", "afam", "hispanic"),
		of("CPSSW8", "hourly earnings of 20 000 (AER), groups gender × region", "earnings", "gender", "region"),
		of("GSS7402", "women's number of children (AER), groups by ethnicity", "kids", "ethnicity"),
		of("MathAchieve", "mathematics (nlme), groups minority × sex", "MathAch", "Minority", "Sex"),
		of("flchain", "deaths (survival), groups by sex", "death", "sex"),
		of("GermanCredit", "bad credits (caret), groups by telephone", "Class", "telephone"),
		of("segmentation", "badly segmented cells (caret), groups by a quartile of area", "Class", "large"),
	}
	all = append(all,
		of("DoctorVisits", "visits to doctors (AER), groups by gender", "visits", "gender"),
		of("CreditCard", "credit cards granted (AER), groups by home ownership", "card", "owner"),
		of("HousePrices", "log prices in Windsor (AER), groups by neighbourhood", "price", "prefer"),
		of("PSID1982", "log wages (AER), groups by ethnicity", "wage", "ethnicity"),
		of("Affairs", "affairs (AER), groups by gender", "affairs", "gender"),
		of("Vocab", "vocabulary of 10 000 (carData), groups by sex", "vocabulary", "sex"),
		of("Arrests", "releases after arrest (carData), groups colour × sex", "released", "colour", "sex"),
		of("Sacramento", "log prices (caret), groups by type", "price", "type"),
		of("VerbAgg", "verbal aggression (lme4), groups gender × behaviour", "r2", "Gender", "btype"),
		of("rotterdam", "deaths (survival), groups by chemotherapy", "death", "chemo"),
		of("quakes", "magnitudes (datasets), groups by depth", "mag", "deep"),
		of("Chile", "yes or no to Pinochet (carData), groups by sex", "vote", "sex"),
		of("ResumeNames", "calls after an application (AER), groups ethnicity × gender", "call", "ethnicity", "gender"),
		of("CPS1985", "log wages (AER), groups by gender", "wage", "gender"),
		of("TeachingRatings", "ratings of teachers (AER), groups minority × gender", "eval", "minority", "gender"),
		of("TitanicSurvival", "survivors (carData), groups sex × class", "survived", "sex", "passengerClass"),
		of("Salaries", "log salaries of professors (carData), groups by sex", "salary", "sex"),
		of("BEPS", "votes for Labour (carData), groups by gender", "vote", "gender"),
		of("WVS", "too little is done against poverty (carData), groups by country", "poverty", "country"),
		of("Mroz", "women at work (carData), groups by college of the wife", "lfp", "wc"),
		of("nwtco", "relapses (survival), groups by stage", "rel", "stage"),
		of("colon", "deaths (survival), groups by obstruction", "status", "obstruct"),
		of("midwest", "poverty of counties (ggplot2), groups by state", "percbelowpoverty", "state"),
		of("cars", "log prices of used cars (caret), groups by body", "Price", "body"))
	seen = Fresh
	all = append(all,
		of("SwissLabor", "women at work (AER), groups by nationality", "participation", "foreign"),
		of("Medicaid1986", "visits to doctors (AER), groups by programme", "visits", "program"),
		of("CPSSW9204", "hourly earnings of 8000 (AER), groups gender × year", "earnings", "gender", "year"),
		of("GSSvocab", "vocabulary of 8000 (carData), groups nativity × gender", "vocab", "nativeBorn", "gender"),
		of("Cowles", "volunteers (carData), groups by sex", "volunteer", "sex"),
		of("CES11", "abortion to be banned (carData), groups gender × place", "abortion", "gender", "urban"),
		of("mgus2", "deaths (survival), groups by sex", "death", "sex"),
		of("gbsg", "relapses (survival), groups by grade", "status", "grade"))
	seen = Last
	return append(all,
		of("loanapp", "mortgages granted, groups black × hispanic", "approve", "black", "hispan"),
		of("mlc_churn", "customers of a telephone who leave, groups by international plan", "churn", "international_plan"),
		of("wa_churn", "customers who leave, groups senior × gender", "churn", "senior_citizen", "female"),
		of("credit_data", "bad credits, groups by home", "Status", "Home"),
		of("lending_club", "bad loans, groups by verification", "Class", "verification_status"),
		of("nhefs_complete", "deaths, groups sex × race", "death", "sex", "race"),
		of("restaurant_inspections", "scores of restaurants, groups by weekend", "inspection_score", "Weekend"),
		of("Benefits", "unemployment benefits, groups sex × race", "ui", "sex", "nwhite"),
		of("HI", "health insurance by one's work, groups by race", "whi", "race"),
		of("Default", "defaults, groups by student", "default", "student"),
		of("Wage", "log wages, groups by race", "logwage", "race"),
		of("OJ", "which juice, groups by store", "Purchase", "STORE"),
		of("email", "spam, groups by kind of number in the text", "spam", "number"),
		of("births14", "weight at birth, groups by smoking", "weight", "habit"),
		of("nlswork", "log wages of women, groups by race", "ln_wage", "race"),
		of("gss_wages", "log income, groups by gender", "realrinc", "gender"),
		of("TV16", "votes for Trump, groups by race", "votetrump", "racef"),
		of("nassCDS", "deaths in crashes, groups sex × airbag", "dead", "sex", "airbag"),
		of("k401ksubs", "retirement accounts, groups married × male", "pira", "marr", "male"),
		of("gpa2", "grades, groups by athlete", "colgpa", "athlete"),
		of("twoyear", "log wages, groups female × black", "lwage", "female", "black"),
		of("card", "log wages, groups black × south", "lwage", "black", "south"),
		of("injury", "log weeks of benefits, groups by gender", "ldurat", "male"),
		of("catholic", "mathematics, groups hispanic × black", "math12", "hispan", "black"),
		of("crime1", "arrests, groups black × hispanic", "narr86", "black", "hispan"),
		of("fertil2", "children, groups urban", "children", "urban"),
		of("beauty", "log wages, groups female", "lwage", "female"),
		of("Chem97", "scores in chemistry, groups by gender", "score", "gender"),
		of("rwm5yr", "visits to doctors, groups out of work", "docvis", "outwork"),
		of("ames", "log prices of houses, groups by building", "Sale_Price", "Bldg_Type"),
		of("BudgetFood", "share of food, groups by sex", "wfood", "sex"),
		of("VietNamH", "log expenditure, groups urban × farm", "lntotal", "urban", "farm"),
		of("attrition", "employees who leave, groups gender × overtime", "Attrition", "Gender", "OverTime"),
		of("stackoverflow", "work at home, groups by country", "Remote", "Country"),
		of("yrbss", "weight of the young, groups gender × race", "weight", "gender", "race"),
		of("bwght", "weight at birth, groups white", "bwght", "white"),
		of("black_politicians", "answers of politicians, groups by the politician's colour", "responded", "leg_black"),
		of("College", "tuition, groups private", "Outstate", "Private"),
		of("cps_mixtape", "earnings, groups black", "re78", "black"),
		of("Males", "log wages, groups by ethnicity", "wage", "ethn"),
		of("MedExp", "medical expenses, groups by the column black", "med", "black"),
		of("deliveries", "minutes of deliveries, groups by day", "time_to_delivery", "day"))
}
