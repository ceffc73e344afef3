#include "unit/model/tree/tree_ends.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { BTH_BYTES = 12 };

static struct conn_key key(unsigned from, unsigned to) {
  return (struct conn_key){.src = {10, 0, 0, (uint8_t)(from + 1)}, .dst = {10, 0, 0, (uint8_t)(to + 1)}, .qpn = 0x100 + to};
}

struct rc_end_config ends_config(unsigned which) {
  return (struct rc_end_config){
      .local_mac = {2, 0, 0, 0, 0, (uint8_t)which},
      .peer_mac = {2, 0, 0, 0, 0, (uint8_t)!which},
      .out = key(which, !which),
      .in = key(!which, which),
      .psn_out = ENDS_PSN,
      .psn_in = ENDS_PSN,
      .udp_source = 0xC000,
      .mtu = ENDS_MTU,
      .request = {.room = 8, .timeout_ps = ENDS_TIMEOUT, .retries = 7, .rnr_retries = RC_ENDLESS},
      .respond = {.room = 8, .coalesce = 100, .rnr_timer = 1},
  };
}

void ends_post(struct rc_requester *r, bool first, bool last, uint8_t fill, size_t len) {
  uint8_t data[RC_MAX_MTU];
  memset(data, fill, sizeof data);
  assert_true(rc_requester_room(r) > 0);
  rc_requester_post(r, &(struct rc_packet){.verb = RC_SEND, .first = first, .last = last, .data = data, .len = len});
}

struct ends_frame ends_next(struct rc_end *e, uint64_t now) {
  struct ends_frame f;
  assert_true(rc_end_ready(e, now));
  f.len = rc_end_next(e, now, f.data, sizeof f.data);
  assert_in_range(f.len, 60, ENDS_ROOM);
  roce_parse(f.data, f.len, &f.p);
  assert_true(f.p.class == ROCE_CANDIDATE || f.p.opcode == ROCE_ACK);
  return f;
}

void ends_answer(struct rc_end *e, uint64_t now, uint8_t syndrome, uint32_t psn) {
  const uint8_t aeth[AETH_BYTES] = {syndrome};
  const struct rc_end_config c = ends_config(1);
  struct ends_frame f;
  struct roce_build b = {.key = c.out, .opcode = ROCE_ACK, .psn = psn & PSN_MASK, .payload = aeth, .payload_len = sizeof aeth};
  f.len = rc_build(&b, c.local_mac, c.peer_mac, f.data, sizeof f.data);
  roce_parse(f.data, f.len, &f.p);
  assert_true(rc_end_receive(e, now, f.data, &f.p));
}

uint8_t ends_syndrome(const struct ends_frame *f) { return f->data[f->p.bth + BTH_BYTES]; }
