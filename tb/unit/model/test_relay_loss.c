// The golden model of a relay when frames are lost: what is repeated, by whom, and when a column is over.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/model/relay_net.h"

enum { S = NET_S, L1 = NET_L1, L2 = NET_L2 };

/// A result that one worker lacks comes when its predecessor repeats: the spine repeats it to all.
static void lost_on(enum net_hop hop) {
  struct net net;
  net_figure5(&net);
  net_all_send(&net, 0, 0);
  net_all_send(&net, 0, 2);
  net_forget(&net);
  for (unsigned w = 0; w < 4; w++) {
    net.lose[hop] = w == 3;   // all that the last contribution causes, on links of this kind
    net_send(&net, w, 0, 1, (float)(1 + w));
  }
  for (unsigned w = 0; w < 4; w++) assert_int_equal(net.got[w].count, 0);
  net.lose[hop] = false;
  net_send(&net, hop == NET_UP || hop == NET_RISE ? 3 : 0, 0, 1, hop == NET_UP || hop == NET_RISE ? 4 : 1);
  net_all_have(&net, 0, 1);
  net_stop(&net);
}

static void lost_on_each_kind_of_link(void **state) {
  (void)state;
  for (enum net_hop hop = NET_UP; hop <= NET_DOWN; hop++) lost_on(hop);
}

/// All repeat at once, as they do when one contribution was late: that makes one round of results, not one a worker. Who asks again gets
/// another one.
static void repeats_are_merged(void **state) {
  (void)state;
  struct net net;
  net_figure5(&net);
  net_all_send(&net, 0, 0);
  for (unsigned round = 0; round < 2; round++) {
    net_forget(&net);
    net_send(&net, 2, 0, 0, 3);   // the first to ask, and the first to ask again
    net_all_have(&net, 0, 0);
    for (unsigned w = 0; w < 4; w++)
      if (w != 2) net_send(&net, w, 0, 0, (float)(1 + w));
    net_all_have(&net, 0, 0);
    assert_int_equal(net.passed[NET_RISE], 2);   // L1's first repeat is told to the spine, which has answered it
  }
  assert_int_equal(relay_counts(net.relays[S])->merged, 2);
  assert_int_equal(relay_counts(net.relays[L1])->merged, 2);
  assert_int_equal(relay_counts(net.relays[L2])->merged, 2);
  net_stop(&net);
}

/// Without its headers a result is dropped and counted; the sender's first packet, once more, brings both.
static void lost_notification(void **state) {
  (void)state;
  struct net net;
  net_figure5(&net);
  net.lose[NET_NOTE] = true;
  net_all_send(&net, 0, 0);
  // Connections 1 -> 2 and 3 -> 0 cross.
  assert_int_equal(net.got[1].count + net.got[3].count, 2);
  assert_int_equal(net.got[0].count + net.got[2].count, 0);
  assert_int_equal(relay_counts(net.relays[L1])->no_template + relay_counts(net.relays[L2])->no_template, 0);   // not even a row
  net.lose[NET_NOTE] = false;
  net_all_send(&net, 1, 0);
  net_forget(&net);
  net_send(&net, 1, 0, 0, 2);
  net_send(&net, 3, 0, 0, 4);   // the spine takes what it sent a moment ago for the answer
  assert_int_equal(net.got[0].count, 0);
  net_send(&net, 3, 0, 0, 4);
  assert_int_equal(net.got[0].count, 1);
  assert_int_equal(net.got[2].count, 2);
  assert_int_equal(relay_counts(net.relays[L1])->no_template, 1);   // between the two repeats: message 1's headers are no help
  net_stop(&net);
}

/// The last packet of a message says what no other does: without its headers it is not written.
static void lost_notification_of_the_last_packet(void **state) {
  (void)state;
  struct net net;
  net_figure5(&net);
  net_all_send(&net, 0, 0);
  net_all_send(&net, 0, 1);
  net_forget(&net);
  net.lose[NET_NOTE] = true;
  net_all_send(&net, 0, 2);
  assert_int_equal(net.got[0].count + net.got[2].count, 0);
  net.lose[NET_NOTE] = false;
  net_forget(&net);
  net_send(&net, 1, 0, 2, 2);
  net_send(&net, 3, 0, 2, 4);
  net_send(&net, 3, 0, 2, 4);
  assert_int_equal(net.got[0].count, 1);
  assert_int_equal(net.got[2].count, 2);
  net_stop(&net);
}

/// A leaf whose own workers are all through keeps their contributions until the parent's result has passed.
static void leaf_frees_when_the_result_passes(void **state) {
  (void)state;
  struct net net;
  net_figure5(&net);
  for (uint32_t msgid = 0; msgid < 2; msgid++) net_all_send(&net, msgid, 0);
  // Worker 2 lacks result 0. L1's workers have all, and send the message one window on; that is no result yet.
  net_send(&net, 0, 2, 0, 1);
  net_send(&net, 1, 2, 0, 2);
  net_forget(&net);
  net_send(&net, 1, 0, 0, 2);
  net_all_have(&net, 0, 0);
  // With the others' packets it is, and then message 0 is gone by.
  net_send(&net, 2, 2, 0, 3);
  net_send(&net, 3, 2, 0, 4);
  net_forget(&net);
  const uint64_t stale = relay_counts(net.relays[L1])->fates[FATE_STALE];
  net_send(&net, 1, 0, 0, 2);
  assert_int_equal(net.passed[NET_RISE], 0);
  assert_int_equal(relay_counts(net.relays[L1])->fates[FATE_STALE], stale + 1);
  net_stop(&net);
}

/// The root frees when the column leaves: a copy of the message one window before is then one gone by.
static void root_frees_when_its_result_leaves(void **state) {
  (void)state;
  struct net net;
  net_figure5(&net);
  const struct relay_end spine = net_device_end(S), leaf = net_device_end(L1);
  const struct ina_header ina = {NET_RING, 0, INA_FP32, 0, NET_MSGLEN, 2};
  const uint8_t tensor[NET_TENSOR] = {0};
  uint8_t frame[NET_FRAME];
  const size_t len = relay_packet(&leaf, &spine, &ina, 0, tensor, NET_TENSOR, frame, sizeof frame);
  net_all_send(&net, 0, 0);
  relay_rx(net.relays[S], 0, frame, len, false);
  assert_int_equal(relay_counts(net.relays[S])->fates[FATE_DUPLICATE], 1);
  net_all_send(&net, NET_WINDOW, 0);
  relay_rx(net.relays[S], 0, frame, len, false);
  assert_int_equal(relay_counts(net.relays[S])->fates[FATE_STALE], 1);
  net_stop(&net);
}

/// Headers of the message that had the same place before are no help.
static void headers_of_another_message(void **state) {
  (void)state;
  struct net net;
  net_figure5(&net);
  for (uint32_t msgid = 0; msgid < 2 * NET_WINDOW; msgid++) net_all_send(&net, msgid, 0);
  net.lose[NET_NOTE] = true;
  net_forget(&net);
  net_all_send(&net, 2 * NET_WINDOW, 0);
  assert_int_equal(net.got[0].count + net.got[2].count, 0);
  assert_int_equal(relay_counts(net.relays[L1])->no_template + relay_counts(net.relays[L2])->no_template, 2);
  net_stop(&net);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lost_on_each_kind_of_link),
      cmocka_unit_test(repeats_are_merged),
      cmocka_unit_test(lost_notification),
      cmocka_unit_test(lost_notification_of_the_last_packet),
      cmocka_unit_test(leaf_frees_when_the_result_passes),
      cmocka_unit_test(root_frees_when_its_result_leaves),
      cmocka_unit_test(headers_of_another_message),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
