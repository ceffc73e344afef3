#!/bin/bash
# The form of sources: what verible, slang and clang-format say, and whether register code is what the map makes of it. Each looks at a mistake first.
# Verilator's own look (make lint-verilator, a minute) is not here: make check compiles every device, with the same warnings.
cd "$(dirname "$0")/../.." || exit 2
. tools/test/tap.sh
export MAKEFLAGS=
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

form() { make --silent --no-print-directory "$@"; }

# mistake NAME TARGET LIST FILE: the target, told to look at this file alone, must say its name.
mistake() {
  if ! form "$2" "$3=$4" > "$scratch/log" 2>&1 && grep -q "$(basename "$4")" "$scratch/log"; then ok "$1"; else not_ok "$1"; fi
}

printf 'module wide;\n  assign %0100d = 1;\nendmodule\n' 0 > "$scratch/wide.sv"
mistake form_a_long_line_is_seen lint-verible SV_SOURCES "$scratch/wide.sv"
printf '// %0100d\nmodule remark;\nendmodule\n' 0 > "$scratch/remark.sv"
mistake form_a_long_comment_is_seen lint-verible SV_SOURCES "$scratch/remark.sv"
check form_verible form lint-verible
printf 'module early (\n  output logic a_o\n);\n  assign a_o = b;\n  logic b;\n  assign b = 1;\nendmodule\n' > "$scratch/early.sv"
mistake form_a_name_before_its_declaration_is_seen lint-slang SLANG_SOURCES "$scratch/early.sv"
check form_slang form lint-slang

# Other versions lay out some lines in another way.
if clang-format --version | grep -q 'version 14\.'; then
  cp .clang-format "$scratch"
  printf 'int  f(void);\n' > "$scratch/spaces.c"
  mistake form_a_space_too_many_is_seen lint-c C_SOURCES "$scratch/spaces.c"
  check form_clang_format form lint-c
else
  skip form_a_space_too_many_is_seen 'clang-format here is not version 14'
  skip form_clang_format 'clang-format here is not version 14'
fi
check form_registers form lint-csr
tap_end
