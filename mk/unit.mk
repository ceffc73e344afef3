# Unit tests: a program for each tb/unit/**/test_*.c, or for each module at its head; C compiled with sanitizers.

DUT := $(BUILD)/dut
# Rules of all of them. Made anew when a test came, went, or includes something else.
$(BUILD)/gen/units.mk: tools/unitgen.py tools/includes.py $(BUILD)/gen/configs.mk
	@python3 tools/unitgen.py > $@.$$PPID
	@$(whole)
ifneq ($(RULES_NEEDED),)
include $(BUILD)/gen/units.mk
-include $(UNIT_OBJECTS:.o=.d)
endif

# Verilator's run time and the bench side of all modules, once. VL_USER_*: stop and fatal are ours (tb/drive/dut.cpp).
DUT_OPT := -O1
DUT_FAST := $(DUT_OPT) $(UNORDERED)
$(eval $(call flags,dut,$(VERILATOR) $(VERILATOR_VERSION) $(VERILATOR_FLAGS) $(CCACHE) $(CXX) $(DEVICE_CXX) $(CXX_FLAGS) $(DUT_FAST)))
DUT_FLAGS := -std=c++17
$(eval $(call pch-rule,dut-fast,$(DUT_FLAGS) $(DUT_FAST),))
$(eval $(call pch-rule,dut-slow,$(DUT_FLAGS) -O0,))
$(DUT)/%.o: $(VERILATOR_INCLUDE)/%.cpp $(BUILD)/flags/dut
	@mkdir -p $(@D)
	$(CCACHE) $(CXX) $(CXX_FLAGS) -w -O1 -DVL_USER_STOP -DVL_USER_FATAL -c $< -o $@
$(DUT)/dut.o: tb/drive/dut.cpp tb/drive/dut.h tb/drive/dut_model.h $(BUILD)/flags/dut
	@mkdir -p $(@D)
	$(CCACHE) $(CXX) $(CXX_FLAGS) $(DUT_OPT) -c $< -o $@
$(DUT)/verilated.a: $(DUT)/verilated.o $(DUT)/verilated_threads.o
	rm -f $@ && ar rcs $@ $^
# It writes to memories that the device writes, too.
$(DUT)/tree_node_flips%: VERILATOR_FLAGS += -Wno-MULTIDRIVEN
# A run of Verilator that fails leaves no list of sources behind: it is tried again, whatever is newer than what.
.PHONY: again
$(patsubst %/failed,%/Vdut.mk,$(wildcard $(DUT)/*/failed)): again
$(DUT)/%/Vdut.mk: $(BUILD)/flags/dut tools/generate/bundle.py tb/drive/library/share.vlt
	@rm -rf $(@D) && mkdir -p $(@D) && touch $(@D)/failed  # an archive keeps objects that are no more
	$(AT_HAND) $(VERILATOR) --cc $(VERILATOR_FLAGS) $(call rtl_flags,$(call rooms_of,$(DUT_TOP))) --prefix Vdut --top-module $(DUT_TOP) $(DUT_PARAMETERS) --Mdir $(@D) \
	  tb/drive/library/share.vlt $(or $(wildcard rtl/*/$(DUT_TOP).sv rtl/*/*/$(DUT_TOP).sv tb/unit/*/$(DUT_TOP).sv tb/unit/*/*/$(DUT_TOP).sv),$(error no file $(DUT_TOP).sv))
	@python3 tools/generate/bundle.py $(@D) Vdut drive/dut_model.cpp
	@rm -f $(@D)/failed && touch $@
$(DUT)/%/ports.inc: $(DUT)/%/Vdut.mk tools/generate/portgen.py
	python3 tools/generate/portgen.py $(@D)/Vdut.h > $@.$$PPID
	@$(whole)
# The compiler reads Verilator's headers for longer than most modules' code, so both of a module's files are compiled in one go.
$(DUT)/%/Vdut__ALL.a: $(DUT)/%/Vdut.mk $(DUT)/%/ports.inc tb/drive/dut_model.cpp tb/drive/dut_model.h | $(call pch,dut-fast dut-slow)
	$(MAKE) -s -C $(@D) -f Vdut.mk Vdut__ALL.a $(VERILATED_TOOLS) CXX=$(DEVICE_CXX) OBJCACHE='$(PCH_CCACHE)' \
	  OPT_FAST='$(DUT_FAST) $(call use_pch,dut-fast)' OPT_SLOW='-O0 $(call use_pch,dut-slow)' \
	  VM_USER_CFLAGS='$(DUT_FLAGS) -I$(shell realpath -m --relative-to=$(@D) tb)' VM_USER_DIR=
define link-unit
@mkdir -p $(@D)
@echo "link $@"; g++ $(SANITIZE) $^ -lcmocka -lnettle $(LIBRARIES) -o $@
endef

# The same tests on what synthesis makes of the modules (tools/test/hardware/test_mapped.sh); in broken-* one LUT is inverted.
MAPPED := prim_crc32_beat prim_crc32_times prim_fp32_reduce agg_slot_state-NumPorts_3-NumRanks_4-NumSlots_8
MAPPED_DUTS := $(MAPPED) $(MAPPED:%=broken-%)
mapped-module = $(firstword $(subst -, ,$(1:broken-%=%)))
$(MAPPED_DUTS:%=$(BUILD)/mapped/%.v): $(BUILD)/mapped/%.v: $(AGGREGATOR_SOURCES) synth/mapped.py synth/elaborate.py synth/fpga.py synth/parity.v
	BUILD=$(BUILD) $(VENV)/bin/python synth/mapped.py netlist $(if $(filter broken-%,$*),--broken) $(*:broken-%=%) $@
$(MAPPED_DUTS:%=$(DUT)/mapped-%/Vdut.mk): $(DUT)/mapped-%/Vdut.mk: $(BUILD)/mapped/%.v $(BUILD)/flags/dut tools/generate/bundle.py
	@rm -rf $(@D) && mkdir -p $(@D)
	$(AT_HAND) $(VERILATOR) --cc -Wall --x-assign unique --x-initial unique --prefix Vdut --Mdir $(@D) --top-module $(call mapped-module,$*) $<
	@python3 tools/generate/bundle.py $(@D) Vdut drive/dut_model.cpp
	@touch $@
$(MAPPED_DUTS:%=$(BUILD)/mapped/test_%): $(BUILD)/mapped/test_%: $(DUT)/dut.o $(DUT)/mapped-%/Vdut__ALL.a $(DUT)/verilated.a
	$(link-unit)
define mapped-unit
$(BUILD)/mapped/test_$(1): $(OBJECTS_test_$(call mapped-module,$(1)))
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
