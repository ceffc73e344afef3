#include "unit/axil.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>

#include <cmocka.h>

enum { PATIENT = 100 };   // cycles for an answer

unsigned axil_write(const struct axil *a, unsigned address, uint32_t data, unsigned strobe) {
  unsigned address_wait = (unsigned)rand() % 3, data_wait = (unsigned)rand() % 3, answer_wait = (unsigned)rand() % 3;
  bool address_sent = false, data_sent = false;
  dut_set(a->d, "s_axil_awaddr", address);
  dut_set(a->d, "s_axil_wdata", data);
  dut_set(a->d, "s_axil_wstrb", strobe);
  for (unsigned i = 0; i < PATIENT; i++) {
    bool address_valid = !address_sent && i >= address_wait, data_valid = !data_sent && i >= data_wait;
    dut_set(a->d, "s_axil_awvalid", address_valid);
    dut_set(a->d, "s_axil_wvalid", data_valid);
    dut_set(a->d, "s_axil_bready", i >= answer_wait);
    dut_eval(a->d);
    bool done = i >= answer_wait && dut_get(a->d, "s_axil_bvalid");
    unsigned response = (unsigned)dut_get(a->d, "s_axil_bresp");
    if (dut_get(a->d, "s_axil_bvalid")) assert_true(address_sent && data_sent);
    address_sent |= address_valid && dut_get(a->d, "s_axil_awready");
    data_sent |= data_valid && dut_get(a->d, "s_axil_wready");
    a->tick(a->user);
    if (done) {
      dut_set(a->d, "s_axil_bready", 0);
      return response;
    }
  }
  fail_msg("no answer to a write to %03x", address);
  return 0;
}

unsigned axil_read(const struct axil *a, unsigned address, uint32_t *data) {
  unsigned answer_wait = (unsigned)rand() % 4;
  bool sent = false;
  dut_set(a->d, "s_axil_araddr", address);
  for (unsigned i = 0; i < PATIENT; i++) {
    bool valid = !sent;
    dut_set(a->d, "s_axil_arvalid", valid);
    dut_set(a->d, "s_axil_rready", i >= answer_wait);
    dut_eval(a->d);
    bool done = i >= answer_wait && dut_get(a->d, "s_axil_rvalid");
    *data = (uint32_t)dut_get(a->d, "s_axil_rdata");
    unsigned response = (unsigned)dut_get(a->d, "s_axil_rresp");
    sent |= valid && dut_get(a->d, "s_axil_arready");
    a->tick(a->user);
    if (done) {
      dut_set(a->d, "s_axil_rready", 0);
      return response;
    }
  }
  fail_msg("no answer to a read of %03x", address);
  return 0;
}
