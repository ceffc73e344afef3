# Installation. A device that is not installed cannot be built later: there is no source tree beside the program then.

PREFIX ?= /usr/local
INSTALLED = $(DESTDIR)$(PREFIX)
.PHONY: install
install: build $(BUILD)/host/libweir_coll.a $(MANUAL) $(COMPLETION)
	install -d $(INSTALLED)/bin $(INSTALLED)/lib/weir $(INSTALLED)/include $(INSTALLED)/share/weir \
	  $(INSTALLED)/share/man/man1 $(INSTALLED)/share/bash-completion/completions
	install -m 755 $(BUILD)/weir $(INSTALLED)/bin
	install -m 644 $(MANUAL) $(INSTALLED)/share/man/man1
	install -m 644 $(COMPLETION) $(INSTALLED)/share/bash-completion/completions
	@for d in $(wildcard $(DEVICE)/*.so); do echo "install $$d"; install -m 644 $$d $(INSTALLED)/lib/weir; done
	install -m 644 host/weir_coll.h host/weir_tree.h $(INSTALLED)/include
	install -m 644 $(BUILD)/host/libweir_coll.a $(INSTALLED)/lib
	install -m 644 tools/weir_ina.lua tools/weir_gather.lua tools/weir_tree.lua sim/waves/column.gtkw sim/waves/short.gtkw $(INSTALLED)/share/weir
