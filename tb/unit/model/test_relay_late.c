// A notification that overtakes a result inside of a device: the golden relay says what that device may send.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "unit/model/relay_net.h"

/// Frames that L1 may send late.
struct late {
  unsigned count;
  size_t len;
  uint8_t data[NET_FRAME];
};

static void tells(void *user, unsigned port, const uint8_t *data, size_t len) {
  struct late *late = user;
  (void)port;
  late->count++;
  late->len = len;
  memcpy(late->data, data, len);
}

/// Figure 5; worker 3's packets for worker 0 make notifications for L1.
static void start(struct net *net, struct late *late) {
  *late = (struct late){0};
  net_figure5(net);
  relay_tell_late(net->relays[NET_L1], tells, late);
}

/// The notification of worker 3's packet reaches L1.
static void notify(struct net *net, uint32_t msgid, unsigned offset) {
  uint8_t frame[NET_FRAME], note[NET_FRAME];
  struct roce_packet p;
  roce_parse(frame, net_packet(net, 3, msgid, offset, 4, frame), &p);
  const struct ina_header ina = {NET_RING, 3, INA_FP32, msgid, NET_MSGLEN, 4};
  relay_rx(net->relays[NET_L1], 0, note, relay_note(frame, &p, &ina, note), false);
}

static void without_notification(struct net *net, uint32_t msgid, unsigned offset) {
  net->lose[NET_NOTE] = true;
  net_all_send(net, msgid, offset);
  net->lose[NET_NOTE] = false;
}

/// What may leave is what does leave when everything comes in order.
static void headers_come_while_the_result_waits(void **state) {
  (void)state;
  struct net net, whole;
  struct late late;
  net_figure5(&whole);
  start(&net, &late);
  for (unsigned offset = 0; offset < NET_MSGLEN; offset += NET_MSGLEN - 1) {   // of the first, L1 has not even a row
    net_all_send(&whole, 0, offset);
    without_notification(&net, 0, offset);
    assert_int_equal(net.got[0].count, 0);
    late.count = 0;
    notify(&net, 0, offset);
    notify(&net, 0, offset);   // tells nothing new
    assert_int_equal(late.count, 1);
    assert_int_equal(late.len, whole.got[0].len);
    assert_memory_equal(late.data, whole.got[0].data, late.len);
  }
  net_stop(&whole);
  net_stop(&net);
}

static void another_messages_headers_are_none(void **state) {
  (void)state;
  struct net net;
  struct late late;
  start(&net, &late);
  without_notification(&net, 0, 0);
  notify(&net, 1, 0);
  assert_int_equal(late.count, 0);
  notify(&net, 0, 2);   // nor those of its last packet
  assert_int_equal(late.count, 0);
  notify(&net, 0, 0);
  assert_int_equal(late.count, 1);
  net_stop(&net);
}

/// A result of a message that no connection remembers any more cannot wait.
static void old_results_are_forgotten(void **state) {
  (void)state;
  struct net net;
  struct late late;
  start(&net, &late);
  without_notification(&net, 0, 0);
  for (uint32_t msgid = 1; msgid <= 2 * NET_WINDOW; msgid++) without_notification(&net, msgid, 0);
  notify(&net, 0, 0);
  assert_int_equal(late.count, 0);
  notify(&net, 1, 0);
  assert_int_equal(late.count, 1);
  relay_flush(net.relays[NET_L1]);
  notify(&net, 2, 0);
  assert_int_equal(late.count, 1);
  net_stop(&net);
}

/// Nobody asked: nothing is kept.
static void only_for_who_asks(void **state) {
  (void)state;
  struct net net;
  struct late late;
  start(&net, &late);
  relay_tell_late(net.relays[NET_L1], NULL, NULL);
  without_notification(&net, 0, 0);
  relay_tell_late(net.relays[NET_L1], tells, &late);
  notify(&net, 0, 0);
  assert_int_equal(late.count, 0);
  net_stop(&net);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(headers_come_while_the_result_waits),
      cmocka_unit_test(another_messages_headers_are_none),
      cmocka_unit_test(old_results_are_forgotten),
      cmocka_unit_test(only_for_who_asks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
