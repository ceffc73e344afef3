# What can be set on make's command line, the tools, and the flags. Nothing here or in the files beside it runs a program while
# it is read.

# Everything built goes here; another directory gives an independent build (`make BUILD=/tmp/b unit`).
BUILD ?= build
JOBS ?= $(shell nproc)
# Parallel also when nobody asked for it, unless a make above us already shares its jobs out.
PARALLEL = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(JOBS))
# Tools from PyPI; outlives `make clean`, because it takes a download to make.
VENV ?= .venv

# CCACHE= does without. No compile line has an absolute path of the tree, so clones in different places share what is compiled.
CCACHE ?= ccache
export CCACHE_NOHASHDIR ?= 1
# It goes by what the compiler read, and so does not run the preprocessor itself.
export CCACHE_DEPEND ?= 1
CC := gcc
CXX := g++
# What clang makes of Verilator's code runs a fifth faster than what g++ makes of it (docs/figures/performance.md).
DEVICE_CXX ?= clang++
# For which processors devices that run for long are compiled: those of the last ten years if this is one of them, which is 6 % faster.
# With DEVICE_ARCH= they run on any x86-64 machine.
DEVICE_ARCH ?= $(if $(filter 5,$(words $(filter avx2 bmi2 fma movbe abm,$(sort $(file </proc/cpuinfo))))),-march=x86-64-v3)
# Where code runs for short, instructions are left in the order in which they were written: a seventh of what it takes to compile.
UNORDERED := $(if $(findstring clang,$(DEVICE_CXX)),-mllvm -enable-misched=false)
# Verilator and clang allocate small things by the million: with more of them kept at hand Verilator takes a tenth less, clang a twentieth.
AT_HAND := GLIBC_TUNABLES=glibc.malloc.tcache_count=65535
VERILATOR ?= verilator
# tools/setup.sh looks at the one that is used.
export VERILATOR
# WAVES=0 leaves waves out, for a Verilator whose wave writer needs what is not installed (5.48: liblz4-dev).
WAVES ?= 1
# More for the C compiler, and for its optimized objects and sanitized ones.
CFLAGS ?=

C_WARN := -Wall -Wextra -Wconversion -Werror
C_STD := -std=c17 -D_GNU_SOURCE -Itb -Ilib -I. -I$(BUILD)/gen
# Sums must be those of the hardware: no contraction to fused multiply-add, no reordering.
C_FLOAT := -ffp-contract=off -fno-fast-math
C_FLAGS := $(C_STD) $(C_WARN) $(C_FLOAT) $(CFLAGS)
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all
# What a sanitizer tells is a line of the source: variables are not described to a debugger, which takes a sixth less time.
SAN_FLAGS := -O1 -g1 $(SANITIZE) -fno-omit-frame-pointer
REL_FLAGS := -O2 -g
# VERILATOR_INCLUDE is made by mk/rtl.mk.
CXX_FLAGS = -std=c++17 -Wall -Wextra -Itb -isystem $(VERILATOR_INCLUDE) -isystem $(VERILATOR_INCLUDE)/vltstd
LIBRARIES := -ljansson -lz -lm -lpthread

# The end of a recipe that has written $@.$$PPID, a name of this make's own: a file appears whole, whoever else makes it too.
whole = mv $@.$$PPID $@
# $(call flags,NAME,TEXT): $(BUILD)/flags/NAME holds the text, and is newer than what was made with another one. What is made with
# flags depends on their file.
.PHONY: FORCE
define flags
ifneq ($$(strip $$(file <$(BUILD)/flags/$(1))),$$(strip $(2)))
$(BUILD)/flags/$(1): FORCE
endif
$(BUILD)/flags/$(1):
	@mkdir -p $$(@D)
	@printf '%s\n' '$(subst ','\'',$(strip $(2)))' > $$@.$$$$PPID
	@$$(whole)
endef
$(eval $(call flags,rel,$(CCACHE) $(CC) $(C_FLAGS) $(REL_FLAGS)))
$(eval $(call flags,san,$(CCACHE) $(CC) $(C_FLAGS) $(SAN_FLAGS)))

# Files that make itself makes and reads (include): for goals that need none of them, they are left alone. So a machine with nothing
# but make can ask for help.
PLAIN_GOALS := help setup tools-% clean format csr docs
RULES_NEEDED := $(filter-out $(PLAIN_GOALS),$(or $(MAKECMDGOALS),$(.DEFAULT_GOAL)))
