/// Pins of the device as drive.c uses them. Private to tb/drive.
#ifndef WEIR_DRIVE_PINS_H
#define WEIR_DRIVE_PINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "drive/library/device.h"
#include "drive/drive.h"

struct pins {
  unsigned port_bytes;   ///< bytes of a pin that has one bit a port
  uint8_t *clk, *rst, *s_tdata, *s_tkeep, *m_tdata, *m_tkeep;
  uint8_t *s_tvalid, *s_tready, *s_tlast, *s_tuser, *m_tvalid, *m_tready, *m_tlast, *m_tuser;
  uint8_t *awvalid, *awready, *wvalid, *wready, *bvalid, *bready, *bresp, *arvalid, *arready, *rvalid, *rready, *rresp, *wstrb;
  uint8_t *awaddr, *araddr, *wdata, *rdata, *obs_state, *obs_result, *obs_flush;
  uint8_t *awprot, *arprot;
};

/// Finds all pins; false and a line in `error` if the device is not the one this bench was written for.
bool pins_find(struct pins *pins, const struct device *device, const struct drive_config *config, char *error, size_t size);

/// The first `bytes` bytes (at most 4) of a pin as a number.
static inline uint32_t pin_load(const uint8_t *at, unsigned bytes) {
  uint32_t value = 0;
  memcpy(&value, at, bytes);
  return value;
}

/// Sets them.
static inline void pin_store(uint8_t *at, unsigned bytes, uint32_t value) { memcpy(at, &value, bytes); }

#endif
