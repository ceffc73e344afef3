# What runs on RDMA hosts: the library, and a program that measures with it; and what guests of `weir live` boot.

# Programs of their own; all else of host/ is the library. Of lib/ it takes what it needs.
HOST_MAINS := host/perf.c host/tree_perf.c host/perf_common.c host/perf_work.c
# What stands between the library and other people's programs: a library of its own each.
ADAPTER_SOURCES := $(wildcard host/mpi/*.c host/nccl/*.c)
COLL_SOURCES := $(filter-out $(HOST_MAINS) $(ADAPTER_SOURCES),$(wildcard host/*.c host/*/*.c))
HOST_PROGRAMS := $(BUILD)/host/weir_perf $(BUILD)/host/weir_tree_perf
COLL_VERSION := 1.3.0
COLL_SONAME := libweir-coll.so.1
COLL_LIBRARIES := $(BUILD)/host/libweir-coll.a $(BUILD)/host/libweir-coll.so.$(COLL_VERSION)
COLL_NEEDS := -libverbs -lnettle -lz -lm
PUBLIC_HEADERS := host/weir/coll.h host/weir/tree.h
LIVE := $(BUILD)/live
.PHONY: host host-library live live-image install-host
# Only what the public headers name is seen from outside: of the static library, too, so that its other names meet none of a program's.
PIC_FLAGS := $(REL_FLAGS) -fPIC -fvisibility=hidden
$(eval $(call flags,pic,$(CCACHE) $(CC) $(C_FLAGS) $(PIC_FLAGS)))
$(BUILD)/pic/%.o: %.c $(BUILD)/flags/pic | $(GENERATED)
	@mkdir -p $(@D)
	$(CCACHE) $(CC) $(C_FLAGS) $(PIC_FLAGS) -MMD -MP -c $< -o $@
ifneq ($(RULES_NEEDED),)
-include $(patsubst %.c,$(BUILD)/pic/%.d,$(COLL_SOURCES) $(LIB_SOURCES))
endif
$(BUILD)/pic/lib.a: $(LIB_SOURCES:%.c=$(BUILD)/pic/%.o)
	rm -f $@ && ar rcs $@ $^
$(BUILD)/host/libweir-coll.a: $(COLL_SOURCES:%.c=$(BUILD)/pic/%.o) $(BUILD)/pic/lib.a
	@mkdir -p $(@D)
	ld -r $^ -o $(BUILD)/host/coll.o && objcopy --localize-hidden $(BUILD)/host/coll.o
	rm -f $@ && ar rcs $@ $(BUILD)/host/coll.o
$(BUILD)/host/libweir-coll.so.$(COLL_VERSION): $(COLL_SOURCES:%.c=$(BUILD)/pic/%.o) $(BUILD)/pic/lib.a
	@mkdir -p $(@D)
	$(CC) -shared -Wl,-soname,$(COLL_SONAME) -Wl,-z,defs -Wl,--as-needed $^ $(COLL_NEEDS) $(LDFLAGS) -o $@
$(BUILD)/host/weir_perf: $(BUILD)/rel/host/perf_work.o
$(HOST_PROGRAMS): $(BUILD)/host/weir_%: $(BUILD)/rel/host/%.o $(BUILD)/rel/host/perf_common.o $(BUILD)/host/libweir-coll.a $(LIB_SOURCES:%.c=$(BUILD)/rel/%.o)
	$(CC) $^ $(COLL_NEEDS) -o $@
host-library: $(COLL_LIBRARIES)
# Found by its soname beside the adapters, here and where they are installed.
$(BUILD)/host/$(COLL_SONAME) $(BUILD)/host/libweir-coll.so: $(BUILD)/host/libweir-coll.so.$(COLL_VERSION)
	ln -sf $(<F) $@
MPI_ADAPTER := $(BUILD)/host/libweir-mpi.so
$(MPI_ADAPTER): $(wildcard host/mpi/*.[ch]) $(PUBLIC_HEADERS) $(BUILD)/host/$(COLL_SONAME) $(BUILD)/flags/pic
	OMPI_CC=$(CC) mpicc $(C_FLAGS) $(PIC_FLAGS) -shared $(filter %.c,$^) $(BUILD)/host/$(COLL_SONAME) -Wl,-rpath,'$$ORIGIN' -Wl,-z,defs -o $@
# NCCL finds it as NCCL_NET_PLUGIN=weir.
NCCL_ADAPTER := $(BUILD)/host/libnccl-net-weir.so
$(NCCL_ADAPTER): $(wildcard host/nccl/*.[ch]) $(PUBLIC_HEADERS) $(BUILD)/host/$(COLL_SONAME) $(BUILD)/flags/pic
	$(CC) $(C_FLAGS) $(PIC_FLAGS) -shared $(filter %.c,$^) $(BUILD)/host/$(COLL_SONAME) -Wl,-rpath,'$$ORIGIN' -Wl,-z,defs -o $@
# An RDMA network for hosts that are processes of one machine, for tests (tb/unit/host/net/process_verbs.h).
PROCESS_VERBS := $(BUILD)/host/libprocess-verbs.so
$(PROCESS_VERBS): $(addprefix tb/unit/host/net/,process_verbs.c process_net.c fake_node.c process_verbs.h process_net.h fake_node.h) $(BUILD)/pic/lib.a
	@mkdir -p $(@D)
	$(CC) $(C_FLAGS) $(REL_FLAGS) -fPIC -shared $(filter %.c %.a,$^) -lz -lm -lpthread -o $@
# One make at a time writes these files: who comes second finds them whole, and no program is linked anew while a test runs it. A make that is called by who
# holds the lock has it, too (tools/live_root.sh).
MAKE_HOST = @mkdir -p $(BUILD)/host && $(if $(HOST_LOCKED),,flock $(BUILD)/host/lock env HOST_LOCKED=1) $(MAKE) $(PARALLEL) --no-print-directory
.PHONY: host-mpi host-tests host-nccl host-files
host-mpi: tools-mpi
	$(MAKE_HOST) $(MPI_ADAPTER)
host-nccl:
	$(MAKE_HOST) $(NCCL_ADAPTER)
host-tests: tools-mpi tools-live
	$(MAKE_HOST) $(MPI_ADAPTER) $(NCCL_ADAPTER) $(PROCESS_VERBS) $(HOST_PROGRAMS)
host: tools-build tools-live host-files
host-files:
	$(MAKE_HOST) $(COLL_LIBRARIES) $(HOST_PROGRAMS) $(BUILD)/share/man/man3/.stamp
$(LIVE)/initrd: tools/live_image.sh tools/unpack_kernel.py host/guest_init.sh $(HOST_PROGRAMS)
	tools/live_image.sh $(LIVE) $(HOST_PROGRAMS)
live-image: host
	$(MAKE_HOST) $(LIVE)/initrd
# A root file system with OpenMPI, for `weir live --program` (tools/live_root.sh makes others).
$(LIVE)/openmpi/.made: tools/live_root.sh host/mpi/weir-mpirun.sh $(MPI_ADAPTER) $(COLL_LIBRARIES)
	BUILD=$(BUILD) tools/live_root.sh $(@D) openmpi-bin
	@touch $@
.PHONY: live-mpi
live-mpi: live-image host-mpi
	$(MAKE_HOST) $(LIVE)/openmpi/.made
live: build live-image
	$(BUILD)/weir live

# Manual pages of section 3, one a function, from the comments of the headers.
$(BUILD)/share/man/man3/.stamp: tools/man3.py $(PUBLIC_HEADERS)
	@rm -rf $(@D) && mkdir -p $(@D)
	python3 tools/man3.py $(COLL_VERSION) $(@D) $(PUBLIC_HEADERS)
	@touch $@
