# shellcheck shell=bash
# The house rules that no compiler checks (STYLE.md). Each function prints what breaks its rule, one place a line.

rust_files() { find crates tests benches examples -name target -prune -o -name '*.rs' -print 2>/dev/null; }

rule_no_file_over_400_lines() {
  rust_files | while read -r file; do
    awk 'END { if (NR > 400) print FILENAME ": " NR " lines" }' "$file"
  done
}

# `conn` of onceward-db is the driver's only door; tests, examples and benches may open a transaction of their own.
rule_only_conn_names_the_driver() {
  find crates/*/src -name '*.rs' ! -path 'crates/onceward-db/src/conn.rs' ! -path 'crates/onceward-db/src/conn/*' \
    -exec grep -nHE '^[^/]*\bsqlx(_[a-z]+)?::' {} +
}

rule_nothing_unfinished_or_ignored() {
  rust_files | xargs -r -d '\n' grep -nHE '^[^/"]*(\b(todo|unimplemented|dbg)!\(|#\[ignore)'
}

# A test waits for an event or moves the clock. Where it must wait, the same line says why: `// sleeps: …`.
rule_no_sleep_in_tests() {
  rust_files | grep -E '(^|/)tests/' | xargs -r -d '\n' grep -nHE '\bsleep(_until)?\(' | grep -v '// sleeps: '
}

rule_every_statement_has_its_twin() {
  local file twin
  for file in crates/*/sql/{sqlite,postgres}/*.sql; do
    [ -e "$file" ] || continue
    twin=${file/\/sqlite\//\/postgres\/}
    [ "$twin" != "$file" ] || twin=${file/\/postgres\//\/sqlite\/}
    [ -e "$twin" ] || echo "$file: no $twin"
  done
}

rule_every_statement_is_named() {
  local file name
  for file in crates/*/sql/sqlite/*.sql; do
    [ -e "$file" ] || continue
    name=$(basename "$file" .sql)
    grep -rqF "sql!(\"$name\")" "${file%/sql/*}/src" || echo "$file: no sql!(\"$name\") names it"
  done
}

rule_every_statement_says_what_it_guarantees() {
  local file
  for file in crates/*/sql/*/*.sql; do
    [ -e "$file" ] || continue
    [[ $(head -n 1 "$file") == "-- "?* ]] || echo "$file:1: the first line is not a comment"
  done
}

rule_no_two_decisions_have_one_number() {
  local page
  for page in docs/decisions/[0-9]*.md; do basename "$page" | cut -c 1-4; done | sort | uniq -d
}

# check_rules: all of them; fails when one printed anything.
check_rules() {
  local rule broken failed=0
  for rule in $(compgen -A function rule_); do
    broken=$($rule) || true
    [ -n "$broken" ] || continue
    say "rule broken: ${rule#rule_}"
    say "$broken"
    failed=1
  done
  return $failed
}
