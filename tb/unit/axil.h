/// A host on the AXI4-Lite port of a Verilated module, s_axil_*: one word at a time, with waits of any kind. All asserts are cmocka's.
#ifndef WEIR_UNIT_AXIL_H
#define WEIR_UNIT_AXIL_H

#include <stdint.h>

#include "drive/dut.h"

/// `tick` is a cycle of whoever drives the rest of the module.
struct axil {
  struct dut *d;
  void (*tick)(void *user);
  void *user;
};

enum { AXIL_OKAY = 0, AXIL_SLVERR = 2 };

/// Both return the response. `strobe`: a bit for each byte of `data`.
unsigned axil_write(const struct axil *a, unsigned address, uint32_t data, unsigned strobe);
unsigned axil_read(const struct axil *a, unsigned address, uint32_t *data);

#endif
