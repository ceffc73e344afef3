# Sourced by tests of Wireshark's dissectors, behind tap.sh: a folder `work` for the test, what a dissector shows, and whether that is right.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# dissect SCRIPT FILTER FILE FIELD..: these fields of each packet that the filter lets through, one packet a line.
dissect() {
  local script=$1 filter=$2 file=$3 list=()
  shift 3
  for field in "$@"; do list+=(-e "$field"); done
  tshark -X "lua_script:$script" -r "$file" -Y "$filter" -T fields -E separator=' ' "${list[@]}" 2> "$work/stderr"
}

# is NAME ACTUAL EXPECTED
is() {
  # A script that Lua refuses is told of on stderr only.
  if [[ $2 == "$3" ]] && ! grep -qi 'lua.*error\|\.lua:' "$work/stderr"; then
    ok "$1"
    return
  fi
  diff <(echo "$3") <(echo "$2") || true
  cat "$work/stderr"
  not_ok "$1"
}
