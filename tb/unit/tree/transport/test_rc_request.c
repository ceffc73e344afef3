// The requester of an RC end in lock step with its model: any order of posts, answers, time-outs and refusals, through wrapped PSNs.
// DUT: rc_request -GRoom=16
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "drive/bits.h"
#include "drive/dut.h"
#include "model/tree/rc_request.h"
#include "structs/rc_pkg.h"
#include "wire/rc.h"

enum { ROOM = 16, LATE = 4, APPLIED = 2, CONNECTIONS = 400, CYCLES = 3000, FRAME = 200 };
#define US UINT64_C(1000000)   // in picoseconds

struct answer {
  bool valid;
  uint32_t psn;
  uint8_t syndrome;
};

struct bench {
  struct dut *d;
  struct rc_requester *model;
  struct rc_request_config config;
  uint64_t us;              // the shared clock
  uint32_t id_at[ROOM];     // number of the packet at a place
  uint32_t posted, acked;   // numbers
  uint64_t most;            // packets sent when the answer of the cycle before came
  struct answer answers[APPLIED + 1];
  unsigned ready_for, due_for;   // cycles
  enum { TAKES_ALL, NEVER_READY, HOSTILE } peer;
  unsigned faults[RC_FAULTS];
  struct rc_request_counts all;
};

static unsigned below(unsigned n) { return (unsigned)rand() % n; }

static void set_config(struct bench *b) {
  uint32_t words[WORDS_OF(rc_request_cfg_t, 1)] = {0};
  const unsigned log2 = below(5);
  b->config = (struct rc_request_config){.mtu = 256,
                                         .psn = rand() % 2 ? (PSN_MASK - below(200)) & PSN_MASK : (uint32_t)rand() & PSN_MASK,
                                         .room = ROOM,
                                         .ack_every = 1u << log2,
                                         .timeout_ps = (1 + below(20)) * US,
                                         .retries = below(8),
                                         .rnr_retries = below(8)};
  bits_put(words, FIELD(rc_request_cfg_t, psn), b->config.psn);
  bits_put(words, FIELD(rc_request_cfg_t, ack_every_log2), log2);
  bits_put(words, FIELD(rc_request_cfg_t, timeout), b->config.timeout_ps / US);
  bits_put(words, FIELD(rc_request_cfg_t, retries), b->config.retries);
  bits_put(words, FIELD(rc_request_cfg_t, rnr_retries), b->config.rnr_retries);
  dut_set_words(b->d, "cfg_i", words, WORDS_OF(rc_request_cfg_t, 1));
}

static void tick(struct bench *b) {
  dut_tick(b->d);
  if (rand() % 8 == 0) b->us++;
  dut_set(b->d, "time_i", b->us & UINT32_MAX);
}

static void open_connection(struct bench *b) {
  set_config(b);
  b->model = rc_requester_new(&b->config);
  assert_non_null(b->model);
  b->most = b->posted = b->acked = b->ready_for = b->due_for = 0;
  b->peer = below(3);
  memset(b->answers, 0, sizeof b->answers);
  dut_set(b->d, "answer_valid_i", 0);
  dut_set(b->d, "post_i", 0);
  dut_set(b->d, "send_ready_i", 0);
  dut_set(b->d, "open_i", 1);
  tick(b);
  dut_set(b->d, "open_i", 0);
}

/// An answer: of a peer that takes everything, one that never has room, or one that is hostile or has lost its memory.
static struct answer draw_answer(const struct bench *b) {
  struct answer a = {.valid = true};
  const uint32_t sent = b->acked + (uint32_t)rc_requester_outstanding(b->model);
  uint32_t number = b->acked - 1 + (sent > b->acked ? below(sent - b->acked + 1) : 0);
  a.syndrome = (uint8_t)(rand() % 4 ? below(12) : AETH_ACK);
  if (b->peer == NEVER_READY && sent > b->acked) {
    number = b->acked;
    a.syndrome = AETH_RNR | 1;
  }
  if (b->peer == HOSTILE) {
    switch (below(8)) {
      case 0: number = b->acked + below(ROOM); break;
      case 1: number = b->acked - below(40); break;
      case 2: number = (uint32_t)rand(); break;
      default: break;
    }
    switch (below(10)) {
      case 0: a.syndrome = AETH_NAK_SEQUENCE; break;
      case 1: a.syndrome = (uint8_t)(AETH_RNR | (1 + below(4))); break;
      case 2: a.syndrome = (uint8_t)below(31); break;
      case 3: a.syndrome = rand() % 4 ? (uint8_t)(0x80 | (unsigned)rand()) : (uint8_t)rand(); break;
      default: break;
    }
  }
  a.psn = (b->config.psn + number) & PSN_MASK;
  return a;
}

/// The packet that the device sends is the one that the model does.
static void sends(struct bench *b) {
  uint8_t frame[FRAME];
  struct roce_packet p;
  const size_t len = rc_requester_next(b->model, (b->us + 1) * US, frame, sizeof frame);
  assert_true(len > 0);
  roce_parse(frame, len, &p);
  assert_int_equal(dut_get(b->d, "send_psn_o"), p.psn);
  assert_int_equal(dut_get(b->d, "send_ack_request_o"), p.ack_request);
  assert_int_equal((b->config.psn + b->id_at[dut_get(b->d, "send_at_o")]) & PSN_MASK, p.psn);
}

static void posts(struct bench *b, bool last) {
  b->id_at[dut_get(b->d, "place_o")] = b->posted++;
  rc_requester_post(b->model, &(struct rc_packet){.verb = RC_SEND, .first = true, .last = last});
}

/// What the device's pulses say is what the model counted.
static void check_events(const struct rc_request_counts *was, const struct rc_request_counts *now, uint32_t events) {
  assert_int_equal(bits_get(&events, FIELD(rc_request_events_t, sent)), now->packets - was->packets);
  assert_int_equal(bits_get(&events, FIELD(rc_request_events_t, repeated)), now->repeats - was->repeats);
  assert_int_equal(bits_get(&events, FIELD(rc_request_events_t, limited)), now->limited - was->limited);
  assert_int_equal(bits_get(&events, FIELD(rc_request_events_t, acknowledged)), now->acks - was->acks);
  assert_int_equal(bits_get(&events, FIELD(rc_request_events_t, sequence_nak)), now->sequence_naks - was->sequence_naks);
  assert_int_equal(bits_get(&events, FIELD(rc_request_events_t, rnr_nak)), now->rnr_naks - was->rnr_naks);
  assert_int_equal(bits_get(&events, FIELD(rc_request_events_t, timeout)), now->timeouts - was->timeouts);
}

/// A cycle: what leaves comes before what is posted, that before an answer, and that before a time-out.
static void cycle(struct bench *b) {
  struct dut *d = b->d;
  const bool post = dut_get(d, "room_o") && rand() % 3 == 0, last = rand() % 4 == 0, ready = rand() % 2;
  const uint64_t most = b->most;
  memmove(b->answers + 1, b->answers, APPLIED * sizeof *b->answers);
  b->answers[0] = (struct answer){0};
  if (!b->answers[1].valid && below(b->peer == TAKES_ALL ? 6 : 12) == 0) b->answers[0] = draw_answer(b);
  uint32_t words[WORDS_OF(rc_answer_t, 1)] = {0};
  bits_put(words, FIELD(rc_answer_t, psn), b->answers[0].psn);
  bits_put(words, FIELD(rc_answer_t, syndrome), b->answers[0].syndrome);
  dut_set_words(d, "answer_i", words, WORDS_OF(rc_answer_t, 1));
  dut_set(d, "answer_valid_i", b->answers[0].valid);
  dut_set(d, "post_i", post);
  dut_set(d, "post_last_i", last);
  dut_set(d, "send_ready_i", ready);
  dut_eval(d);

  const struct rc_request_counts was = rc_requester_counts(b->model);
  b->most = was.packets - was.repeats;
  const bool valid = dut_get(d, "send_valid_o"), may = rc_requester_ready(b->model, b->us * US);
  if (valid) assert_true(may);
  b->ready_for = may && !valid ? b->ready_for + 1 : 0;
  assert_true(b->ready_for <= LATE);
  const uint32_t events = (uint32_t)dut_get(d, "events_o");
  if (valid && ready) sends(b);
  if (post) posts(b, last);
  const struct answer *a = &b->answers[APPLIED];
  const uint32_t oldest = b->config.psn + b->acked;
  // A packet that leaves behind an answer cannot have been answered by it.
  if (a->valid && psn_distance(a->psn, oldest & PSN_MASK) + (int64_t)b->acked < (int64_t)most) {
    const uint64_t room = rc_requester_room(b->model);
    rc_requester_answer(b->model, (b->us + 1) * US, a->psn, a->syndrome);
    if (rc_requester_fault(b->model) == RC_GOOD) b->acked += (uint32_t)(rc_requester_room(b->model) - room);
  }
  if (bits_get(&events, FIELD(rc_request_events_t, timeout))) rc_requester_tick(b->model, (b->us + 1) * US);
  b->due_for = rc_requester_deadline(b->model, UINT64_MAX) <= b->us * US ? b->due_for + 1 : 0;
  assert_true(b->due_for <= LATE);
  const struct rc_request_counts now = rc_requester_counts(b->model);
  check_events(&was, &now, events);
  tick(b);
  assert_int_equal(dut_get(d, "fault_o"), rc_requester_fault(b->model));
  assert_int_equal(dut_get(d, "room_o"), rc_requester_room(b->model) > 0);
  if (rc_requester_fault(b->model) == RC_GOOD) assert_int_equal(dut_get(d, "idle_o"), rc_requester_idle(b->model));
}

static void as_its_model(void **state) {
  (void)state;
  struct bench b = {.d = dut_new()};
  dut_reset(b.d);
  for (unsigned n = 0; n < CONNECTIONS; n++) {
    open_connection(&b);
    for (unsigned i = 0; i < CYCLES && rc_requester_fault(b.model) == RC_GOOD; i++) cycle(&b);
    for (unsigned i = 0; i < 20; i++) cycle(&b);
    const struct rc_request_counts c = rc_requester_counts(b.model);
    b.faults[rc_requester_fault(b.model)]++;
    b.all.packets += c.packets;
    b.all.repeats += c.repeats;
    b.all.limited += c.limited;
    b.all.acks += c.acks;
    b.all.timeouts += c.timeouts;
    b.all.rnr_naks += c.rnr_naks;
    rc_requester_free(b.model);
    if (rand() % 2) {
      dut_set(b.d, "post_i", 0);
      dut_set(b.d, "answer_valid_i", 0);
      dut_set(b.d, "close_i", 1);
      tick(&b);
      dut_set(b.d, "close_i", 0);
      dut_eval(b.d);
      assert_false(dut_get(b.d, "send_valid_o") || dut_get(b.d, "room_o"));
    }
  }
  for (unsigned f = RC_GOOD; f <= RC_REFUSED; f++) assert_true(b.faults[f] > 5);
  assert_true(b.all.packets > 20000 && b.all.repeats > 2000 && b.all.limited > 200 && b.all.acks > 10000 &&
              b.all.timeouts > 500 && b.all.rnr_naks > 500);
  dut_free(b.d);
}

int main(void) {
  srand(1);
  const struct CMUnitTest tests[] = {cmocka_unit_test(as_its_model)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
