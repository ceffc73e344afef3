# Verilator's headers, compiled once: a compiler reads them for longer than most modules' code. With clang alone, and with a Verilator
# whose makefiles do not do it themselves; else everything is compiled without.

PCH := $(BUILD)/pch
comma := ,
PCH_USED = $(if $(findstring clang,$(DEVICE_CXX)),$(if $(findstring _PCH,$(file <$(VERILATOR_INCLUDE)/verilated.mk)),,yes))
# ccache goes by what is in the .sum file, the headers' text, instead of the .pch, which has its folder's name in it.
PCH_CCACHE = $(AT_HAND) $(if $(CCACHE),$(if $(PCH_USED),CCACHE_PCH_EXTSUM=1 CCACHE_SLOPPINESS=pch_defines$(comma)time_macros )$(CCACHE))
# $(call pch,NAMES): files that must be there; what makes them anew is among the flags of a model, too. $(call use_pch,NAME): what a compiler
# that runs in $(BUILD)/*/* is told.
pch = $(if $(PCH_USED),$(1:%=$(PCH)/%.pch))
use_pch = $(if $(PCH_USED),-Xclang -fno-pch-timestamp -include-pch ../../pch/$(1).pch)

# $(call pch-rule,NAME,FLAGS,SETTINGS): compiled with FLAGS and what Verilator's makefile adds with these SETTINGS.
define pch-rule
$$(eval $$(call flags,pch-$(1),$$(VERILATOR) $$(VERILATOR_VERSION) $$(DEVICE_CXX) $(2) $(3)))
$$(PCH)/$(1).pch: $$(BUILD)/flags/pch-$(1) mk/pch_compile.mk
	@mkdir -p $$(@D)
	@$$(MAKE) -s -f mk/pch_compile.mk VERILATOR_INCLUDE=$$(VERILATOR_INCLUDE) CXX=$$(DEVICE_CXX) $$(VERILATED_TOOLS) VM_USER_CFLAGS='$(2)' $(3) PCH=$$@ pch
endef
