# Weir: everything is a target of this file; `make help` lists what there is for users.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
MAKEFLAGS += --no-builtin-rules

# Everything built goes here; another directory gives an independent build (`make BUILD=/tmp/b unit`).
BUILD ?= build
JOBS ?= $(shell nproc)
# Parallel also when nobody asked for it, unless a make above us already shares its jobs out.
PARALLEL = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(JOBS))

CCACHE := $(shell command -v ccache)
CC := $(CCACHE) gcc
CXX := $(CCACHE) g++
VERILATOR ?= verilator
VERILATOR_ROOT := $(shell $(VERILATOR) --getenv VERILATOR_ROOT 2>/dev/null)
VERILATOR_INCLUDE := $(VERILATOR_ROOT)/include

C_WARN := -Wall -Wextra -Wconversion -Werror
C_STD := -std=c17 -D_GNU_SOURCE -Itb -I.
# Sums must be those of the hardware: no contraction to fused multiply-add, no reordering.
C_FLOAT := -ffp-contract=off -fno-fast-math
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all
SAN_FLAGS := -O1 -g $(SANITIZE) -fno-omit-frame-pointer
REL_FLAGS := -O2 -g
CXX_FLAGS := -std=c++17 -Wall -Wextra -Itb -isystem $(VERILATOR_INCLUDE) -isystem $(VERILATOR_INCLUDE)/vltstd

RTL_PACKAGES := rtl/roce/roce_pkg.sv rtl/aggregate/agg_pkg.sv
RTL_PACKAGES += $(filter-out $(RTL_PACKAGES),$(sort $(wildcard rtl/*/*_pkg.sv)))
RTL_ROOMS := $(sort $(patsubst %/,%,$(wildcard rtl/*/)))
# -Wall without any -Wno switch: a warning is an error, and stays where it is explained in the source. State starts at random
# values, so that nothing comes to rely on zeros that hardware does not have.
VERILATOR_FLAGS := --assert -Wall --x-assign unique --x-initial unique --MMD $(RTL_ROOMS:%=-y %) $(RTL_PACKAGES)

# ---------------------------------------------------------------------------------------------------- C units
$(BUILD)/san/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(C_STD) $(C_WARN) $(C_FLOAT) $(SAN_FLAGS) -MMD -MP -c $< -o $@

$(BUILD)/rel/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(C_STD) $(C_WARN) $(C_FLOAT) $(REL_FLAGS) -MMD -MP -c $< -o $@

# --------------------------------------------------------------------------------------------------- unit tests
# Rules are made anew each time, because a test that came or went must not need a `make clean`.
ifneq ($(filter unit test check unit-build $(BUILD)/unit/% $(BUILD)/dut/%,$(MAKECMDGOALS)),)
$(shell mkdir -p $(BUILD)/unit && python3 tools/unitgen.py $(BUILD) > $(BUILD)/unit/rules.mk || echo '$$(error unitgen failed)' > $(BUILD)/unit/rules.mk)
include $(BUILD)/unit/rules.mk
-include $(shell find $(BUILD)/san -name '*.d' 2>/dev/null)
endif

# Verilator's run time, once for all modules. VL_USER_*: stop and fatal are ours (tb/drive/dut.cpp).
$(BUILD)/dut/%.o: $(VERILATOR_INCLUDE)/%.cpp
	@mkdir -p $(@D)
	$(CXX) $(CXX_FLAGS) -w -O1 -DVL_USER_STOP -DVL_USER_FATAL -c $< -o $@
$(BUILD)/dut/verilated.a: $(BUILD)/dut/verilated.o $(BUILD)/dut/verilated_threads.o
	rm -f $@ && ar rcs $@ $^

$(BUILD)/dut/%/Vdut.mk:
	@mkdir -p $(@D)
	$(VERILATOR) --cc $(VERILATOR_FLAGS) --prefix Vdut --top-module $(DUT_TOP) $(DUT_PARAMETERS) --Mdir $(@D) \
	  $(or $(wildcard rtl/*/$(DUT_TOP).sv tb/unit/$(DUT_TOP).sv),$(error no file $(DUT_TOP).sv))
	@touch $@
$(BUILD)/dut/%/ports.inc: $(BUILD)/dut/%/Vdut.mk tools/portgen.py
	python3 tools/portgen.py $(@D)/Vdut.h > $@
$(BUILD)/dut/%/dut.o: tb/drive/dut.cpp tb/drive/dut.h $(BUILD)/dut/%/ports.inc
	$(CXX) $(CXX_FLAGS) -O1 -I$(@D) -c $< -o $@
$(BUILD)/dut/%/Vdut__ALL.a: $(BUILD)/dut/%/Vdut.mk
	$(MAKE) -s -C $(@D) -f Vdut.mk Vdut__ALL.a OBJCACHE=$(CCACHE) OPT_FAST=-O1 OPT_SLOW=-O0 VM_USER_DIR=

define link-unit
@mkdir -p $(@D)
g++ $(SANITIZE) $^ -lcmocka -ljansson -lz -lm -lpthread -o $@
endef

.PHONY: unit unit-build test
# T=name picks the tests whose name contains it.
UNIT_CHOSEN = $(if $(T),$(foreach p,$(UNIT_PROGRAMS),$(if $(findstring $(T),$(notdir $(p))),$(p))),$(UNIT_PROGRAMS))
unit-build: $(UNIT_CHOSEN)
# One broken module must not hide the results of the others: build what can be built, then say what could not.
unit test:
	@doubt=; $(MAKE) -k $(PARALLEL) unit-build || doubt=--doubt; \
	  BUILD=$(BUILD) python3 tools/run_tests.py --summary $$doubt $(UNIT_CHOSEN)
.SECONDARY:
