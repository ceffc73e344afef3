// Two ends of a tree connection over cables that lose, double and overtake: everything arrives once and in order, and never is more than one packet
// under way beyond what was promised. Then each end with the NIC of tb/hosts, which is another reading of the same book and knows no credits.
//
// Usage: test_tree_rc [seed]
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "hosts/link.h"
#include "hosts/requester.h"
#include "hosts/responder.h"
#include "unit/model/tree/tree_ends.h"

enum { STEP = 10000, TIMEOUT = 20000000, MESSAGES = 40 };   // picoseconds
static const uint64_t most = UINT64_C(20000000000);

static uint64_t seed = 1;

/// What a run is about.
struct run {
  struct rng rng;
  struct rc_end *ends[2];
  struct link *links[2];   // from each end
  uint64_t now;
  // Sent and taken, byte by byte: the stream of each end's payload is a counter.
  unsigned posted[2], left[2];   // messages; packets of the message under way
  uint8_t next_sent[2], next_taken[2];
  unsigned taken[2];
  struct requester *nic_sends;   // in the place of end 0's requester
  struct responder *nic_takes;   // in the place of end 1's responder
};

static struct run begin(uint64_t number, unsigned room_in, unsigned room_out, bool faults) {
  struct run r = {.rng = rng_for(seed, number)};
  for (unsigned i = 0; i < 2; i++) {
    struct rc_end_config c = ends_config(i);
    c.request.room = room_out;
    c.request.ack_every = room_out / 2;
    c.request.timeout_ps = TIMEOUT;
    c.respond.room = room_in;
    c.respond.coalesce = 4;
    c.respond.ack_delay_ps = rng_below(&r.rng, 2) * 300000;
    r.ends[i] = rc_end_new(&c);
    const struct link_config l = {.gbps = 100,
                                  .delay_ps = 100000,
                                  .seed = seed + 2 * number + i,
                                  .faults = {.loss = faults ? 0.03 : 0, .dup = faults ? 0.03 : 0, .reorder = faults ? 0.03 : 0}};
    r.links[i] = link_new(&l);
    assert_non_null(r.ends[i]);
    assert_non_null(r.links[i]);
  }
  return r;
}

static void end(struct run *r) {
  for (unsigned i = 0; i < 2; i++) {
    rc_end_free(r->ends[i]);
    link_free(r->links[i]);
  }
  requester_free(r->nic_sends);
  responder_free(r->nic_takes);
}

/// Posts packets of messages of random length while there is room.
static void post(struct run *r, unsigned i) {
  struct rc_requester *q = rc_end_requester(r->ends[i]);
  while (r->posted[i] < MESSAGES && rc_requester_room(q) > 0 && rng_percent(&r->rng, 80)) {
    const bool first = r->left[i] == 0;
    if (first) r->left[i] = rng_from(&r->rng, 1, 12);
    const bool last = --r->left[i] == 0;
    uint8_t data[ENDS_MTU];
    const size_t len = last ? rng_from(&r->rng, 1, ENDS_MTU) : ENDS_MTU;
    for (size_t b = 0; b < len; b++) data[b] = r->next_sent[i]++;
    rc_requester_post(q, &(struct rc_packet){.verb = RC_SEND, .first = first, .last = last, .data = data, .len = len});
    r->posted[i] += last;
  }
}

static void expect(struct run *r, unsigned i, const uint8_t *data, size_t len) {
  for (size_t b = 0; b < len; b++) assert_int_equal(data[b], r->next_taken[i]++);
}

static void take(struct run *r, unsigned i, unsigned percent) {
  struct rc_responder *p = rc_end_responder(r->ends[i]);
  const struct rc_packet *packet;
  while ((packet = rc_responder_first(p)) != NULL && rng_percent(&r->rng, percent)) {
    expect(r, i, packet->data, packet->len);
    r->taken[i] += packet->last;
    rc_responder_take(p, r->now);
  }
}

static void nic_delivers(void *user, const uint8_t *frame, const struct roce_packet *p) {
  struct run *r = user;
  const size_t tag = p->tagged ? INA_BYTES : 0;
  expect(r, 1, frame + p->header - tag, p->tensor + tag);
  r->taken[1] += rc_is_last(p->opcode);
}

/// A frame for end `i`, or for the NIC that is there instead of one of its halves.
static void arrives(struct run *r, unsigned i, const struct link_frame *f) {
  struct roce_packet p;
  roce_parse(f->data, f->len, &p);
  const bool data = p.class == ROCE_CANDIDATE;
  if (i == 1 && data && r->nic_takes != NULL)
    responder_data(r->nic_takes, r->now, f->data, &p);
  else if (i == 0 && !data && r->nic_sends != NULL)
    requester_ack(r->nic_sends, r->now, f->data, &p);
  else
    assert_true(rc_end_receive(r->ends[i], r->now, f->data, &p));
}

static size_t next(struct run *r, unsigned i, uint8_t *frame) {
  if (i == 0 && r->nic_sends != NULL && requester_ready(r->nic_sends, r->now))
    return requester_next(r->nic_sends, r->now, frame, ENDS_ROOM);
  if (i == 1 && r->nic_takes != NULL && responder_ready(r->nic_takes, r->now))
    return responder_next(r->nic_takes, r->now, frame, ENDS_ROOM);
  return rc_end_next(r->ends[i], r->now, frame, ENDS_ROOM);
}

static void step(struct run *r, unsigned percent) {
  uint8_t frame[ENDS_ROOM];
  struct link_frame f;
  for (unsigned i = 0; i < 2; i++) {
    while (link_receive(r->links[!i], r->now, &f)) arrives(r, i, &f);
    take(r, i, percent);
    rc_end_tick(r->ends[i], r->now);
    if (r->nic_sends != NULL) requester_tick(r->nic_sends, r->now);
    const size_t len = link_idle(r->links[i], r->now) ? next(r, i, frame) : 0;
    if (len > 0) link_send(r->links[i], r->now, frame, len);
    const struct rc_requester *q = rc_end_requester(r->ends[i]);
    const uint64_t promised = rc_requester_promised(q);
    assert_true(promised == UINT64_MAX || rc_requester_outstanding(q) <= promised + 1);
    assert_int_equal(rc_end_fault(r->ends[i]), RC_GOOD);
  }
  r->now += STEP;
}

/// Until both directions have `MESSAGES`, or the one from end 0, and all is quiet.
static void go(struct run *r, bool both, unsigned percent) {
  while (r->taken[1] < MESSAGES || (both && r->taken[0] < MESSAGES) || !rc_requester_idle(rc_end_requester(r->ends[0])) ||
         !rc_requester_idle(rc_end_requester(r->ends[1])) || (r->nic_sends != NULL && !requester_idle(r->nic_sends))) {
    if (r->nic_sends == NULL) post(r, 0);
    if (both) post(r, 1);
    step(r, percent);
    assert_true(r->now < most);
  }
}

static void test_pair(void **state) {
  (void)state;
  static const unsigned rooms[][2] = {{1, 4}, {2, 8}, {8, 8}, {16, 32}, {64, 16}};
  for (unsigned n = 0; n < 40; n++) {
    struct run r = begin(n, rooms[n % 5][0], rooms[n % 5][1], n >= 5);
    go(&r, true, n % 2 == 0 ? 90 : 20);
    for (unsigned i = 0; i < 2; i++) {
      const struct rc_request_counts q = rc_requester_counts(rc_end_requester(r.ends[i]));
      const struct rc_respond_counts p = rc_responder_counts(rc_end_responder(r.ends[!i]));
      assert_int_equal(q.packets - q.repeats, p.packets);   // each once
      assert_true(p.most_waiting <= rooms[n % 5][0] && q.most_kept <= rooms[n % 5][1]);
      if (n < 5) assert_int_equal(q.timeouts + q.sequence_naks + p.duplicates, 0);
      if (n < 5) assert_int_equal(q.repeats, p.rnrs);   // only of limited packets
    }
    end(&r);
  }
}

/// A NIC that knows no credits sends what it likes: "not ready" holds it back.
static void test_nic_sends(void **state) {
  (void)state;
  static uint8_t stream[MESSAGES * 900];
  for (size_t i = 0; i < sizeof stream; i++) stream[i] = (uint8_t)i;
  for (unsigned n = 0; n < 10; n++) {
    struct run r = begin(100 + n, 1 + 3 * (n % 3), 8, n >= 3);
    const struct rc_end_config c = ends_config(0);
    struct requester_config q = {.key = c.out, .mtu = ENDS_MTU, .psn = ENDS_PSN, .timeout_ps = TIMEOUT, .max_inflight = 64};
    memcpy(q.local_mac, c.local_mac, sizeof q.local_mac);
    memcpy(q.peer_mac, c.peer_mac, sizeof q.peer_mac);
    r.nic_sends = requester_new(&q);
    assert_non_null(r.nic_sends);
    for (unsigned m = 0; m < MESSAGES; m++)
      requester_post(r.nic_sends,
                     &(struct rc_message){.verb = (enum rc_verb)(m % 4), .payload = stream + 900 * m, .length = 900});
    go(&r, false, 20);
    if (n % 3 == 0) assert_true(requester_counts(r.nic_sends).rnr_naks > 0);
    end(&r);
  }
}

/// A NIC that takes everything, and is not ready at times.
static void test_nic_takes(void **state) {
  (void)state;
  for (unsigned n = 0; n < 10; n++) {
    struct run r = begin(200 + n, 8, 32, n >= 3);
    const struct rc_end_config c = ends_config(1);
    struct responder_config p = {
        .key = c.out, .psn = ENDS_PSN, .rnr_percent = 10, .seed = seed + n, .user = &r, .deliver = nic_delivers};
    memcpy(p.local_mac, c.local_mac, sizeof p.local_mac);
    memcpy(p.peer_mac, c.peer_mac, sizeof p.peer_mac);
    r.nic_takes = responder_new(&p);
    assert_non_null(r.nic_takes);
    go(&r, false, 50);
    assert_int_equal(responder_counts(r.nic_takes).misplaced, 0);
    assert_int_equal(rc_requester_promised(rc_end_requester(r.ends[0])), UINT64_MAX);
    end(&r);
  }
}

int main(int argc, char **argv) {
  if (argc > 1) seed = strtoull(argv[1], NULL, 0);
  print_message("# test_tree_rc %llu\n", (unsigned long long)seed);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_pair), cmocka_unit_test(test_nic_sends),
                                     cmocka_unit_test(test_nic_takes)};
  cmocka_set_message_output(CM_OUTPUT_TAP);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
