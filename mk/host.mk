# What runs on RDMA hosts: the library, and a program that measures with it; and what guests of `weir live` boot.
HOST_SOURCES := $(wildcard host/*.c host/*/*.c) $(LIB_SOURCES)
HOST_PROGRAMS := $(BUILD)/host/weir_perf $(BUILD)/host/weir_tree_perf
LIVE := $(BUILD)/live
.PHONY: host live live-image
$(BUILD)/host/libweir_coll.a: $(patsubst %.c,$(BUILD)/rel/%.o,$(filter-out host/perf.c host/tree_perf.c host/perf_common.c,$(HOST_SOURCES)))
	@mkdir -p $(@D)
	rm -f $@ && ar rcs $@ $^
$(HOST_PROGRAMS): $(BUILD)/host/weir_%: $(BUILD)/rel/host/%.o $(BUILD)/rel/host/perf_common.o $(BUILD)/host/libweir_coll.a
	$(CC) $^ -libverbs -lz -lm -o $@
host: tools-build tools-live
	@$(MAKE) $(PARALLEL) --no-print-directory $(BUILD)/host/libweir_coll.a $(HOST_PROGRAMS)
$(LIVE)/initrd.gz: tools/live_image.sh host/guest_init.sh $(HOST_PROGRAMS)
	tools/live_image.sh $(LIVE) $(HOST_PROGRAMS)
live-image: host
	@$(MAKE) --no-print-directory $(LIVE)/initrd.gz
live: build live-image
	$(BUILD)/weir live
