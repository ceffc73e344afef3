// A rank of a ring, with a device that makes no mistakes: every tensor is reduced, and the window moves by results alone.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "wire/rc.h"
#include "unit/hosts/worker_ring.h"
#include "wire/bytes.h"

enum { BTH_BYTES = 12 };

static const struct worker_config usual = {.kind = INA_INT32, .window = 2, .verb = RC_WRITE_IMM};

// --- whole tensors ---

static void every_type_and_size(void **state) {
  (void)state;
  // Around the edges of packets and of messages.
  enum { FIRST = RING_MTU - INA_BYTES, ALL = RING_ROOM };
  const size_t sizes[] = {4, 8, FIRST - 4, FIRST, FIRST + 4, ALL - 4, ALL, ALL + 4, 3 * ALL - RING_MTU, 4 * ALL, 9 * ALL + 300};
  const uint8_t operations[] = {INA_SUM, INA_MIN, INA_MAX};
  for (unsigned i = 0; i < 4 * 3 * 4 * 2 * RING_RANKS; i++) {
    struct worker_config c = usual;
    c.kind = (uint8_t)(operations[i / 4 % 3] * 16u + i % 4);
    c.verb = (enum rc_verb)(i / 12 % 4);
    c.short_last = i / 48 % 2;
    c.window = 1 + i % 3;
    struct ring *r = ring_open(1 + i / 96, &c);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
      // Half an element of four bytes is one of two.
      ring_reduce(r, ina_element_size(c.kind) == 2 ? sizes[s] - 2 : sizes[s], 1000 * i + s);
      assert_false(ring_done(r));
      ring_run(r);
      ring_check(r);
    }
    ring_close(r);
  }
}

static void counts(void **state) {
  (void)state;
  struct ring *r = ring_open(3, &usual);
  size_t of;
  assert_true(ring_done(r));   // nothing to do yet
  assert_int_equal(worker_progress(r->workers[0], &of), 0);
  assert_int_equal(of, 0);
  ring_reduce(r, 4 * RING_ROOM + 4, 1);
  assert_int_equal(worker_progress(r->workers[0], &of), 0);
  assert_int_equal(of, 5);
  ring_run(r);
  assert_int_equal(worker_progress(r->workers[0], &of), 5);
  ring_reduce(r, RING_ROOM, 2);
  assert_int_equal(worker_progress(r->workers[0], &of), 0);
  assert_int_equal(of, 1);
  ring_run(r);
  for (unsigned rank = 0; rank < 3; rank++) {
    const struct worker_counts c = worker_counts(r->workers[rank]);
    assert_int_equal(c.messages, 6);
    assert_int_equal(c.results, 6);
    assert_int_equal(c.wrong, 0);
    assert_int_equal(worker_requester(r->workers[rank]).packets, 6 * RING_MSGLEN);
    assert_int_equal(worker_requester(r->workers[rank]).messages, 6);
    assert_int_equal(worker_responder(r->workers[rank]).packets, 6 * RING_MSGLEN);
    assert_int_equal(worker_responder(r->workers[rank]).acks, 6);
  }
  ring_close(r);
}

// --- what goes on the wire ---

/// What rank 1 has sent.
struct wire {
  size_t starts, bytes;   // bytes: of tensor and padding
  uint8_t tensor[16 * RING_ROOM];
  struct ina_header ina[16];
  size_t in_message[16];   // packets
  uint64_t addresses[16];
  uint32_t imm[16];
};

static void record(void *user, unsigned rank, const struct rc_frame *f) {
  struct wire *w = user;
  if (rank != 1) return;
  if (f->p.starts) {
    assert_true(f->p.tagged);
    w->ina[w->starts] = f->p.ina;
    const uint8_t *reth = f->data + f->p.bth + BTH_BYTES;
    w->addresses[w->starts] = (uint64_t)get_be32(reth) << 32 | get_be32(reth + 4);
    w->in_message[w->starts++] = 0;
  }
  const size_t m = w->starts - 1;
  w->in_message[m]++;
  if (f->p.opcode == ROCE_WRITE_LAST_IMM || f->p.opcode == ROCE_WRITE_ONLY_IMM)
    w->imm[m] = get_be32(f->data + f->p.header - (f->p.tagged ? INA_BYTES : 0) - 4);
  assert_in_range(w->bytes + f->p.tensor, 0, sizeof w->tensor);
  memcpy(w->tensor + w->bytes, f->data + f->p.header, f->p.tensor);
  w->bytes += f->p.tensor;
}

static struct wire *record_of(const struct worker_config *c, size_t bytes) {
  struct wire *w = test_calloc(1, sizeof *w);
  struct ring *r = ring_open(2, c);
  r->user = w;
  r->gradient = record;
  ring_reduce(r, bytes, 1);
  ring_run(r);
  ring_check(r);
  assert_memory_equal(w->tensor, r->tensors[1], bytes);
  for (size_t i = bytes; i < w->bytes; i++) assert_int_equal(w->tensor[i], 0);
  ring_close(r);
  return w;
}

static void messages_are_padded(void **state) {
  (void)state;
  const size_t sizes[] = {4, RING_ROOM - 4, RING_ROOM, RING_ROOM + 4, 4 * RING_ROOM + 500};
  for (size_t i = 0; i < 5; i++) {
    struct wire *w = record_of(&usual, sizes[i]);
    const size_t messages = (sizes[i] + RING_ROOM - 1) / RING_ROOM;
    assert_int_equal(w->starts, messages);
    assert_int_equal(w->bytes, messages * RING_ROOM);
    for (size_t m = 0; m < messages; m++) {
      assert_int_equal(w->in_message[m], RING_MSGLEN);
      assert_int_equal(w->ina[m].msglen, RING_MSGLEN);
    }
    test_free(w);
  }
}

static void the_last_message_may_be_short(void **state) {
  (void)state;
  struct worker_config c = usual;
  c.short_last = true;
  const struct {
    size_t last, packets;
  } cases[] = {{4, 1}, {RING_MTU - INA_BYTES, 1}, {RING_MTU - INA_BYTES + 4, 2}, {RING_ROOM - 4, 3}, {RING_ROOM, 3}};
  for (size_t i = 0; i < 5; i++) {
    for (size_t before = 0; before < 3; before++) {
      struct wire *w = record_of(&c, before * RING_ROOM + cases[i].last);
      assert_int_equal(w->starts, before + 1);
      assert_int_equal(w->bytes, before * RING_ROOM + cases[i].last);
      for (size_t m = 0; m <= before; m++) {
        assert_int_equal(w->in_message[m], m < before ? RING_MSGLEN : cases[i].packets);
        assert_int_equal(w->ina[m].msglen, w->in_message[m]);
      }
      test_free(w);
    }
  }
}

static void msgids_go_on(void **state) {
  (void)state;
  struct worker_config c = usual;
  c.kind = INA_FP16;
  c.msgid = 0xFFFFFFFD;   // wraps in the middle
  struct wire *w = test_calloc(1, sizeof *w);
  struct ring *r = ring_open(3, &c);
  r->user = w;
  r->gradient = record;
  for (unsigned tensor = 1; tensor <= 4; tensor++) {   // 1 to 4 messages
    ring_reduce(r, tensor * RING_ROOM - 8, tensor);
    ring_run(r);
    ring_check(r);
  }
  assert_int_equal(w->starts, 10);
  for (uint32_t m = 0; m < 10; m++) {
    const struct ina_header ina = w->ina[m];
    assert_int_equal(ina.msgid, 0xFFFFFFFD + m);
    assert_int_equal(w->imm[m], ina.msgid);
    assert_int_equal(ina.ring, RING_ID);
    assert_int_equal(ina.rank, 1);
    assert_int_equal(ina.kind, INA_FP16);
    assert_int_equal(ina.workers, 3);
  }
  // Twice the window may be under way, and no two of these share a place in the receiver's memory.
  for (size_t m = 3; m < 10; m++) {
    for (size_t older = m - 3; older < m; older++) {
      const uint64_t a = w->addresses[m], b = w->addresses[older];
      assert_true((a > b ? a - b : b - a) >= RING_MSGLEN * RING_MTU);
    }
  }
  ring_close(r);
  test_free(w);
}

// --- the window ---

/// An ACK for all that `rank` has sent comes in.
static void acknowledge_all(struct ring *r, unsigned rank, size_t packets) {
  const uint8_t aeth[AETH_BYTES] = {AETH_ACK};
  const uint32_t psn = (r->config[rank].requester.psn + (uint32_t)packets - 1) & PSN_MASK;
  const struct roce_build b = {
      .key = r->config[rank].ack_key, .opcode = ROCE_ACK, .psn = psn, .payload = aeth, .payload_len = sizeof aeth};
  struct rc_frame f;
  f.len = roce_build(&b, f.data, sizeof f.data);
  roce_parse(f.data, f.len, &f.p);
  assert_true(worker_receive(r->workers[rank], r->now, f.data, &f.p));
}

static void results_move_the_window_and_acks_do_not(void **state) {
  (void)state;
  for (unsigned window = 1; window <= 4; window++) {
    struct worker_config c = usual;
    c.window = window;
    struct ring *r = ring_open(2, &c);
    enum { MESSAGES = 7 };
    r->hold_results = true;
    ring_reduce(r, MESSAGES * RING_ROOM, window);
    ring_run(r);
    // All of the window at once, and no more whatever is acknowledged.
    size_t sent = window * RING_MSGLEN;
    for (unsigned rank = 0; rank < 2; rank++) {
      assert_int_equal(r->data[rank].count, sent);
      acknowledge_all(r, rank, sent);
      assert_int_equal(worker_requester(r->workers[rank]).messages, window);
      assert_false(worker_ready(r->workers[rank], r->now));
      assert_int_equal(ring_progress(r, rank), 0);
    }
    // Results packet by packet: the next message goes when one is whole, and not before.
    r->hold_results = false;
    r->hold_acks = true;
    for (size_t results = 1; results <= MESSAGES; results++) {
      for (unsigned part = 1; part <= RING_MSGLEN; part++) {
        for (unsigned rank = 0; rank < 2; rank++) {
          const uint64_t packets = worker_requester(r->workers[rank]).packets;
          assert_int_equal(packets, sent);
        }
        ring_column(r);
        for (unsigned rank = 0; rank < 2; rank++)
          assert_int_equal(ring_progress(r, rank), part < RING_MSGLEN ? results - 1 : results);
        if (part == RING_MSGLEN && results + window <= MESSAGES) sent += RING_MSGLEN;
        ring_send(r);
      }
    }
    assert_false(ring_done(r));
    r->hold_acks = false;
    ring_run(r);
    ring_check(r);
    ring_close(r);
  }
}

static void done_is_acknowledged_too(void **state) {
  (void)state;
  struct ring *r = ring_open(3, &usual);
  r->hold_acks = true;
  ring_reduce(r, 2 * RING_ROOM, 1);
  ring_run(r);
  for (unsigned rank = 0; rank < 3; rank++) {
    assert_int_equal(ring_progress(r, rank), 2);
    assert_false(worker_done(r->workers[rank]));
  }
  r->hold_acks = false;
  ring_run(r);
  ring_check(r);
  ring_close(r);
}

// --- the wire, the clock ---

/// `to` takes this frame, but not with another address, queue pair, UDP port, opcode or a wrong ICRC.
static void refuses_all_like(struct ring *r, unsigned to, const struct rc_frame *is) {
  enum { PORT = 3, OPCODE, ICRC, CHANGES };
  for (unsigned i = 0; i < CHANGES; i++) {
    struct rc_frame f = *is;
    const size_t at[CHANGES] = {f.p.ip + 15, f.p.ip + 19, f.p.bth + 7, f.p.udp + 3, f.p.bth, f.p.ip_end - 1};
    f.data[at[i]] ^= 1;
    if (i == OPCODE) f.data[f.p.bth] = ROCE_READ_REQUEST;
    if (i != ICRC && i != PORT) icrc_put(f.data, &f.p);
    roce_parse(f.data, f.len, &f.p);
    assert_false(worker_receive(r->workers[to], r->now, f.data, &f.p));
  }
}

static void frames_of_others_are_refused(void **state) {
  (void)state;
  struct ring *r = ring_open(2, &usual);
  r->hold_results = r->hold_acks = true;
  ring_reduce(r, RING_ROOM, 1);
  ring_run(r);
  const struct rc_frame f = r->data[0].frames[0];
  refuses_all_like(r, 1, &f);
  assert_false(worker_receive(r->workers[0], r->now, f.data, &f.p));   // from it, not for it
  assert_int_equal(worker_responder(r->workers[1]).packets, 0);
  r->hold_results = false;
  ring_run(r);
  assert_int_equal(r->acks[1].count, 1);
  refuses_all_like(r, 0, &r->acks[1].frames[0]);
  assert_int_equal(worker_requester(r->workers[0]).messages, 0);
  r->hold_acks = false;
  ring_run(r);
  ring_check(r);
  ring_close(r);
}

static void acks_go_first_and_late_if_told(void **state) {
  (void)state;
  struct worker_config c = usual;
  c.responder.ack_delay_ps = 500;
  struct ring *r = ring_open(2, &c);
  assert_int_equal(worker_deadline(r->workers[0], 0), UINT64_MAX);
  ring_reduce(r, 3 * RING_ROOM, 1);
  r->hold_results = true;
  r->now = 100;
  ring_run(r);
  assert_int_equal(worker_deadline(r->workers[0], 100), 100 + RING_TIMEOUT);
  for (unsigned i = 0; i < RING_MSGLEN; i++) ring_column(r);
  assert_int_equal(worker_deadline(r->workers[0], 100), 100 + 500);
  // The result made room for the third message, but when its time has come the ACK goes before it.
  uint8_t frame[RC_ROOM];
  struct roce_packet p;
  assert_true(worker_ready(r->workers[0], 599));
  assert_int_equal(worker_next(r->workers[0], 600, frame, 20), 0);
  roce_parse(frame, worker_next(r->workers[0], 600, frame, sizeof frame), &p);
  assert_int_equal(p.opcode, ROCE_ACK);
  assert_true(conn_key_equal(&p.key, &r->config[1].ack_key));
  assert_int_equal(worker_deadline(r->workers[0], 600), 100 + RING_TIMEOUT);
  ring_close(r);
}

static void the_clock_goes_through(void **state) {
  (void)state;
  struct ring *r = ring_open(2, &usual);
  r->hold_results = true;
  ring_reduce(r, RING_ROOM, 1);
  ring_run(r);
  worker_tick(r->workers[0], RING_TIMEOUT - 1);
  assert_false(worker_ready(r->workers[0], RING_TIMEOUT - 1));
  worker_tick(r->workers[0], RING_TIMEOUT);
  assert_true(worker_ready(r->workers[0], RING_TIMEOUT));
  assert_int_equal(worker_requester(r->workers[0]).timeouts, 1);
  assert_int_equal(worker_requester(r->workers[1]).timeouts, 0);
  ring_close(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_type_and_size),
      cmocka_unit_test(counts),
      cmocka_unit_test(messages_are_padded),
      cmocka_unit_test(the_last_message_may_be_short),
      cmocka_unit_test(msgids_go_on),
      cmocka_unit_test(results_move_the_window_and_acks_do_not),
      cmocka_unit_test(done_is_acknowledged_too),
      cmocka_unit_test(frames_of_others_are_refused),
      cmocka_unit_test(acks_go_first_and_late_if_told),
      cmocka_unit_test(the_clock_goes_through),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
