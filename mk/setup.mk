# Tools: Debian packages and what comes from PyPI. Each target looks first, says what is missing, and installs only that.

.PHONY: setup tools-build tools-check tools-mpi tools-format tools-synth tools-live tools-peers tools-slurm tools-train
tools-build tools-check tools-mpi tools-format tools-synth tools-live tools-peers tools-slurm tools-train: tools-%:
	@tools/setup.sh $*
# In one go, so that it is said once what all of Weir lacks here.
setup:
	@tools/setup.sh build check mpi format synth live peers slurm train python
	@$(MAKE) --no-print-directory $(VENV)/.stamp
	@echo 'All that Weir needs is installed.'

# $(call venv,REQUIREMENTS): in the folder of the target. Every file that pip takes must have the hash that is written there.
define venv
tools/setup.sh python
@echo 'Installing what $(1) lists in $(@D).'
python3 -m venv $(@D)
$(@D)/bin/pip install --quiet --disable-pip-version-check --require-hashes -r $(1)
@touch $@
endef
$(VENV)/.stamp: requirements.txt
	$(call venv,$<)
