# Weir: everything is a target of mk/*.mk; `make help` lists what there is for users.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
.SECONDARY:
MAKEFLAGS += --no-builtin-rules

.PHONY: help
help:
	@echo 'make build    the program, $(BUILD)/weir; it builds each Verilated device when that is first needed (make devices: all of them, D=name: one)'
	@echo 'make mpi      the same for several processes or machines: mpirun -n 4 $(BUILD)/weir-mpi fabric .., or tree ..'
	@echo 'make demo     a first run of it, on a sample capture'
	@echo 'make live     two virtual machines with Linux RDMA all-reduce through the device (make live-image: what they boot; make host: the library)'
	@echo 'make check    all tests; the last line is `N passed, N failed, N skipped` (make must-run: writes the list of what must run anew)'
	@echo 'make unit     the unit tests only (T=name: those whose name contains it)'
	@echo 'make lint     Verilator -Wall for all configurations, slang, verible, clang-format'
	@echo 'make format   lets clang-format rewrite the C sources, and verible what it can mend in the RTL'
	@echo 'make csr      makes the register blocks anew from rtl/csr/*.rdl'
	@echo 'make docs     register documentation, in $(BUILD)/docs'
	@echo 'make protocol all states of small models of the protocol rules (protocol-full: all rows, writes the table)'
	@echo 'make soak     11,000 random scenarios, a life of a device with 10,000 jobs, and 600 random runs of hosts in closed loop, in all configurations; 600 of hosts below random trees; 2,000 random gathers; 1,000 random trees that end connections; 1,000 random fabrics, each again on two or three processes; 42 runs of Linux hosts; 200 jobs of hosts below valgrind, and 200 on Linux hosts through the device; training by PyTorch; PyTorch, ScaLAPACK and the plugin for NCCL on Linux hosts; 10^9 pairs of FP32'
	@echo 'make bench    all measurements, also against cocotb; writes docs/figures/performance.csv and .md'
	@echo 'make netreduce-figures  machines with several accelerators, beside the formulas of NetReduce; writes docs/figures/netreduce-figures.md'
	@echo 'make tree-peers  an all-reduce of hosts alone, in SimGrid, beside aggregation trees; writes the table in docs/tree.md'
	@echo 'make tree-figures  figures of SHARP'"'"'s paper beside aggregation trees; writes docs/figures/tree-figures.md'
	@echo 'make gather-figures  what NetSparse published beside what weir gather predicts; writes docs/figures/gather-figures.md'
	@echo 'make slurm-check  a sweep as a Slurm job array, on a Slurm of its own, with a task killed; make fabric-figures, fabric-allreduce: docs/fabric.md and docs/figures/fabric-allreduce.md anew'
	@echo 'make mutants  breaks the device on purpose and wants to see the tests fail'
	@echo 'make formal   all proofs, their covers and mutants; docs/proofs.md (make formal-quick: the quick ones, part of make check)'
	@echo 'make score    draws mistakes in the RTL and asks proofs, unit tests and whole devices: formal/mutation.csv, docs/proofs/mutants.md (two minutes a module)'
	@echo 'make synth    resources, depth, clocks: UltraScale+, standard cells, ECP5, growth; docs/resources.md (also synth-fpga, -features, -cells, -route, -scale alone;'
	@echo '              synth-check: are the committed reports of this RTL?)'
	@echo 'make fresh    proves and synthesizes anew what is of older RTL, the cheapest first (fresh-list only names it)'
	@echo 'make setup    installs what the above need, and says what: Debian packages and $(VENV). Each target installs its own part, too'
	@echo 'make install  the program, devices that are built, dissectors, the library of hosts: to PREFIX, /usr/local, below DESTDIR (make install-host: the library alone; install-mpi: with libweir-mpi.so; install-torch: with the backend for PyTorch and the plugin for NCCL)'
	@echo 'make clean    removes $(BUILD)'

include mk/settings.mk
include mk/setup.mk
include mk/rtl.mk
include mk/pch.mk
include mk/device.mk
include mk/program.mk
include mk/host.mk
include mk/unit.mk
include mk/check.mk
include mk/report.mk
include mk/form.mk
include mk/install.mk

.PHONY: clean
clean:
	rm -rf $(BUILD)
