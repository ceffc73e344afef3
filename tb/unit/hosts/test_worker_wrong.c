// Results that are not the one due: each is counted once, ends up nowhere, and does not move the window.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "unit/hosts/worker_ring.h"
#include "wire/bytes.h"

enum { BTH_BYTES = 12, RETH_BYTES = 16, MESSAGES = 2, LAST = RING_MSGLEN - 1 };

/// A result as it could be built anew.
struct change {
  struct roce_build b;
  struct ina_header ina;
  uint8_t payload[2 * RING_MTU];
  bool bad_pad;   // more pad than there are bytes
};

static void ring_id(struct change *c) { c->ina.ring++; }
static void rank(struct change *c) { c->ina.rank ^= 1; }
static void type(struct change *c) { c->ina.kind = INA_FP32; }
static void operation(struct change *c) { c->ina.kind |= INA_MAX << 4; }
static void msgid(struct change *c) { c->ina.msgid++; }
static void msglen(struct change *c) { c->ina.msglen--; }
static void workers(struct change *c) { c->ina.workers++; }
static void no_tag(struct change *c) {
  // Sixteen bytes more of tensor in its place.
  memmove(c->payload + INA_BYTES, c->payload, c->b.payload_len);
  c->b.payload_len += INA_BYTES;
  c->b.ina = NULL;
}
static void address_low(struct change *c) { c->b.reth[7] ^= 4; }
static void address_high(struct change *c) { c->b.reth[0] ^= 1; }
static void key(struct change *c) { c->b.reth[11] ^= 1; }
static void dma_length(struct change *c) { put_be32(c->b.reth + 12, get_be32(c->b.reth + 12) - 4); }
static void immediate(struct change *c) { c->b.imm[3] ^= 1; }
static void with_immediate(struct change *c) {
  c->b.opcode = c->b.opcode == ROCE_WRITE_LAST ? ROCE_WRITE_LAST_IMM : ROCE_SEND_LAST_IMM;
}
static void without_immediate(struct change *c) {
  c->b.opcode = c->b.opcode == ROCE_WRITE_LAST_IMM ? ROCE_WRITE_LAST : ROCE_SEND_LAST;
}
static void longer(struct change *c) { c->b.payload_len += 4; }
static void shorter(struct change *c) { c->b.payload_len -= 4; }
static void empty(struct change *c) { c->b.payload_len = 0; }
static void endless(struct change *c) {
  c->b.opcode = ROCE_WRITE_MIDDLE;
  c->b.payload_len += 4;
}
static void pad(struct change *c) {
  c->b.payload_len = 0;
  c->bad_pad = true;
}
/// All of the tensor is there before the last packet, which has nothing but too much pad.
static void pad_behind_all(struct change *c) {
  if (c->b.opcode == ROCE_WRITE_MIDDLE || c->b.opcode == ROCE_SEND_MIDDLE)
    c->b.payload_len += RING_MTU;
  else
    pad(c);
}

enum { WRITES = 1, IMMS = 2, NO_IMMS = 4, KINDS = 7, REST = 8 };

static const struct {
  const char *name;
  void (*change)(struct change *c);
  unsigned packet;   // of the message
  unsigned only;     // for verbs of this kind; REST: the packets behind it, too
} changes[] = {
    {"RingID", ring_id, 0, 0},
    {"Rank", rank, 0, 0},
    {"Type", type, 0, 0},
    {"operation", operation, 0, 0},
    {"MsgID", msgid, 0, 0},
    {"MsgLen", msglen, 0, 0},
    {"Workers", workers, 0, 0},
    {"no tag", no_tag, 0, 0},
    {"address", address_low, 0, WRITES},
    {"high address", address_high, 0, WRITES},
    {"key", key, 0, WRITES},
    {"DMA length", dma_length, 0, WRITES},
    {"immediate value", immediate, LAST, IMMS},
    {"no immediate value", without_immediate, LAST, IMMS},
    {"an immediate value", with_immediate, LAST, NO_IMMS},
    {"first packet longer", longer, 0, 0},
    {"first packet shorter", shorter, 0, 0},
    {"middle packet longer", longer, 1, 0},
    {"middle packet shorter", shorter, 1, 0},
    {"last packet longer", longer, LAST, 0},
    {"last packet shorter", shorter, LAST, 0},
    {"last packet empty", empty, LAST, 0},
    {"longer without an end", endless, LAST, 0},
    {"pad", pad, LAST, 0},
    {"pad behind all", pad_behind_all, 1, REST},
};

struct forger {
  size_t which;
  unsigned seen;   // results for rank 0
};

static void take_apart(const struct rc_frame *f, struct change *c) {
  const bool has_reth = f->p.opcode == ROCE_WRITE_FIRST;
  const uint8_t *behind = f->data + f->p.bth + BTH_BYTES;
  *c = (struct change){.ina = f->p.ina};
  c->b = (struct roce_build){.key = f->p.key, .opcode = f->p.opcode, .psn = f->p.psn, .ack_request = f->p.ack_request};
  c->b.ina = f->p.tagged ? &c->ina : NULL;
  if (has_reth)
    memcpy(c->b.reth, behind, RETH_BYTES);
  else if (f->p.opcode == ROCE_WRITE_LAST_IMM || f->p.opcode == ROCE_SEND_LAST_IMM)
    memcpy(c->b.imm, behind, 4);
  memcpy(c->payload, f->data + f->p.header, f->p.tensor);
  c->b.payload = c->payload;
  c->b.payload_len = f->p.tensor;
}

static void forge(void *user, unsigned to, struct rc_frame *f) {
  struct forger *forger = user;
  const unsigned target = RING_MSGLEN * (MESSAGES - 1) + changes[forger->which].packet;
  if (to != 0) return;
  const unsigned index = forger->seen++;
  if (index != target && (index < target || !(changes[forger->which].only & REST))) return;
  struct change c;
  take_apart(f, &c);
  changes[forger->which].change(&c);
  f->len = roce_build(&c.b, f->data, sizeof f->data);
  assert_true(f->len > 0);
  roce_parse(f->data, f->len, &f->p);
  if (!c.bad_pad) return;
  f->data[f->p.bth + 1] |= 0x30;
  icrc_put(f->data, &f->p);
}

/// The last message of two is forged for rank 0.
static void try(size_t which, enum rc_verb verb) {
  const bool write = verb == RC_WRITE || verb == RC_WRITE_IMM, imm = verb == RC_SEND_IMM || verb == RC_WRITE_IMM;
  const unsigned kind = (write ? WRITES : 0) | (imm ? IMMS : NO_IMMS);
  if ((changes[which].only & KINDS) != 0 && (changes[which].only & kind) == 0) return;
  const struct worker_config c = {.kind = INA_INT32, .window = 2, .verb = verb, .msgid = 6};
  struct ring *r = ring_open(2, &c);
  struct forger forger = {.which = which};
  r->user = &forger;
  r->result = forge;
  ring_reduce(r, MESSAGES * RING_ROOM, which);
  ring_run(r);
  const struct worker_counts bad = worker_counts(r->workers[0]), good = worker_counts(r->workers[1]);
  if (bad.wrong != 1 || bad.results != MESSAGES - 1)
    fail_msg("%s, verb %d: %u wrong, %u results", changes[which].name, (int)verb, (unsigned)bad.wrong, (unsigned)bad.results);
  assert_int_equal(ring_progress(r, 0), MESSAGES - 1);
  assert_false(worker_done(r->workers[0]));
  assert_int_equal(good.wrong, 0);
  assert_int_equal(good.results, MESSAGES);
  assert_true(worker_done(r->workers[1]));   // the NIC of rank 0 acknowledged it all the same
  ring_close(r);
}

static void what_is_not_due_is_counted(void **state) {
  (void)state;
  for (size_t which = 0; which < sizeof changes / sizeof *changes; which++)
    for (unsigned verb = RC_SEND; verb <= RC_WRITE_IMM; verb++) try(which, (enum rc_verb)verb);
}

/// A result packet that nobody asked for, with the PSN that is next. It must not be written anywhere.
static void stray(struct ring *r, unsigned to, unsigned number, enum roce_opcode opcode) {
  static const uint8_t payload[RING_MTU];
  const struct roce_build b = {.key = r->config[to].data_key,
                               .opcode = (uint8_t)opcode,
                               .psn = (r->config[to].responder.psn + number) & 0xFFFFFF,
                               .payload = payload,
                               .payload_len = sizeof payload};
  struct rc_frame f;
  f.len = roce_build(&b, f.data, sizeof f.data);
  roce_parse(f.data, f.len, &f.p);
  const struct responder_counts before = worker_responder(r->workers[to]);
  assert_true(worker_receive(r->workers[to], r->now, f.data, &f.p));
  assert_int_equal(worker_responder(r->workers[to]).packets, before.packets + 1);
}

static void nothing_is_due(void **state) {
  (void)state;
  const struct worker_config c = {.kind = INA_INT32, .window = 2, .verb = RC_WRITE_IMM};
  for (unsigned reduced = 0; reduced < 2; reduced++) {
    struct ring *r = ring_open(2, &c);
    if (reduced > 0) {
      ring_reduce(r, RING_ROOM - 100, 1);
      ring_run(r);
      ring_check(r);
    }
    // The rest of a message that never began, before any tensor and behind one; then a whole one.
    unsigned number = reduced * RING_MSGLEN;
    stray(r, 0, number++, ROCE_WRITE_MIDDLE);
    stray(r, 0, number++, ROCE_WRITE_LAST_IMM);
    stray(r, 0, number++, ROCE_WRITE_LAST_IMM);
    assert_int_equal(worker_responder(r->workers[0]).misplaced, 2);
    stray(r, 0, number++, ROCE_WRITE_ONLY_IMM);
    assert_int_equal(worker_counts(r->workers[0]).wrong, 1);
    assert_int_equal(worker_counts(r->workers[0]).results, reduced);
    assert_true(worker_done(r->workers[0]));
    ring_close(r);
  }
}

/// The rank before goes on to a tensor that this one knows nothing of.
static void nothing_is_due_yet(void **state) {
  (void)state;
  const struct worker_config c = {.kind = INA_INT32, .window = 2, .verb = RC_WRITE_IMM};
  struct ring *r = ring_open(2, &c);
  ring_reduce(r, RING_ROOM, 1);
  ring_run(r);
  ring_check(r);
  struct rc_frame f;
  worker_reduce(r->workers[1], r->tensors[1], r->results[1], r->bytes);
  while (worker_ready(r->workers[1], r->now)) {
    f.len = worker_next(r->workers[1], r->now, f.data, sizeof f.data);
    roce_parse(f.data, f.len, &f.p);
    assert_true(worker_receive(r->workers[0], r->now, f.data, &f.p));
  }
  assert_int_equal(worker_responder(r->workers[0]).packets, 2 * RING_MSGLEN);
  assert_int_equal(worker_counts(r->workers[0]).wrong, 1);
  assert_int_equal(worker_counts(r->workers[0]).results, 1);
  ring_close(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_not_due_is_counted),
      cmocka_unit_test(nothing_is_due),
      cmocka_unit_test(nothing_is_due_yet),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
