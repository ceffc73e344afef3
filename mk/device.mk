# Verilated devices: a shared library a configuration, $(BUILD)/device/NAME.so, with Verilator's run time inside. `weir` and the tests
# load them by name (tb/drive/library/load.c). NAME-waves.so is the same device with the code of waves, for a run with --wave: a third and
# more of what there is to compile. Signals of 512 bits and the fields of structs are shown.
NODES := $(TREE_CONFIGS) $(TREE_ECC_CONFIGS)
DEVICES := $(CONFIGS) $(ECC_CONFIGS) $(LEAN_CONFIGS) $(BEAT_CONFIGS) $(RELAY_CONFIGS) $(GATHER_CONFIGS) $(NIC_CONFIGS) $(NODES) $(UPLINK_CONFIGS)
DEVICE := $(BUILD)/device
# Code for AVX relies on where objects of Verilator's classes begin, which `new` heeds from C++17 on.
DEVICE_OPT := -O2 $(if $(DEVICE_ARCH),-std=c++17) -fno-stack-protector $(DEVICE_ARCH)
# Devices of a tree, tree nodes, uplinks and devices of gathers run for some milliseconds of their time at most: what counts is how long they compile.
SHORT_CONFIGS := $(ECC_CONFIGS) $(LEAN_CONFIGS) $(BEAT_CONFIGS) $(RELAY_CONFIGS) $(GATHER_CONFIGS) $(NIC_CONFIGS) $(NODES) $(UPLINK_CONFIGS)
SHORT_OPT := -O1 -fno-stack-protector $(UNORDERED)
# The code of waves takes a quarter of the time to compile with -O1 that it takes with -O2, with -O0 a tenth, but then a run with waves takes
# eight times as long.
TRACE_OPT := -O1 -fno-stack-protector
SHORT_TRACE_OPT := -O0
# Their waves are for looking at some columns. The largest device is among them: its waves would take as long to compile as all of tiny.
SHORT_WAVES := $(SHORT_CONFIGS) wide8
# $$< below is the file that Verilator's makefile compiles.
device_opt = $$(if $$(findstring __Trace__,$$<),$(call with_pch,$(call of_waves,$(1))),$(call with_pch,$(call of_run,$(1))))
with_pch = $(1) $(call use_pch,device-$(if $(filter -O0,$(1)),slow,$(if $(filter -march%,$(1)),arch,fast)))
of_waves = $(if $(filter $(SHORT_WAVES),$(1)),$(SHORT_TRACE_OPT),$(TRACE_OPT))
# The largest device is among them here, too: half the time to compile, for runs that take a sixth longer.
of_run = $(if $(filter $(SHORT_CONFIGS) wide8,$(1)),$(SHORT_OPT),$(DEVICE_OPT))
DEVICE_TRACE := $(if $(filter 1,$(WAVES)),--trace-fst --trace-structs --trace-max-width 1024)
DEVICE_VERILATE := $(VERILATOR_FLAGS) -O3 $(DEVICE_TRACE) --output-split 20000
# Libraries show nothing but how to open a device, so that each has a run time of its own.
HIDDEN := -fPIC -fvisibility=hidden
of_kind = $(if $(filter $(1),$(2)),$(3))
device_module = weir_$(or $(call of_kind,$(1),$(GATHER_CONFIGS),gather_switch),$(call of_kind,$(1),$(NIC_CONFIGS),gather_nic),$(call of_kind,$(1),$(NODES),tree_node),$(call of_kind,$(1),$(UPLINK_CONFIGS),uplink),aggregator)

$(eval $(call flags,runtime,$(CCACHE) $(CXX) $(CXX_FLAGS) $(HIDDEN) $(WAVES)))
$(foreach d,$(DEVICES),$(eval $(call flags,device-$(d),$(VERILATOR) $(VERILATOR_VERSION) $(DEVICE_VERILATE) $(PARAMETERS_$(d)) $(CCACHE) $(DEVICE_CXX) \
  $(call of_waves,$(d)) $(call of_run,$(d)))))
# For a compiled header, -O1 and -O2 are one.
DEVICE_VM := $(if $(filter 1,$(WAVES)),VM_TRACE=1 VM_TRACE_FST=1)
$(eval $(call pch-rule,device-fast,$(HIDDEN) $(SHORT_OPT),$(DEVICE_VM)))
$(eval $(call pch-rule,device-arch,$(HIDDEN) $(DEVICE_OPT),$(DEVICE_VM)))
$(eval $(call pch-rule,device-slow,$(HIDDEN) -O0,$(DEVICE_VM)))
DEVICE_PCH = $(call pch,device-fast device-slow $(if $(DEVICE_ARCH),device-arch))

# Flags that make other modules stand in a device instead of its own, and a folder in which its top may stand.
INSTEAD ?=
device_top = $(or $(wildcard $(DEVICE)/$(1)-instead/$(call device_module,$(1)).sv),rtl/top/$(call device_module,$(1)).sv)
# What libraries are made from, beside their RTL.
DEVICE_FROM := tools/generate/portgen.py tools/generate/memgen.py tools/generate/bundle.py tb/drive/library/share.vlt tb/drive/library/waves.vlt tb/drive/library/faults.vlt tb/drive/library/drive.cpp tb/drive/library/stop.cpp tb/drive/library/device.h $(BUILD)/flags/runtime
libraries = $(1:%=$(DEVICE)/%.so)
device_sources = $(DEVICE_FROM) $(BUILD)/flags/device-$(1) rtl/top/$(call device_module,$(1)).sv \
  $(or $(call of_kind,$(1),$(GATHER_CONFIGS) $(NIC_CONFIGS),$(GATHER_SOURCES)),$(call of_kind,$(1),$(NODES),$(TREE_SOURCES)),$(call of_kind,$(1),$(UPLINK_CONFIGS),$(FABRIC_SOURCES)),$(AGGREGATOR_SOURCES))

# Those that `make check` needs: of tree nodes, of aggregators in a tree, and with large beats, the small ones.
CHECKED_DEVICES := $(filter-out $(filter-out node4,$(TREE_CONFIGS)) tree6 paper6_128,$(DEVICES))
# D=name: only those. They are what a program asks for that wants a device.
.PHONY: devices
devices: tools-build
	@$(MAKE) $(PARALLEL) --no-print-directory $(call libraries,$(or $(D),$(DEVICES)))

# Those of them whose waves the tests of the program look at.
CHECKED_WAVES := $(addsuffix -waves,paper6 rack8 nic2)

# What Verilator says of a device, of which nothing is built (formal/mutation/replay.py).
$(DEVICE)/%.elaborated:
	$(VERILATOR) --lint-only $(INSTEAD) $(call rtl_flags,$(call rooms_of,$(call device_module,$*))) --top-module $(call device_module,$*) $(PARAMETERS_$*) \
	  $(call device_top,$*) > $@ 2>&1

# Who wants a library waits for whoever is building it; then its make looks anew what there is to do.
ifndef LOCKED
define device-rule
$(DEVICE)/$(1).so $(DEVICE)/$(1)-waves.so: $(call device_sources,$(1)) $(DEVICE)/runtime.a | $(DEVICE)/make.args $(DEVICE_PCH)
	+@mkdir -p $$(@D) && flock $(DEVICE)/$(1).lock $$(MAKE) --no-print-directory LOCKED=1 $$@
endef
$(foreach d,$(DEVICES),$(eval $(call device-rule,$(d))))
$(DEVICE)/runtime.a: $(VERILATOR_INCLUDE)/verilated.cpp tb/drive/library/stop.cpp tb/drive/library/device.h $(BUILD)/flags/runtime
	+@mkdir -p $(@D) && flock $(DEVICE)/runtime.lock $(MAKE) --no-print-directory LOCKED=1 $@
else
define device-rule
$(DEVICE)/$(1)/stamp: $(call device_sources,$(1))
endef
$(foreach d,$(DEVICES),$(eval $(call device-rule,$(d))))
$(DEVICE)/%/stamp:
	@rm -rf $(@D) && mkdir -p $(@D)
	$(AT_HAND) $(VERILATOR) --cc $(DEVICE_VERILATE) $(INSTEAD) $(call rtl_flags,$(call rooms_of,$(call device_module,$*))) --prefix Vweir_$* \
	  --top-module $(call device_module,$*) $(PARAMETERS_$*) --Mdir $(@D) tb/drive/library/share.vlt tb/drive/library/waves.vlt $(if $(filter $*,$(ECC_CONFIGS) $(TREE_ECC_CONFIGS)),tb/drive/library/faults.vlt) $(call device_top,$*)
	python3 tools/generate/portgen.py $(@D)/Vweir_$*.h > $(@D)/ports.inc
	python3 tools/generate/memgen.py $(@D)/Vweir_$*___024root.h > $(@D)/memories.inc
	@python3 tools/generate/bundle.py $(@D) Vweir_$*
	@rm -f $(@D)/*__ver.d  # they make Verilator's newer makefiles look for the RTL where they run
	@touch $@
# Compiles the files of the model in the first prerequisite's folder that match $(1), and links what they are. $(2): with waves or without.
define device-library
$(eval FILES := $(patsubst %.cpp,%.o,$(shell cd $(<D) && ls | grep -x 'Vweir_$*_$(1)\.cpp')))
+$(MAKE) -s -C $(<D) -f Vweir_$*.mk $(FILES) $(VERILATED_TOOLS) CXX=$(DEVICE_CXX) OBJCACHE='$(PCH_CCACHE)' VM_USER_CFLAGS='$(HIDDEN)' \
  OPT_FAST='$(call device_opt,$*)' OPT_SLOW='$(call with_pch,-O0)' VM_USER_DIR=
$(CCACHE) $(CXX) $(CXX_FLAGS) $(HIDDEN) -O1 -DWEIR_CONFIG=$* -DWEIR_WAVES=$(2) -I$(<D) -c tb/drive/library/drive.cpp -o $(@:.so=.o)
@echo "link $@"; cd $(<D) && $(CXX) -shared -Wl,-z,defs $$(nm -u $(FILES) | sed -n '$(no_$(if $(filter 0,$(2)),waves))') ../$(@F:.so=.o) $(FILES) ../runtime.a \
  -lz -lpthread -o ../$(@F).$$PPID
@printf '%s\n' $(call device_sources,$*) > $(@:.so=.sources).$$PPID && mv $(@:.so=.sources).$$PPID $(@:.so=.sources)
@$(whole)
endef
# Where a model begins its waves it calls two functions of their code. Nobody opens a file of waves here: they become one of ours.
no_waves := s/^ *U \(_Z[0-9]*Vweir_.*__trace_.*\)/-Wl,--defsym=\1=device_stopped/p
$(DEVICE)/%.so: $(DEVICE)/%/stamp $(DEVICE)/runtime.a | $(DEVICE_PCH)
	$(call device-library,__.*,0)
$(DEVICE)/%-waves.so: $(DEVICE)/%/stamp $(DEVICE)/runtime.a | $(DEVICE_PCH)
	$(call device-library,.*,$(WAVES))
RUNTIME := verilated verilated_threads $(if $(filter 1,$(WAVES)),verilated_fst_c)
$(DEVICE)/runtime.a: $(RUNTIME:%=$(VERILATOR_INCLUDE)/%.cpp) tb/drive/library/stop.cpp tb/drive/library/device.h $(BUILD)/flags/runtime
	@rm -rf $(DEVICE)/runtime && mkdir -p $(DEVICE)/runtime
	for f in $(RUNTIME:%=$(VERILATOR_INCLUDE)/%.cpp) tb/drive/library/stop.cpp; do $(CCACHE) $(CXX) $(CXX_FLAGS) -w $(HIDDEN) -O2 -DVL_USER_STOP \
	  -DVL_USER_FATAL -c $$f -o $(DEVICE)/runtime/$$(basename $$f .cpp).o; done
	rm -f $@.$$PPID && ar rcs $@.$$PPID $(DEVICE)/runtime/*.o && $(whole)
endif

# How a program calls this make when it wants a library (tb/drive/library/load.c): with what this one was called with.
$(eval $(call flags,make,$(BUILD) $(VERILATOR) $(WAVES) $(DEVICE_CXX) $(DEVICE_ARCH) $(CCACHE)))
$(DEVICE)/make.args: $(BUILD)/flags/make
	@mkdir -p $(@D)
	@printf '%s\n' -C "$$(realpath --relative-to=$(@D) .)" 'BUILD=$(BUILD)' 'VERILATOR=$(VERILATOR)' 'WAVES=$(WAVES)' \
	  'DEVICE_CXX=$(DEVICE_CXX)' 'DEVICE_ARCH=$(DEVICE_ARCH)' 'CCACHE=$(CCACHE)' > $@.$$PPID
	@$(whole)
