# shellcheck shell=bash
# Sourced by demo: shows progress in lines that a person can read. The full output of each step goes to a log,
# whose end is shown if the step fails.
#
#   step TEXT                     prints the next of $steps steps
#   logged LOG COMMAND...         runs a command with its output in LOG
#   build_product NAME N OF LOG   builds product N of OF, and shows how many files are done

step_number=0
step() {
  step_number=$((step_number + 1))
  printf '%s (%d of %d) ...\n' "$1" "$step_number" "${steps:?}" >&2
}

show_end_of() {
  printf '\ndemo: this failed; the end of its output:\n\n' >&2
  tail -n 40 "$1" >&2
}

logged() {
  local log=$1 status=0; shift
  # Without || or if, because bash ignores set -e in what they contain. In a subshell, because a failing
  # function may exit.
  set +e
  (set -e; "$@") > "$log" 2>&1
  status=$?
  set -e
  [ "$status" = 0 ] || { show_end_of "$log"; exit 1; }
}

# Reads the output of swift build. On a terminal the line is rewritten; otherwise there is a line every ten seconds.
show_build_progress() {
  local name=$1 line last=$SECONDS
  while IFS= read -r line; do
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
    if [ -t 2 ]; then
      printf '\r\033[K  %s, %d of %d files' "$name" "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" >&2
    elif [ $((SECONDS - last)) -ge 10 ]; then
      printf '  %s, %d of %d files\n' "$name" "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" >&2
      last=$SECONDS
    fi
  done
  if [ -t 2 ]; then printf '\r\033[K' >&2; fi
}

build_product() {
  local name=$1 log=$4 begin=$SECONDS
  printf '  %s (%d of %d)\n' "$name" "$2" "$3" >&2
  swift build --product "$name" 2>&1 | tee "$log" | show_build_progress "$name" || { show_end_of "$log"; exit 1; }
  printf '  %s is built (%d s)\n' "$name" "$((SECONDS - begin))" >&2
}
