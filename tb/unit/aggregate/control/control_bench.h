/// The registers of a device on their bus, and the device behind them, for the tests of weir_control.
#ifndef WEIR_TB_UNIT_CONTROL_BENCH_H
#define WEIR_TB_UNIT_CONTROL_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drive/bits.h"
#include "drive/dut.h"
#include "rtl/csr/weir_csr.h"
#include "structs/agg_pkg.h"
#include "structs/relay_pkg.h"
#include "structs/roce_pkg.h"
#include "unit/axil.h"

enum { RANKS = 4, RINGS = 5, CONNS = 20, OKAY = AXIL_OKAY, SLVERR = AXIL_SLVERR, TIMEOUT = 100 };
enum { STORE = 1, FLUSH = 2, RELEASE = 4, CLAIM = 1, BUSY = 0x100, ERROR = 0x200, WHY = 12 };
enum { SLOTS = 100, WINDOW = 8 };
enum { RING_WORDS = WORDS_OF(ring_t, RINGS) };
// Variants are told by their ports: of one rack, below a parent, above devices, both.
enum { PORTS_ALONE = 3, ROWS_BELOW_PARENT = 3, SHIFT = 2 };
enum { PARENT = 1, DEVICES = 2 };              // RELAY_ROLE, and what a variant was built with
enum { RELAY_WORDS = 8, RELAY_OF_RING = 3 };   // registers RELAY_.., in the order of addresses: of the device, then of the ring
enum { PLACE_WORDS = WORDS_OF(relay_ring_t, RINGS), SELF_WORDS = WORDS_OF(relay_self_t, 1) };
#define REG(name) ((unsigned)offsetof(weir_csr_t, name))
/// The lowest bit of a register's field, and what is in it: PART(word, RING_SHAPE__LEARN).
#define AT(field) WEIR_CSR__##field##_bp
#define PART(word, field) (((word)&WEIR_CSR__##field##_bm) >> AT(field))

/// RING_ID, RING_SHAPE and RING_REGION as software sees them, reserved bits zero.
struct ring {
  uint32_t id, shape, region;
};

/// The device behind the registers, and what it was asked.
struct bench {
  struct dut *d;
  uint64_t cycle;
  unsigned flush_wait, claim_wait;   // cycles until it answers
  bool refuse;
  unsigned flushes, claims, flush_ring;
  bool release, slots;                       // of the last flush
  uint32_t claim[WORDS_OF(conn_set_t, 1)];   // the last one's conn_set_t
  struct ring stored[RINGS];
  bool used[RINGS];
  bool forget;                // a flush is not held against `stored`
  unsigned released[RINGS];   // flushes with `release`
};

/// rings_o is what was stored.
void rings_as_stored(struct bench *b);
/// One cycle of the device behind; bus inputs are set already.
void tick(struct bench *b);
/// What the device behind shows as a counter's value in that cycle.
uint64_t counter_value(uint64_t cycle, unsigned port, unsigned which);
/// Writes with the bytes of `strobe`, address and data in any order; returns the response.
unsigned bus_write(struct bench *b, unsigned address, uint32_t data, unsigned strobe);
unsigned bus_read(struct bench *b, unsigned address, uint32_t *data);
/// The same for registers that there are.
void put(struct bench *b, unsigned address, uint32_t data);
uint32_t get(struct bench *b, unsigned address);
/// A ring command, waited for; the last status.
uint32_t command(struct bench *b, uint32_t bits);
/// Which variant this is: PARENT, DEVICES, both or neither.
unsigned built_with(struct bench *b);
uint32_t word(void);

int setup(void **state);
int teardown(void **state);

#endif
