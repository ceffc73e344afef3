# A makefile of its own, run by the recipe in mk/pch.mk: Verilator's headers with exactly the flags that its makefiles compile a model with.
VERILATOR_ROOT := $(patsubst %/include,%,$(VERILATOR_INCLUDE))
VM_PREFIX := none
VM_COVERAGE := 0
VM_SC := 0
VM_TRACE := 0
VM_TRACE_FST := 0
VM_TRACE_VCD := 0
VM_TIMING := 0
include $(VERILATOR_INCLUDE)/verilated.mk

HEADERS := verilated.h verilated_dpi.h verilated_syms.h $(if $(filter 1,$(VM_TRACE)),verilated_fst_c.h)
# Templates are instantiated here once, too.
COMPILE = $(CXX) $(CXXFLAGS) $(filter-out -MMD,$(CPPFLAGS)) -Xclang -fno-pch-timestamp -fpch-instantiate-templates \
  $(HEADERS:%=-include %) -x c++-header /dev/null
# PCH and its .sum appear whole; models compile against the old pair until then.
.PHONY: pch
pch:
	$(COMPILE) -E -o - | sha256sum > $(PCH).sum.$$PPID
	$(COMPILE) -o $(PCH).$$PPID
	mv $(PCH).sum.$$PPID $(PCH).sum && mv $(PCH).$$PPID $(PCH)
