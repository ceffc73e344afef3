# Sourced by those of sim/test/test_*.sh that are a list of runs of one command of weir, each with a folder $work of its own.
# Who sources it sets `command` (and `suite`, if what it prints is to have another name), defines `list`, whose lines are functions with their arguments, and ends with `runs "$@"`.
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
weir=$build/weir
suite=${suite:-$command}

# run CODE OPTION..: a run that wants this exit code. What it said is left in $work.
run() {
  local wanted=$1 code=0
  shift
  "$weir" "$command" "$@" > "$work/stdout" 2> "$work/stderr" || code=$?
  ((code == wanted)) && return
  echo "exit code $code, not $wanted: $weir $command $*"
  cat "$work/stdout" "$work/stderr"
  return 1
}

# value EXPRESSION: of the summary $work/json.json, which is `s`; of those in $work/NAME.json, which are `of("NAME")`.
value() {
  python3 - "$work" "$1" << 'END'
import json, sys
def of(name): return json.load(open(f"{sys.argv[1]}/{name}.json"))
s = of("json")
print(eval(sys.argv[2]))
END
}

holds() {
  [[ $(value "$1") == True ]] && return
  echo "not true: $1"
  cat "$work"/*.json
  return 1
}

# All of the list, in TAP; each line is a run of the same file by itself, with `one` in front.
runs() {
  if [[ ${1-} != one ]]; then
    if [[ ! -x $weir ]]; then
      echo "Bail out! $weir is missing"
      exit 1
    fi
    echo "1..$(list | wc -l)"
    list | xargs -L 1 bash "$0" one
    return
  fi
  shift
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  if "$@" > "$work/said" 2>&1; then
    echo "ok - $suite $*"
  else
    sed 's/^/# /' "$work/said"
    echo "not ok - $suite $*"
    exit 1
  fi
}
