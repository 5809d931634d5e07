package export

import (
	"fmt"
	"strconv"
	"strings"
)

// A dialect says how a database writes the parts of a formula. Fields with %s are formats.
type dialect struct {
	name    string
	checked string // what the tests run its queries with, for the documentation

	double       string // a column %s as a number in double precision
	text         string // a column %s as text
	isTrue       string // the condition that the column %s of truth values is true
	isFalse      string // … is false
	isText       string // the condition that the column %s is of text; empty: the database has none
	days         string // a date or time %s as days since 1970-01-01
	number       string // a literal number %s in double precision
	literal      string // a literal text %s, as text makes one of a column
	entry        string // the entry %d of a column of vectors %s; empty: no vectors
	first        int    // the index of the first entry
	log          string // the natural logarithm
	greatest     string // the largest of several numbers; empty: by a subquery
	open, close  string // of identifiers
	escapesText  bool   // text literals escape by backslash
	escapesNames bool   // identifiers too
	foldsCase    bool   // identifiers that differ in case alone are one
	underflows   bool   // a product that rounds to 0 is an error
	sniffs       bool   // read_csv guesses the types of columns, and takes them by types={…}
}

// dialects lists the dialects of SQL, the default one first.
var dialects = []dialect{
	{name: "duckdb", checked: "DuckDB",
		double: "CAST(%s AS DOUBLE)", text: "CAST(%s AS VARCHAR)", isTrue: "CAST(%s AS BOOLEAN)",
		isFalse: "NOT CAST(%s AS BOOLEAN)",
		isText:  "(typeof(%[1]s) = 'VARCHAR' OR typeof(%[1]s) LIKE 'ENUM%%')",
		days:    "CAST(EXTRACT(EPOCH FROM %s) AS DOUBLE) / 86400",
		number:  "%s", literal: "'%s'", entry: "%s[%d]", first: 1, log: "LN", greatest: "GREATEST", open: `"`, close: `"`,
		foldsCase: true, sniffs: true},
	{name: "postgres", checked: "PostgreSQL",
		double: "CAST(%s AS DOUBLE PRECISION)", text: "CAST(%s AS TEXT)", isTrue: "CAST(%s AS BOOLEAN)",
		isFalse: "NOT CAST(%s AS BOOLEAN)",
		isText:  "pg_typeof(%s)::text IN ('text', 'character varying', 'character')",
		days:    "CAST(EXTRACT(EPOCH FROM %s) AS DOUBLE PRECISION) / 86400",
		number:  "%s::float8", literal: "'%s'", entry: "%s[%d]", first: 1, log: "LN", greatest: "GREATEST", open: `"`,
		close: `"`, underflows: true},
	{name: "bigquery", checked: "the parser, analyzer and reference engine of its language (ZetaSQL); not run in " +
		"BigQuery itself",
		double: "CAST(%s AS FLOAT64)", text: "CAST(%s AS STRING)", isTrue: "CAST(%s AS BOOL)",
		isFalse: "NOT CAST(%s AS BOOL)",
		isText:  "STARTS_WITH(TO_JSON_STRING(%s), '\"')",
		days:    "UNIX_MICROS(TIMESTAMP(%s)) / 86400000000",
		number:  "%s", literal: "'%s'", entry: "%s[SAFE_OFFSET(%d)]", log: "LN", greatest: "GREATEST", open: "`", close: "`",
		escapesText: true, escapesNames: true, foldsCase: true},
	{name: "sqlite", checked: "SQLite",
		double: "CASE WHEN typeof(%[1]s) IN ('integer', 'real') THEN CAST(%[1]s AS REAL) END", text: "CAST(%s AS TEXT)",
		isTrue: "%s IN (1, 'true', 'True', 'TRUE')", isFalse: "%s IN (0, 'false', 'False', 'FALSE')",
		isText: "typeof(%s) = 'text'",
		days:   "julianday(%s) - 2440587.5",
		number: "%s", literal: "'%s'", log: "LN", greatest: "MAX", open: `"`, close: `"`, foldsCase: true},
	{name: "snowflake", checked: "the parser of sqlglot; not run",
		double: "CAST(%s AS DOUBLE)", text: "CAST(%s AS VARCHAR)", isTrue: "CAST(%s AS BOOLEAN)",
		isFalse: "NOT CAST(%s AS BOOLEAN)",
		isText:  "TYPEOF(TO_VARIANT(%s)) = 'VARCHAR'",
		days:    "CAST(DATE_PART(EPOCH_MICROSECOND, %s) AS DOUBLE) / 86400000000",
		number:  "'%s'::DOUBLE", literal: "'%s'", entry: "GET(%s, %d)", log: "LN", greatest: "GREATEST", open: `"`,
		close:       `"`,
		escapesText: true},
	{name: "spark", checked: "Spark, in a session whose time zone is UTC",
		double: "CAST(%s AS DOUBLE)", text: "CAST(%s AS STRING)", isTrue: "CAST(%s AS BOOLEAN)",
		isFalse: "NOT CAST(%s AS BOOLEAN)",
		isText:  "typeof(%s) = 'string'",
		days: "UNIX_DATE(CAST(%[1]s AS DATE)) + (UNIX_MICROS(CAST(%[1]s AS TIMESTAMP)) - UNIX_MICROS(CAST(CAST(%[1]s AS " +
			"DATE) AS TIMESTAMP))) / 8.64e10D",
		// A literal without its letter would be a decimal in old versions.
		number: "%sD", literal: "'%s'", entry: "GET(%s, %d)", log: "LN", greatest: "GREATEST", open: "`", close: "`",
		escapesText: true, foldsCase: true},
	// SQL Server ignores case and blanks at the end where it compares texts, unless a collation says otherwise.
	{name: "sqlserver", checked: "the parser of sqlglot; not run",
		double: "CAST(%s AS FLOAT)", text: "(CAST(%s AS NVARCHAR(4000)) + N'|') COLLATE Latin1_General_100_BIN2",
		isTrue: "CAST(%s AS BIT) = 1", isFalse: "CAST(%s AS BIT) = 0",
		days:   "DATEDIFF_BIG(MICROSECOND, CAST('1970-01-01' AS DATETIME2), CAST(%s AS DATETIME2)) / 8.64e10",
		number: "%s", literal: "N'%s|'", log: "LOG", open: "[", close: "]", foldsCase: true, underflows: true},
	// Redshift ignores blanks at the end where it compares texts.
	{name: "redshift", checked: "the parser of sqlglot; not run",
		double: "CAST(%s AS DOUBLE PRECISION)", text: "(CAST(%s AS VARCHAR(65535)) || '|')", isTrue: "CAST(%s AS BOOLEAN)",
		isFalse: "NOT CAST(%s AS BOOLEAN)",
		days:    "DATEDIFF(microsecond, TIMESTAMP '1970-01-01 00:00:00', CAST(%s AS TIMESTAMP)) / 8.64e10::float8",
		number:  "%s::float8", literal: "'%s|'", log: "LN", greatest: "GREATEST", open: `"`, close: `"`, escapesText: true,
		foldsCase: true, underflows: true},
}

// databricks is a synonym of spark.
const databricks = "databricks"

// Dialects returns the names of the dialects of SQL, the default one first.
func Dialects() []string {
	names := make([]string, 0, len(dialects)+1)
	for _, d := range dialects {
		names = append(names, d.name)
	}
	return append(names, databricks)
}

// findDialect returns the dialect with the given name, or the default one for "".
func findDialect(name string) (*dialect, error) {
	switch name {
	case "":
		name = dialects[0].name
	case databricks:
		name = "spark"
	}
	for i := range dialects {
		if dialects[i].name == name {
			return &dialects[i], nil
		}
	}
	return nil, fmt.Errorf("unknown dialect %q: the dialects are %s", name, strings.Join(Dialects(), ", "))
}

// numeral returns a literal of a double that reads back as the same number. Its exponent keeps databases from
// reading it as a decimal.
func (d *dialect) numeral(v float64) string {
	s := fmt.Sprintf(d.number, strconv.FormatFloat(v, 'e', -1, 64))
	if v < 0 {
		return "(" + s + ")"
	}
	return s
}

// identifier returns the quoted name of a column.
func (d *dialect) identifier(name string) (string, error) {
	if strings.ContainsRune(name, 0) || d.escapesNames && strings.ContainsAny(name, "`\\\n") {
		return "", fmt.Errorf("%q cannot be the name of a column in this dialect", name)
	}
	return d.open + strings.ReplaceAll(name, d.close, d.close+d.close) + d.close, nil
}

// quoteText returns a text literal.
func (d *dialect) quoteText(format, s string) (string, error) {
	if strings.ContainsRune(s, 0) {
		return "", fmt.Errorf("the level %q contains a null character, which SQL text cannot hold", s)
	}
	if d.escapesText {
		s = strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`, "\r", `\r`).Replace(s)
	} else {
		s = strings.ReplaceAll(s, "'", "''")
	}
	return fmt.Sprintf(format, s), nil
}

// foldName returns a name in the form in which the database compares names.
func (d *dialect) foldName(name string) string {
	if d.foldsCase {
		return strings.ToLower(name)
	}
	return name
}
