# All tests; long random runs; mistakes that the tests have to see.

# Tests that need the program are scripts, sim/test/test_* and tools/test/test_*: .sh prints TAP (tools/test/tap.sh), .py is for pytest.
# The one that takes longest is begun first.
SCRIPTS := tools/test/hardware/test_formal.sh $(sort $(filter-out tools/test/hardware/test_formal.sh,$(wildcard $(foreach t,sh py,$(foreach d,test test/*,sim/$(d)/test_*.$(t) tools/$(d)/test_*.$(t))))))
.PHONY: check must-run check-build
check-build: $(call libraries,$(CHECKED_DEVICES) $(CHECKED_WAVES)) $(BUILD)/weir $(BUILD)/weir-mpi $(BUILD)/san/weir $(BUILD)/protocol $(BUILD)/sim/soak $(BUILD)/san/soak \
  $(BUILD)/sim/compare $(UNIT_PROGRAMS) $(MAPPED_PROGRAMS)
must-run: REWRITE := --rewrite
check must-run: tools-build tools-check tools-mpi tools-format $(VENV)/.stamp
	@doubt=; TIMEFORMAT='build: %R s, %U and %S s of processor time'; time $(MAKE) -k $(PARALLEL) --no-print-directory check-build || doubt=--doubt; \
	  BUILD=$(BUILD) VENV=$(VENV) python3 tools/run_tests.py --summary -j$(JOBS) --must-run $(MUST_RUN) --complete $(REWRITE) $$doubt \
	  $(SCRIPTS) $(UNIT_PROGRAMS)

.PHONY: soak soak-build mutants
# What tools/mutants.py runs.
soak-build: $(BUILD)/sim/soak $(call libraries,$(or $(D),tiny))
SOAK = BUILD=$(BUILD) sim/soak/soak.py --jobs $(JOBS)
soak: tools-build tools-check tools-mpi tools-train live-image
	@$(MAKE) $(PARALLEL) --no-print-directory $(call libraries,$(CHECKED_DEVICES)) $(BUILD)/sim/soak $(BUILD)/weir $(BUILD)/weir-mpi
	$(SOAK) traffic --config tiny --seeds 1..10000
	$(SOAK) traffic --config paper6 --seeds 10001..10800
	$(SOAK) traffic --config wide8 --seeds 10801..11000
	$(SOAK) tenants --config paper6 --seeds 6..6 --frames 10000000 --job-count 10000
	$(BUILD)/sim/soak --config tiny_ecc --seeds 1..600 --flips 500
	$(SOAK) ring --seeds 1..600
	$(SOAK) reboot --seeds 1..600
	$(SOAK) relay --seeds 1..600
	# Leaves and a spine of the paper's size, which take longer to compile than make check has for them.
	$(BUILD)/weir ring --topology leaf-spine:6x2 --msglen 170 --devices rtl --tensor 800K
	$(BUILD)/weir ring --topology leaf-spine:2x2 --msglen 170 --devices rtl --tensor 800K --loss 0.0001
	$(SOAK) gather --seeds 1..2000
	$(SOAK) tree --seeds 1..1000
	$(SOAK) fabric --seeds 1..1000
	$(SOAK) live --seeds 1..42
	HOST_JOBS=200 BUILD=$(BUILD) tools/test/host/test_host_faults.sh
	sim/live/live_shell.py $(BUILD)/weir 200
	BUILD=$(BUILD) sim/soak/train.sh
	BUILD=$(BUILD) sim/soak/guests.sh
	FUZZ_SECONDS=60 BUILD=$(BUILD) sim/test/test_fuzz.sh
	@$(MAKE) --no-print-directory $(BUILD)/unit/test_prim_fp32_reduce
	$(BUILD)/unit/test_prim_fp32_reduce 2 1000000000
# In a copy of the tree.
mutants: tools-build tools-check
	python3 tools/mutants.py --table docs/mutants.md
