package export

import (
	"fmt"
	"strconv"
	"strings"
)

// A dialect describes how a database writes the parts of a formula. Fields that contain %s are formats.
type dialect struct {
	name    string
	checked string // program with which the tests check the queries, for the documentation

	double       string // column %s as a double-precision number
	text         string // column %s as text
	isTrue       string // condition that the bool column %s is true
	isFalse      string // condition that the bool column %s is false
	isText       string // condition that the column %s is text; empty if the database has none
	days         string // date or time %s as days since 1970-01-01
	number       string // the double-precision literal %s
	literal      string // text literal %s, in the type to which text converts a column
	entry        string // entry %d of the vector column %s; empty if vectors are not supported
	first        int    // index of the first entry of a vector
	log          string // name of the natural logarithm
	greatest     string // largest of several numbers; if empty, a subquery is used
	open, close  string // quotation marks of identifiers
	escapesText  bool   // whether a backslash escapes in text literals
	escapesNames bool   // whether it also escapes in identifiers
	foldsCase    bool   // identifiers that differ only in case are the same
	underflows   bool   // a product that underflows to 0 is an error
	sniffs       bool   // read_csv infers the types of columns unless types={…} states them
}

// dialects lists the SQL dialects; the first one is the default.
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
	{name: "bigquery", checked: "ZetaSQL, the parser and reference engine of the language; not run in BigQuery",
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
		// In old versions, a literal without the suffix would be a decimal.
		number: "%sD", literal: "'%s'", entry: "GET(%s, %d)", log: "LN", greatest: "GREATEST", open: "`", close: "`",
		escapesText: true, foldsCase: true},
	// When SQL Server compares strings, it ignores case and trailing blanks unless a collation specifies
	// otherwise.
	{name: "sqlserver", checked: "the parser of sqlglot; not run",
		double: "CAST(%s AS FLOAT)", text: "(CAST(%s AS NVARCHAR(4000)) + N'|') COLLATE Latin1_General_100_BIN2",
		isTrue: "CAST(%s AS BIT) = 1", isFalse: "CAST(%s AS BIT) = 0",
		days:   "DATEDIFF_BIG(MICROSECOND, CAST('1970-01-01' AS DATETIME2), CAST(%s AS DATETIME2)) / 8.64e10",
		number: "%s", literal: "N'%s|'", log: "LOG", open: "[", close: "]", foldsCase: true, underflows: true},
	// Redshift ignores trailing blanks when it compares strings.
	{name: "redshift", checked: "the parser of sqlglot; not run",
		double: "CAST(%s AS DOUBLE PRECISION)", text: "(CAST(%s AS VARCHAR(65535)) || '|')", isTrue: "CAST(%s AS BOOLEAN)",
		isFalse: "NOT CAST(%s AS BOOLEAN)",
		days:    "DATEDIFF(microsecond, TIMESTAMP '1970-01-01 00:00:00', CAST(%s AS TIMESTAMP)) / 8.64e10::float8",
		number:  "%s::float8", literal: "'%s|'", log: "LN", greatest: "GREATEST", open: `"`, close: `"`, escapesText: true,
		foldsCase: true, underflows: true},
}

// databricks is a synonym of spark.
const databricks = "databricks"

// vectorDialects returns the names of the dialects that support vector columns.
func vectorDialects() (names []string) {
	for _, d := range dialects {
		if d.entry != "" {
			names = append(names, d.name)
		}
	}
	return names
}

// Dialects returns the names of the SQL dialects; the first one is the default.
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

// numeral returns a double-precision literal that reads back as the same number. It has an exponent, so that
// databases do not read it as a decimal.
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

// foldName returns a name in the form in which the database compares it with other names.
func (d *dialect) foldName(name string) string {
	if d.foldsCase {
		return strings.ToLower(name)
	}
	return name
}
