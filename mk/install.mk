# Installation. A device that is not installed cannot be built later: there is no source tree beside the program then.

PREFIX ?= /usr/local
INSTALLED = $(DESTDIR)$(PREFIX)
.PHONY: install
install: build install-host $(MANUAL) $(COMPLETION)
	install -d $(INSTALLED)/bin $(INSTALLED)/lib/weir $(INSTALLED)/share/weir \
	  $(INSTALLED)/share/man/man1 $(INSTALLED)/share/bash-completion/completions
	install -m 755 $(BUILD)/weir $(INSTALLED)/bin
	install -m 644 $(MANUAL) $(INSTALLED)/share/man/man1
	install -m 644 $(COMPLETION) $(INSTALLED)/share/bash-completion/completions
	@for d in $(wildcard $(DEVICE)/*.so); do echo "install $$d"; install -m 644 $$d $(INSTALLED)/lib/weir; done
	install -m 644 tools/dissect/weir_ina.lua tools/dissect/weir_gather.lua tools/dissect/weir_tree.lua sim/waves/column.gtkw sim/waves/short.gtkw $(INSTALLED)/share/weir
# The adapter for programs of MPI, beside the library.
.PHONY: install-mpi
install-mpi: host-mpi install-host
	install -m 755 $(MPI_ADAPTER) $(INSTALLED)/lib
# Those for NCCL and PyTorch, whose folder goes into PYTHONPATH.
.PHONY: install-torch
install-torch: install-host host-nccl
	install -d $(INSTALLED)/lib/weir/python
	install -m 755 $(NCCL_ADAPTER) $(INSTALLED)/lib
	install -m 644 host/torch/weir_torch.py $(INSTALLED)/lib/weir/python
# The library of hosts alone: what a machine with a NIC needs.
install-host: host-files
	install -d $(INSTALLED)/bin $(INSTALLED)/lib/pkgconfig $(INSTALLED)/include/weir $(INSTALLED)/share/man/man3
	install -m 755 $(HOST_PROGRAMS) $(INSTALLED)/bin
	install -m 644 $(PUBLIC_HEADERS) $(INSTALLED)/include/weir
	install -m 644 $(COLL_LIBRARIES) $(INSTALLED)/lib
	ln -sf libweir-coll.so.$(COLL_VERSION) $(INSTALLED)/lib/$(COLL_SONAME)
	ln -sf $(COLL_SONAME) $(INSTALLED)/lib/libweir-coll.so
	sed 's|@prefix@|$(PREFIX)|; s|@version@|$(COLL_VERSION)|; s|@needs@|$(COLL_NEEDS)|' host/weir-coll.pc.in > $(INSTALLED)/lib/pkgconfig/weir-coll.pc
	install -m 644 $(BUILD)/share/man/man3/*.3 $(INSTALLED)/share/man/man3
