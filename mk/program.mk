# The program, and the C objects of all programs.

.PHONY: build demo
build: tools-build
	@$(MAKE) $(PARALLEL) --no-print-directory $(BUILD)/weir
# The device of the demonstration is built beside the program, not behind it.
DEMO_CONFIG := paper6
demo: tools-build
	@$(MAKE) $(PARALLEL) --no-print-directory $(call libraries,$(DEMO_CONFIG)) $(BUILD)/weir
	sim/cli/demo.sh $(BUILD)/weir $(DEMO_CONFIG)

# A missing header directory or generated file must be there before the first compile; afterwards .d files tell.
$(BUILD)/san/%.o: %.c $(BUILD)/flags/san | $(GENERATED)
	@mkdir -p $(@D)
	$(CCACHE) $(CC) $(C_FLAGS) $(SAN_FLAGS) -MMD -MP -c $< -o $@
$(BUILD)/rel/%.o: %.c $(BUILD)/flags/rel | $(GENERATED)
	@mkdir -p $(@D)
	$(CCACHE) $(CC) $(C_FLAGS) $(REL_FLAGS) -MMD -MP -c $< -o $@

# What `weir --version` says: of which commit it is, and whether something is edited.
$(BUILD)/gen/version.h: FORCE
	@mkdir -p $(@D)
	@echo "#define WEIR_VERSION \"$$(git describe --always --dirty --tags 2> /dev/null || echo unknown)\"" > $@.$$PPID
	@cmp -s $@.$$PPID $@ && rm $@.$$PPID || mv $@.$$PPID $@
$(BUILD)/rel/sim/cli/main.o $(BUILD)/san/sim/cli/main.o: $(BUILD)/gen/version.h

# What the program says of its options, where man and bash look for it.
MANUAL := $(BUILD)/share/man/man1/weir.1
COMPLETION := $(BUILD)/share/bash-completion/completions/weir
$(MANUAL) $(COMPLETION): $(BUILD)/weir
	@mkdir -p $(@D)
	$< --$(if $(filter %.1,$@),man,completion) > $@.$$PPID && mv $@.$$PPID $@

# What all programs share.
LIB_SOURCES := $(wildcard lib/*/*.c)
# The rules of a slot, which searches and benches share.
PROTOCOL_SLOT := formal/protocol/slot.c
# What joins processes (sim/engine/world/ranks.h) is for `weir-mpi` alone.
PROGRAM_SOURCES := $(filter-out sim/mpi/% sim/test/% sim/soak/% sim/peers/% tb/drive/dut%,$(wildcard sim/*/*.c sim/*/*/*.c lib/*/*.c tb/model/*.c tb/model/*/*.c tb/oracle/*.c tb/hosts/*.c tb/hosts/*/*.c tb/drive/*.c tb/drive/*/*.c)) $(PROTOCOL_SLOT)
# Random scenarios, without the commands of the program.
SOAK_SOURCES := $(wildcard sim/soak/*.c sim/soak/tenants/*.c) sim/engine/fit.c sim/engine/bench.c sim/engine/bench_check.c sim/engine/bench_checks.c sim/engine/bench_events.c sim/engine/bench_rings.c sim/engine/history.c sim/engine/follow/refinement.c sim/engine/follow/told.c sim/engine/undecided.c $(PROTOCOL_SLOT) \
  $(addprefix sim/cli/,life.c options.c options_show.c outputs.c usage.c) $(filter tb/% lib/%,$(PROGRAM_SOURCES))
# Compares captures, for the tests of the program.
COMPARE_SOURCES := sim/test/compare.c $(LIB_SOURCES)
# Searches all states of small protocol models (docs/protocol-check.md).
PROTOCOL_SOURCES := $(wildcard formal/protocol/*.c formal/protocol/*/*.c) $(LIB_SOURCES)
objects = $(1:%.c=$(BUILD)/rel/%.o)
$(BUILD)/weir: $(call objects,$(PROGRAM_SOURCES)) | $(DEVICE)/make.args
$(BUILD)/sim/soak: $(call objects,$(SOAK_SOURCES)) | $(DEVICE)/make.args
$(BUILD)/sim/compare: $(call objects,$(COMPARE_SOURCES))
$(BUILD)/protocol: $(call objects,$(PROTOCOL_SOURCES))
# The same program for several processes, which mpirun starts: `weir-mpi fabric`, `weir-mpi tree`.
.PHONY: mpi
mpi: tools-mpi
	@$(MAKE) $(PARALLEL) --no-print-directory $(BUILD)/weir-mpi
MPI_OBJECTS := $(filter-out $(BUILD)/rel/sim/engine/world/ranks_alone.o,$(call objects,$(PROGRAM_SOURCES))) $(BUILD)/mpi/ranks_mpi.o
$(BUILD)/mpi/ranks_mpi.o: sim/mpi/ranks_mpi.c $(BUILD)/flags/rel | $(GENERATED)
	@mkdir -p $(@D)
	OMPI_CC="$(CCACHE) $(CC)" mpicc $(C_FLAGS) $(REL_FLAGS) -MMD -MP -c $< -o $@
$(BUILD)/weir-mpi: $(MPI_OBJECTS) | $(DEVICE)/make.args
	@mkdir -p $(@D)
	@echo "link $@"; OMPI_CC=$(CC) mpicc $^ $(LIBRARIES) $(LDFLAGS) -o $@
# The same with ASan and UBSan, for tests of bad input.
$(BUILD)/san/weir: $(PROGRAM_SOURCES:%.c=$(BUILD)/san/%.o) | $(DEVICE)/make.args
$(BUILD)/san/soak: $(SOAK_SOURCES:%.c=$(BUILD)/san/%.o) | $(DEVICE)/make.args
$(BUILD)/san/weir $(BUILD)/san/soak:
	@mkdir -p $(@D)
	@echo "link $@"; $(CC) $(SANITIZE) $^ $(LIBRARIES) $(LDFLAGS) -o $@
$(BUILD)/weir $(BUILD)/sim/soak $(BUILD)/sim/compare $(BUILD)/protocol:
	@mkdir -p $(@D)
	@echo "link $@"; $(CC) $^ $(LIBRARIES) $(LDFLAGS) -o $@

.PHONY: protocol protocol-full
protocol: tools-build $(BUILD)/protocol
	python3 formal/protocol/table.py $(BUILD)/protocol
protocol-full: tools-build $(BUILD)/protocol
	python3 formal/protocol/table.py --full $(BUILD)/protocol

REL_OBJECTS := $(sort $(call objects,$(PROGRAM_SOURCES) $(SOAK_SOURCES) $(COMPARE_SOURCES) $(PROTOCOL_SOURCES) $(wildcard host/*.c host/*/*.c)))
ifneq ($(RULES_NEEDED),)
-include $(REL_OBJECTS:.o=.d) $(BUILD)/mpi/ranks_mpi.d $(patsubst %.c,$(BUILD)/san/%.d,$(sort $(PROGRAM_SOURCES) $(SOAK_SOURCES)))
endif
