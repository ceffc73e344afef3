# What is measured, proved and synthesized; each writes pages of docs/.

# The peer has Python packages and a Verilator of its own, and weir is built once more with that one.
PEERS := $(BUILD)/peers
.PHONY: bench
bench: build mpi $(PEERS)/venv/.stamp
	@$(MAKE) $(PARALLEL) --no-print-directory $(call libraries,$(CONFIGS))
	@missed=0; $(BUILD)/weir bench --csv $(BUILD)/bench.csv || missed=1; \
	  $(PEERS)/venv/bin/python sim/peers/run.py $(PEERS) $(PEERS)/figures.csv || missed=1; \
	  python3 tools/perfdoc.py $(BUILD)/bench.csv $(PEERS)/figures.csv && exit $$missed
$(PEERS)/venv/.stamp: sim/peers/requirements.txt
	$(call venv,$<)
# Hosts without a tree, in SimGrid: docs/figures/tree-peers.csv, the table in docs/tree.md, its picture.
.PHONY: tree-peers
tree-peers: build tools-peers
	python3 sim/peers/hosts_alone/run.py $(BUILD)

# SHARP's figures beside `weir tree`: docs/figures/tree-figures.csv, tables and pictures of docs/figures/tree-figures.md. About 6 minutes, most of it for 256 MB.
.PHONY: tree-figures
tree-figures: build
	python3 tools/draw/tree_figures.py $(BUILD)

# NetSparse's figures beside `weir gather`: docs/figures/gather-figures.csv, tables of docs/figures/gather-figures.md. About 12 minutes of one core.
.PHONY: gather-figures
gather-figures: build $(VENV)/.stamp
	$(VENV)/bin/python tools/draw/gather_figures.py $(BUILD)

# NetReduce's figures in weir fabric: docs/figures/netreduce-figures.csv, tables and pictures of docs/figures/netreduce-figures.md. About 6 minutes.
.PHONY: netreduce-figures
netreduce-figures: build
	python3 tools/draw/fabric_fig7.py $(BUILD)

# The same all-reduce by hosts alone, NetReduce and a SHARP tree, on one simulated fabric: docs/figures/fabric-allreduce.csv, the tables and pictures beside it.
.PHONY: fabric-allreduce
fabric-allreduce: build
	python3 tools/draw/fabric_allreduce.py --weir $(BUILD)/weir

# What RoCE at Meta published, beside weir fabric: docs/figures/fabric.csv, the tables and pictures of docs/fabric.md.
.PHONY: fabric-figures
fabric-figures: build
	python3 tools/draw/fabric_figures.py --weir $(BUILD)/weir

# A sweep of 12 points as a Slurm job array, on a Slurm of its own, with a task killed in the middle.
.PHONY: slurm-check
slurm-check: build tools-slurm
	sim/slurm/check.sh $(BUILD)

# What has not changed since it was proved is not proved again; formal/README.md says how to add to them and read a failure.
FORMAL = BUILD=$(BUILD) JOBS=$(JOBS) $(VENV)/bin/python formal/run.py
.PHONY: formal formal-quick formal-table score
formal: $(VENV)/.stamp
	$(FORMAL)
formal-quick: $(VENV)/.stamp
	$(FORMAL) --quick
# Proves nothing: docs/proofs.md anew from what was proved, with what is stale by now.
formal-table: $(VENV)/.stamp
	$(FORMAL) --table

# Who sees mistakes that Yosys draws (formal/README.md): of the modules that have no rows or those of older sources, the state path first. It can be
# stopped, and goes on where it was. Whole devices are asked last.
score: $(VENV)/.stamp
	BUILD=$(BUILD) VENV=$(VENV) $(VENV)/bin/python formal/mutation/mutate.py --limit 120 --patience 1 --deep 2 --others 1 --tests 1
	$(MAKE) --no-print-directory $(BUILD)/weir $(BUILD)/sim/soak
	BUILD=$(BUILD) VENV=$(VENV) $(VENV)/bin/python formal/mutation/replay.py
	$(FORMAL) --table

# Reports in synth/reports, docs/resources.md and its pictures. A module that has not changed is not synthesized again; synth-check says which
# committed rows are not of this RTL any more, and how much their modules have grown.
SYNTH_CONFIGS ?= paper6 wide8 leaf6 gather_nic4 gather_switch8 shell_port1 uplink_port2 uplink_order512 uplink4 node4 node8
SYNTH = BUILD=$(BUILD) $(VENV)/bin/python synth
.PHONY: synth synth-fpga synth-features synth-cells synth-power synth-route synth-scale synth-docs synth-check
synth: synth-fpga synth-features synth-cells synth-power synth-route synth-scale
synth-fpga: $(VENV)/.stamp
	$(SYNTH)/run.py $(SYNTH_CONFIGS)
synth-features: $(VENV)/.stamp
	$(SYNTH)/features.py
synth-cells: tools-synth $(VENV)/.stamp
	$(SYNTH)/cells.py paper6 node8 gather_nic4 gather_switch8
# The record of a network interface is half a minute of processor time, that of switches two, the steps through each are one.
synth-power: tools-synth $(VENV)/.stamp
	for one in nic switch; do BUILD=$(BUILD) VENV=$(VENV) synth/energy/record.sh $(BUILD)/synth/$$one.fst $$one && $(SYNTH)/power.py $$one $(BUILD)/synth/$$one.fst || exit 1; done
	$(VENV)/bin/python tools/draw/gather_figures.py --tables
synth-route: $(VENV)/.stamp
	$(SYNTH)/route.py paper6 tiny tiny_bare pair_bare
synth-scale: $(VENV)/.stamp
	$(SYNTH)/scale.py
synth-docs: $(VENV)/.stamp
	$(SYNTH)/report.py
synth-check: $(VENV)/.stamp
	$(SYNTH)/check.py --all --strict $(SYNTH_REPORTED)
SYNTH_REPORTED = $(patsubst synth/reports/xcup/%.csv,%,$(wildcard synth/reports/xcup/*.csv))

# Rows of proofs and reports that are of older RTL: fresh-list names them, with what they took, and marks them in docs/proofs.md and
# docs/resources.md; fresh looks first whose circuits are the same, and makes the others anew, the cheapest first. What is done stays done, so both can be ended at any time.
.PHONY: fresh fresh-list
fresh-list: $(VENV)/.stamp
	$(FORMAL) --list
	@$(SYNTH)/check.py --mark $(SYNTH_REPORTED)
fresh: tools-synth $(VENV)/.stamp
	$(FORMAL) --same
	$(FORMAL) --stale
	@$(SYNTH)/check.py --mark $(SYNTH_REPORTED)
	for c in $$(wc -l $(SYNTH_REPORTED:%=synth/reports/xcup/%.csv) | sort -n | sed -n 's!.*xcup/\(.*\)\.csv!\1!p'); do \
	  if grep -q "^xcup-$$c," synth/reports/stale.csv; then $(SYNTH)/run.py $$c; fi; done
	if grep -q '^nangate45-' synth/reports/stale.csv; then $(MAKE) synth-cells; fi
	if grep -q '^scaling,' synth/reports/stale.csv; then $(MAKE) synth-scale; fi
	if grep -q '^features,' synth/reports/stale.csv; then $(MAKE) synth-features; fi
	if grep -q '^ecp5-' synth/reports/stale.csv; then $(MAKE) synth-route; fi
	@$(SYNTH)/check.py --mark --strict $(SYNTH_REPORTED)
