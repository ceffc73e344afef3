// A tree of devices as NetReduce 3.3 has it: the golden model of a relay, rule by rule of docs/relay.md. What is lost is in test_relay_loss.c.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "unit/model/relay_net.h"
#include "wire/bytes.h"

enum { S = NET_S, L1 = NET_L1, L2 = NET_L2 };
enum { BTH = 14 + 20 + 8, ACK_REQUEST = 0x80 };

// --- Table 3 ---

struct printed {
  bool multicast;
  struct conn_key from, to;
};

static void has_rows(const struct relay *r, const struct printed *rows, size_t count) {
  assert_null(relay_row_at(r, count));
  for (size_t i = 0; i < count; i++) {
    unsigned found = 0;
    const struct relay_row *is;
    for (size_t j = 0; (is = relay_row_at(r, j)) != NULL; j++)
      found +=
          is->multicast == rows[i].multicast && conn_key_equal(&is->from, &rows[i].from) && conn_key_equal(&is->to, &rows[i].to);
    if (found != 1) fail_msg("row %zu of Table 3 is there %u times", i, found);
  }
}

static struct conn_key between(unsigned from, unsigned to) {
  const struct relay_end a = net_device_end(from), b = net_device_end(to);
  return relay_key(NET_RING, &a, &b);
}

static void table_3_row_by_row(void **state) {
  (void)state;
  struct net net;
  net_figure5(&net);
  const struct printed spine[] = {{false, between(L1, S), between(S, L1)},
                                  {false, between(L1, S), between(S, L2)},
                                  {false, between(L2, S), between(S, L1)},
                                  {false, between(L2, S), between(S, L2)}};
  has_rows(net.relays[S], spine, 4);
  assert_null(relay_row_at(net.relays[L1], 0));   // leaves learn theirs from packets
  net_all_send(&net, 0, 0);
  has_rows(net.relays[S], spine, 4);
  // W1 to W4 of the paper are workers 0 to 3.
  const struct printed l1[] = {{false, net_key(&net, 0), between(L1, S)},
                               {false, net_key(&net, 1), between(L1, S)},
                               {true, between(S, L1), net_key(&net, 0)},
                               {true, between(S, L1), net_key(&net, 3)}};
  has_rows(net.relays[L1], l1, 4);
  const struct printed l2[] = {{false, net_key(&net, 2), between(L2, S)},
                               {false, net_key(&net, 3), between(L2, S)},
                               {true, between(S, L2), net_key(&net, 2)},
                               {true, between(S, L2), net_key(&net, 1)}};
  has_rows(net.relays[L2], l2, 4);
  net_stop(&net);
}

/// One packet a column on each link, in each direction, whatever the number of workers.
static void one_packet_a_link(void **state) {
  (void)state;
  struct net net;
  net_figure5(&net);
  for (unsigned offset = 0; offset < NET_MSGLEN; offset++) {
    net_forget(&net);
    net_all_send(&net, 5, offset);
    assert_int_equal(net.passed[NET_UP], 4);
    assert_int_equal(net.passed[NET_RISE], 2);
    assert_int_equal(net.passed[NET_FALL], 2);
    assert_int_equal(net.passed[NET_DOWN], 4);
    assert_int_equal(net.passed[NET_NOTE], offset == 1 ? 0 : 2);   // of two connections that cross, first and last packet
  }
  net_stop(&net);
}

/// Results are the connections' own packets: PSN over its wrap, RETH on the first one, immediate value and AckReq on the last one.
static void results_are_the_connections_packets(void **state) {
  (void)state;
  struct net net;
  net_figure5(&net);
  for (uint32_t msgid = 0; msgid < 6; msgid++) {
    for (unsigned offset = 0; offset < NET_MSGLEN; offset++) {
      net_forget(&net);
      net_all_send(&net, msgid, offset);
      net_all_have(&net, msgid, offset);
    }
  }
  net_stop(&net);
}

static void three_levels_of_different_size(void **state) {
  (void)state;
  struct net net = {
      .devices = {{NET_TOP, 0, 0, 0}, {0, 0, 0, 0}, {1, 0, 3, 0}, {1, 0, 1, 0}, {0, 0, 2, 0}, {0, 0, 0, 0}, {5, 0, 1, 0}},
      .count = 7};
  net_start(&net);
  for (uint32_t msgid = 0; msgid < 5; msgid++) {
    for (unsigned offset = 0; offset < NET_MSGLEN; offset++) {
      net_forget(&net);
      net_all_send(&net, msgid, offset);
      net_all_have(&net, msgid, offset);
      assert_int_equal(net.passed[NET_RISE], 6);
      assert_int_equal(net.passed[NET_FALL], 6);
    }
  }
  net_stop(&net);
}

/// Sums of a leaf, then of leaves: with numbers that round, another order would show.
static void order_of_the_tree(void **state) {
  (void)state;
  struct net net = {.devices = {{NET_TOP, 0, 0, 0}, {0, 0, 3, 0}, {0, 0, 1, 0}}, .count = 3};
  net_start(&net);
  const float values[] = {16777216.0F, 1.0F, 1.0F, 1.0F};
  for (unsigned w = 0; w < 4; w++) net_send(&net, w, 0, 0, values[w]);
  struct roce_packet p;
  roce_parse(net.got[0].data, net.got[0].len, &p);
  float sum;
  memcpy(&sum, net.got[0].data + p.header, 4);
  // ((2^24 + 1) + 1) + 1 loses each 1; four in one rack would have (2^24 + 1) + (1 + 1) = 2^24 + 2.
  assert_true(sum == 16777216.0F);
  net_stop(&net);
}

// --- what is refused ---

/// A full table is told, and nothing goes on as it came.
/// The only device of its rack sums as any aggregator, and sends nothing but results; whoever repeats gets his, and nobody else.
static void alone(void **state) {
  (void)state;
  struct net net = {.devices = {{NET_TOP, 0, 4, 0}}, .count = 1};
  net_start(&net);
  const float values[] = {16777216.0F, 1.0F, 1.0F, 1.0F};
  for (unsigned w = 0; w < 4; w++) net_send(&net, w, 0, 0, values[w]);
  struct roce_packet p;
  roce_parse(net.got[0].data, net.got[0].len, &p);
  float sum;
  memcpy(&sum, net.got[0].data + p.header, 4);
  assert_true(sum == 16777218.0F);   // in one rack: (2^24 + 1) + (1 + 1)
  for (unsigned offset = 1; offset < NET_MSGLEN; offset++) {
    net_forget(&net);
    net_all_send(&net, 0, offset);
    net_all_have(&net, 0, offset);
    assert_int_equal(net.passed[NET_RISE] + net.passed[NET_FALL] + net.passed[NET_NOTE], 0);
  }
  net_forget(&net);
  net_send(&net, 2, 0, 1, 3.0F);
  assert_int_equal(net.passed[NET_DOWN], 1);
  assert_int_equal(net.got[3].count, 1);
  const struct relay_counts *c = relay_counts(net.relays[0]);
  assert_int_equal(c->completed, NET_MSGLEN);
  assert_int_equal(c->results, 4 * NET_MSGLEN + 1);
  assert_int_equal(c->up + c->down + c->notes_out, 0);
  net_stop(&net);
}

static void full_table(void **state) {
  (void)state;
  struct net net = {.devices = {{NET_TOP, 0, 0, 0}, {S, 0, 2, 2}, {S, 0, 2, 0}}, .count = 3};
  net_start(&net);
  net_all_send(&net, 0, 0);
  // L1 has room for 0 -> 1 only: up and down.
  assert_null(relay_row_at(net.relays[L1], 2));
  assert_int_equal(relay_counts(net.relays[L1])->table_full, 2);   // 1 -> 2 up, 3 -> 0 down
  assert_int_equal(relay_counts(net.relays[L1])->no_row, 1);       // the column was completed by 1 -> 2
  assert_int_equal(net.passed[NET_DOWN], 0);
  net_forget(&net);
  net_send(&net, 0, 0, 0, 1);
  assert_int_equal(net.got[1].count + net.got[2].count + net.got[3].count, 3);
  assert_int_equal(net.got[0].count, 0);
  net_stop(&net);
}

/// Who claims another worker's place in the ring gets no result, nor does he take one away.
static void foreign_notification(void **state) {
  (void)state;
  struct net net;
  net_figure5(&net);
  net_all_send(&net, 0, 0);
  const struct ina_header claims[] = {{NET_RING, 3, INA_FP32, 1, NET_MSGLEN, 4},       // another connection has it
                                      {NET_RING, 2, INA_FP32, 1, NET_MSGLEN, 4},       // ends at a worker elsewhere
                                      {NET_RING, 3, INA_FP32, 1, NET_MSGLEN + 1, 4},   // too long
                                      {NET_RING, 3, INA_FP32, 1, 0, 4},
                                      {NET_RING, 3, 0x77, 1, NET_MSGLEN, 4},
                                      {NET_RING, 7, INA_FP32, 1, NET_MSGLEN, 4},
                                      {NET_RING, 3, INA_FP32, 1, NET_MSGLEN, 5}};
  for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
    uint8_t frame[NET_FRAME], note[NET_FRAME];
    struct roce_packet p;
    size_t len = net_packet(&net, 3, 1, 0, 1, frame);
    put_be24(frame + BTH + 5, 0x999);   // a queue pair of his own
    roce_parse(frame, len, &p);
    icrc_put(frame, &p);
    roce_parse(frame, len, &p);
    len = relay_note(frame, &p, &claims[i], note);
    relay_rx(net.relays[L1], 0, note, len, false);
    assert_int_equal(relay_counts(net.relays[L1])->note_refused, i + 1);
  }
  assert_null(relay_row_at(net.relays[L1], 4));
  net_forget(&net);
  net_all_send(&net, 1, 0);
  net_all_have(&net, 1, 0);
  net_stop(&net);
}

/// An old notification changes nothing: late, or repeated.
static void late_notification(void **state) {
  (void)state;
  struct net net;
  net_figure5(&net);
  uint8_t frame[NET_FRAME], note[NET_FRAME];
  struct roce_packet p;
  const struct ina_header old = {NET_RING, 3, INA_FP32, 0, NET_MSGLEN, 4};
  const size_t len = net_packet(&net, 3, 0, 0, 1, frame);
  roce_parse(frame, len, &p);
  const size_t note_len = relay_note(frame, &p, &old, note);
  for (uint32_t msgid = 0; msgid <= 2 * NET_WINDOW; msgid++) net_all_send(&net, msgid, 0);
  relay_rx(net.relays[L1], 0, note, note_len, false);
  assert_int_equal(relay_counts(net.relays[L1])->note_refused, 1);
  net_forget(&net);
  net_all_send(&net, 2 * NET_WINDOW, 1);
  net_all_have(&net, 2 * NET_WINDOW, 1);
  net_stop(&net);
}

/// What is on the parent's connection and can be no result goes nowhere.
static void bad_results_of_the_parent(void **state) {
  (void)state;
  struct net net;
  net_figure5(&net);
  net_all_send(&net, 0, 0);
  const struct relay_end spine = net_device_end(S), leaf = net_device_end(L1);
  const struct ina_header headers[] = {{NET_RING, 0, INA_FP32, 0, NET_MSGLEN + 1, 2},
                                       {NET_RING, 0, INA_FP32, 0, 1, 2},   // its offset lies outside
                                       {NET_RING, 0, 0x55, 0, NET_MSGLEN, 2}};
  const uint8_t tensor[NET_TENSOR + 2] = {0};
  uint8_t frame[NET_FRAME];
  net_forget(&net);
  for (size_t i = 0; i < 3; i++) {
    const size_t len = relay_packet(&spine, &leaf, &headers[i], 1, tensor, NET_TENSOR, frame, sizeof frame);
    relay_rx(net.relays[L1], 0, frame, len, false);
  }
  const struct ina_header good = {NET_RING, 0, INA_FP32, 0, NET_MSGLEN, 2};
  const size_t len = relay_packet(&spine, &leaf, &good, 1, tensor, NET_TENSOR + 2, frame, sizeof frame);
  relay_rx(net.relays[L1], 0, frame, len, false);   // half an element
  assert_int_equal(relay_counts(net.relays[L1])->bad_parent, 4);
  assert_int_equal(net.passed[NET_DOWN], 0);
  net_stop(&net);
}

/// Leaves that know all connections from the start add no other, and know them also when they are switched on again: what then comes in the
/// middle of a message is dropped, and goes nowhere as it came. The next message goes through.
static void registered_connections(void **state) {
  (void)state;
  struct net net = {.devices = {{NET_TOP, 0, 0, 0}, {S, 0, 2, 0}, {S, 0, 2, 0}}, .count = 3, .registered = true};
  net_start(&net);
  const struct conn_key before = net_key(&net, 3);
  assert_true(conn_key_equal(&relay_row_at(net.relays[L1], 0)->to, &before));
  assert_null(relay_row_at(net.relays[L1], 1));

  // Another connection's headers, for each place of the ring, and nothing of the ring's own yet.
  uint8_t frame[NET_FRAME], note[NET_FRAME];
  struct roce_packet p;
  for (uint8_t rank = 0; rank < 4; rank++) {
    const struct ina_header ina = {NET_RING, rank, INA_FP32, 0, NET_MSGLEN, 4};
    roce_parse(frame, net_packet(&net, 2, 0, 0, 1, frame), &p);
    relay_rx(net.relays[L1], 0, note, relay_note(frame, &p, &ina, note), false);
    assert_int_equal(relay_counts(net.relays[L1])->note_refused, rank + 1);
  }
  assert_null(relay_row_at(net.relays[L1], 1));

  net_all_send(&net, 0, 0);
  net_all_have(&net, 0, 0);
  relay_flush(net.relays[L1]);
  for (unsigned offset = 1; offset < NET_MSGLEN; offset++) {
    net_forget(&net);
    net_all_send(&net, 0, offset);
    assert_int_equal(net.passed[NET_RISE], 1);   // the other leaf's
    assert_int_equal(net.passed[NET_DOWN], 0);
    assert_int_equal(relay_counts(net.relays[L1])->fates[FATE_UNKNOWN_MESSAGE], 2 * offset);
    assert_int_equal(relay_counts(net.relays[L1])->fates[FATE_PASSED], 0);
  }
  for (unsigned offset = 0; offset < NET_MSGLEN; offset++) {
    net_forget(&net);
    net_all_send(&net, 1, offset);
    net_all_have(&net, 1, offset);
  }
  net_stop(&net);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(table_3_row_by_row),
      cmocka_unit_test(one_packet_a_link),
      cmocka_unit_test(results_are_the_connections_packets),
      cmocka_unit_test(three_levels_of_different_size),
      cmocka_unit_test(order_of_the_tree),
      cmocka_unit_test(alone),
      cmocka_unit_test(full_table),
      cmocka_unit_test(foreign_notification),
      cmocka_unit_test(late_notification),
      cmocka_unit_test(bad_results_of_the_parent),
      cmocka_unit_test(registered_connections),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
