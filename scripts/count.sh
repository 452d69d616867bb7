# shellcheck shell=bash
# Adds up what each stage of a test run passed and failed. A stage that breaks off counts as one failure.

passed=0
failed=0
stage_log=

# stage NAME COMMAND…: runs it, shows its output, keeps it for the count; returns the command's status.
stage() {
  local status=0
  say "" "── $1"
  shift
  : "${stage_log:=$(mktemp)}"
  "$@" 2>&1 | tee "$stage_log" || status=$?
  # Colours are for eyes.
  sed $'s/\e\\[[0-9;]*m//g' "$stage_log" >"$stage_log.plain"
  mv "$stage_log.plain" "$stage_log"
  return $status
}

# tally NAME STATUS PASSED FAILED SKIPPED
tally() {
  passed=$((passed + $3))
  failed=$((failed + $4))
  if [ "$2" != 0 ] && [ "$4" = 0 ]; then
    say "dev: $1 broke off with status $2"
    failed=$((failed + 1))
  elif [ "$5" != 0 ]; then
    say "dev: $1 skipped $5: nothing may be skipped"
    failed=$((failed + 1))
  fi
}

# number REGEX: the sum of what its group caught in the lines on standard input.
number() { sed -nE "s/^(.*[^0-9])?$1.*/\2/p" | awk '{ sum += $1 } END { print sum + 0 }'; }

finish() {
  stop_services
  echo "$passed passed, $failed failed"
  [ "$failed" = 0 ] && [ "$passed" -gt 0 ]
}
