# The form of sources, and documents made from them.

C_SOURCES = $(shell git ls-files '*.c' '*.h' '*.cpp' ':!rtl')
# Generated files follow their generator's style.
SV_SOURCES = $(filter-out rtl/csr/%_csr.sv rtl/csr/%_csr_pkg.sv,$(shell git ls-files '*.sv'))
# Also the switch of the paper: 32 ports, 8 pipes, 128 nodes, 4 MB of cache a pipe.
GATHER_LINT := weir_gather_switch: weir_gather_switch:-GNumPorts=32,-GNumPipes=8,-GNumNodes=128,-GCacheSets=512 weir_gather_nic: \
  "weir_gather_nic:-GNumUnits=32,-GNumNodes=128,-GVirtual=1'b1"
.PHONY: lint lint-verilator lint-slang lint-verible lint-c lint-csr format csr docs
lint: tools-build tools-format lint-verilator lint-slang lint-verible lint-c lint-csr
lint-verilator:
	@for c in $(CONFIGS) $(ECC_CONFIGS) $(LEAN_CONFIGS) $(BEAT_CONFIGS) $(RELAY_CONFIGS); do echo "lint $$c"; \
	  $(VERILATOR) --lint-only $(call rtl_flags,$(AGGREGATOR_ROOMS)) --top-module weir_aggregator $$(python3 tools/generate/configgen.py parameters $$c) \
	    rtl/top/weir_aggregator.sv || exit 1; done
	@for t in $(GATHER_LINT); do echo "lint $${t%%:*}"; \
	  $(VERILATOR) --lint-only $(call rtl_flags,$(GATHER_ROOMS)) --top-module $${t%%:*} $$(echo $${t#*:} | tr , ' ') \
	    rtl/top/$${t%%:*}.sv || exit 1; done
	@# Tests build node4 with the same warnings.
	@for c in $(filter-out node4,$(TREE_CONFIGS)); do echo "lint $$c"; \
	  $(VERILATOR) --lint-only $(call rtl_flags,$(TREE_ROOMS)) --top-module weir_tree_node $$(python3 tools/generate/configgen.py parameters $$c) \
	    rtl/top/weir_tree_node.sv || exit 1; done
	@echo "lint weir_uplink"; $(VERILATOR) --lint-only $(call rtl_flags,$(FABRIC_ROOMS)) --top-module weir_uplink rtl/top/weir_uplink.sv
	@echo "lint shell_port"; $(VERILATOR) --lint-only $(call rtl_flags,$(SHELL_ROOMS)) --top-module shell_port rtl/shell/shell_port.sv
	@echo "lint rc_port"; $(VERILATOR) --lint-only $(call rtl_flags,$(TREE_ROOMS)) --top-module rc_port rtl/tree/transport/rc_port.sv
# SLANG_SOURCES: these files alone, instead of the devices.
lint-slang: $(VENV)/.stamp
	$(VENV)/bin/python synth/lint.py $(SLANG_SOURCES)
lint-verible: $(VENV)/.stamp
	$(VENV)/bin/verible-verilog-lint --rules_config tools/verible.rules $(SV_SOURCES)
	@# verible lets a long line pass that is a comment.
	@! LC_ALL=C.UTF-8 grep -HnE '^.{101}' $(SV_SOURCES) || { echo 'lint: 100 columns at most'; false; }
lint-c:
	clang-format --dry-run --Werror $(C_SOURCES)
lint-csr: $(VENV)/.stamp
	$(VENV)/bin/python tools/generate/csrgen.py --check
format: tools-format $(VENV)/.stamp
	clang-format -i $(C_SOURCES)
	$(VENV)/bin/verible-verilog-lint --rules_config tools/verible.rules --lint_fatal=false --autofix=inplace $(SV_SOURCES)
csr: $(VENV)/.stamp
	$(VENV)/bin/python tools/generate/csrgen.py
docs: $(VENV)/.stamp
	$(VENV)/bin/python tools/generate/csrgen.py --html $(BUILD)/docs/registers
