#include "unit/oracle/witness_traffic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "wire/bytes.h"

struct witness *start(unsigned workers, bool learn) {
  const struct witness_limits limits = {.ports = PORTS, .conns = CONNS, .slot_bytes = 64, .max_frame_bytes = ROOM};
  const struct witness_ring rings[] = {{RING, workers, WINDOW, STRIDE, learn}, {RING + 1, workers, WINDOW, STRIDE, learn}};
  return witness_new(&limits, rings, 2);
}

// Ends a test: exactly `faults`, the first of which must speak of `what`.
void finish(struct witness *w, size_t faults, const char *what) {
  witness_finish(w);
  if (witness_faults(w) != faults)
    fail_msg("%zu faults, not %zu; the first: %s", witness_faults(w), faults,
             faults || witness_text(w, 0) ? witness_text(w, 0) : "");
  if (faults != 0 && strstr(witness_text(w, 0), what) == NULL) fail_msg("\"%s\" is not in: %s", what, witness_text(w, 0));
  assert_null(witness_text(w, faults));
  witness_free(w);
}

void expect_counts(const struct witness *w, size_t results, size_t passed, size_t complete, size_t excused) {
  struct witness_counts c = witness_counts(w);
  assert_int_equal(c.results, results);
  assert_int_equal(c.passed, passed);
  assert_int_equal(c.complete, complete);
  assert_int_equal(witness_excused(&c), excused);
}

// --- what senders and a right device send ---

struct gradient packet(unsigned workers, unsigned rank, uint32_t msgid, unsigned offset) {
  const struct ina_header ina = {RING, (uint8_t)rank, INA_FP32, msgid, STRIDE, (uint16_t)workers};
  return gradient_of(&ina, offset);
}

struct frame built(const struct gradient *g) {
  struct frame f;
  f.len = gradient_frame(g, f.data);
  return f;
}

struct frame in_frame(unsigned workers, unsigned rank, uint32_t msgid, unsigned offset) {
  struct gradient g = packet(workers, rank, msgid, offset);
  return built(&g);
}

void connect_rank(struct witness *w, unsigned ring, unsigned rank, const struct gradient *g) {
  struct witness_key key = {.vlan = g->build.key.vlan, .v6 = g->build.key.v6, .qp = g->build.key.qpn};
  memcpy(key.source, g->build.key.src, 16);
  memcpy(key.destination, g->build.key.dst, 16);
  witness_connect(w, ring, rank, &key);
}

void put_float(uint8_t *at, float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  put_le32(at, bits);
}

// gradient_of sends {1, rank + 1}: the sums are known without any reduction.
struct gradient result_of(unsigned workers, unsigned rank, uint32_t msgid, unsigned offset) {
  struct gradient g = packet(workers, rank, msgid, offset);
  put_float(g.tensor, (float)workers);
  put_float(g.tensor + 4, (float)(workers * (workers + 1) / 2));
  g.build.udp_checksum = 0;
  return g;
}

struct frame out_frame(unsigned workers, unsigned rank, uint32_t msgid, unsigned offset) {
  struct gradient g = result_of(workers, rank, msgid, offset);
  return built(&g);
}

void in(struct witness *w, unsigned port, const struct frame *f) { witness_in(w, port, f->data, f->len, false); }
void out(struct witness *w, unsigned port, const struct frame *f) { witness_out(w, port, f->data, f->len); }

void send(struct witness *w, unsigned workers, unsigned rank, uint32_t msgid, unsigned offset) {
  struct frame f = in_frame(workers, rank, msgid, offset);
  in(w, rank, &f);
}

void answer(struct witness *w, unsigned workers, unsigned rank, uint32_t msgid, unsigned offset) {
  struct frame f = out_frame(workers, rank, msgid, offset);
  out(w, rank, &f);
}

void send_column(struct witness *w, unsigned workers, uint32_t msgid, unsigned offset) {
  for (unsigned r = 0; r < workers; r++) send(w, workers, r, msgid, offset);
}

void answer_column(struct witness *w, unsigned workers, uint32_t msgid, unsigned offset) {
  for (unsigned r = 0; r < workers; r++) answer(w, workers, r, msgid, offset);
}

// Something that is no gradient and passes.
struct frame other(uint8_t mark) {
  struct frame f = {.len = 60};
  memset(f.data, 0, ROOM);
  put_be16(f.data + 12, 0x0806);
  f.data[40] = mark;
  return f;
}

// A new ICRC after a change.
void seal(struct frame *f) {
  struct roce_packet p;
  assert_true(roce_locate(f->data, f->len, &p));
  icrc_put(f->data, &p);
}
