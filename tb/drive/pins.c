// The names and widths of the device's pins (rtl/top/weir_aggregator.sv), in one place.
#include "drive/pins.h"

#include <stdio.h>

#include "structs/agg_obs_pkg.h"

bool pins_find(struct pins *pins, const struct device *device, const struct drive_config *config, char *error, size_t size) {
  const unsigned ports = config->ports, keep = ports * config->beat;
  const struct {
    const char *name;
    uint8_t **at;
    unsigned bits;
  } wanted[] = {
      {"clk_i", &pins->clk, 1},
      {"rst_ni", &pins->rst, 1},
      {"s_axis_tvalid", &pins->s_tvalid, ports},
      {"s_axis_tready", &pins->s_tready, ports},
      {"s_axis_tdata", &pins->s_tdata, 8 * keep},
      {"s_axis_tkeep", &pins->s_tkeep, keep},
      {"s_axis_tlast", &pins->s_tlast, ports},
      {"s_axis_tuser", &pins->s_tuser, ports},
      {"m_axis_tvalid", &pins->m_tvalid, ports},
      {"m_axis_tready", &pins->m_tready, ports},
      {"m_axis_tdata", &pins->m_tdata, 8 * keep},
      {"m_axis_tkeep", &pins->m_tkeep, keep},
      {"m_axis_tlast", &pins->m_tlast, ports},
      {"m_axis_tuser", &pins->m_tuser, ports},
      {"s_axil_awvalid", &pins->awvalid, 1},
      {"s_axil_awready", &pins->awready, 1},
      {"s_axil_awaddr", &pins->awaddr, 12},
      {"s_axil_awprot", &pins->awprot, 3},
      {"s_axil_wvalid", &pins->wvalid, 1},
      {"s_axil_wready", &pins->wready, 1},
      {"s_axil_wdata", &pins->wdata, 32},
      {"s_axil_wstrb", &pins->wstrb, 4},
      {"s_axil_bvalid", &pins->bvalid, 1},
      {"s_axil_bready", &pins->bready, 1},
      {"s_axil_bresp", &pins->bresp, 2},
      {"s_axil_arvalid", &pins->arvalid, 1},
      {"s_axil_arready", &pins->arready, 1},
      {"s_axil_araddr", &pins->araddr, 12},
      {"s_axil_arprot", &pins->arprot, 3},
      {"s_axil_rvalid", &pins->rvalid, 1},
      {"s_axil_rready", &pins->rready, 1},
      {"s_axil_rdata", &pins->rdata, 32},
      {"s_axil_rresp", &pins->rresp, 2},
      {"obs_state_o", &pins->obs_state, obs_state_t__BITS},
      {"obs_result_o", &pins->obs_result, ports * obs_result_t__BITS},
      {"obs_flush_o", &pins->obs_flush, obs_flush_t__BITS},
  };
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    struct device_pin pin = device->pin(device->impl, wanted[i].name);
    if (!pin.at || pin.bits != wanted[i].bits) {
      snprintf(error, size, "device %s: pin %s has %u bits, not %u", config->name, wanted[i].name, pin.bits, wanted[i].bits);
      return false;
    }
    *wanted[i].at = pin.at;
  }
  pins->port_bytes = ports > 8 ? 2 : 1;
  return true;
}
