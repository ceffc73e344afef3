#include "unit/hosts/rc_ends.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "wire/rc.h"
#include "wire/bytes.h"

enum { BTH_BYTES = 12, SENDER_QPN = 0x11, RECEIVER_QPN = 0xABCDEF };

struct conn_key rc_key(unsigned from, unsigned to, uint32_t qpn) {
  return (struct conn_key){.src = {10, 0, 0, (uint8_t)from}, .dst = {10, 0, 0, (uint8_t)to}, .qpn = qpn};
}

void rc_mac(unsigned host, uint8_t mac[6]) {
  const uint8_t local[6] = {2, 0, 0, 0, 7, (uint8_t)host};
  memcpy(mac, local, 6);
}

struct requester_config rc_requester(void) {
  struct requester_config c = {.key = rc_key(1, 2, RECEIVER_QPN),
                               .mtu = 256,
                               .psn = RC_PSN,
                               .udp_source = 0xC123,
                               .timeout_ps = RC_TIMEOUT,
                               .max_inflight = 1 << 20};
  rc_mac(1, c.local_mac);
  rc_mac(2, c.peer_mac);
  return c;
}

struct requester *rc_loaded(size_t messages) {
  static const uint8_t payload[] = {1, 2, 3, 4, 5, 6, 7, 8};
  const struct requester_config c = rc_requester();
  const struct rc_message m = rc_message(RC_WRITE, payload, sizeof payload);
  struct requester *r = requester_new(&c);
  assert_non_null(r);
  for (size_t i = 0; i < messages; i++) requester_post(r, &m);
  return r;
}

static void count(void *user, const uint8_t *frame, const struct roce_packet *p) {
  (void)frame;
  (void)p;
  ++*(size_t *)user;
}

struct responder_config rc_responder(const struct requester_config *c, size_t *delivered) {
  struct responder_config r = {
      .key = rc_key(2, 1, SENDER_QPN), .psn = c->psn, .udp_source = 0xE321, .user = delivered, .deliver = count};
  rc_mac(2, r.local_mac);
  rc_mac(1, r.peer_mac);
  return r;
}

static void parse(struct rc_frame *f, enum roce_class class) {
  assert_in_range(f->len, 60, RC_ROOM);
  roce_parse(f->data, f->len, &f->p);
  assert_int_equal(f->p.class, class);
}

struct rc_frame rc_next(struct requester *r, uint64_t now) {
  struct rc_frame f;
  assert_true(requester_ready(r, now));
  f.len = requester_next(r, now, f.data, sizeof f.data);
  parse(&f, ROCE_CANDIDATE);
  return f;
}

struct rc_frame rc_reply(struct responder *r, uint64_t now) {
  struct rc_frame f;
  assert_true(responder_ready(r, now));
  f.len = responder_next(r, now, f.data, sizeof f.data);
  parse(&f, ROCE_CONTROL);
  assert_int_equal(f.p.opcode, ROCE_ACK);
  return f;
}

void rc_sends(struct requester *r, uint64_t now, uint32_t psn, unsigned count) {
  for (unsigned i = 0; i < count; i++) assert_int_equal(rc_next(r, now).p.psn, (psn + i) & PSN_MASK);
  uint8_t frame[RC_ROOM];
  assert_false(requester_ready(r, now));
  assert_int_equal(requester_next(r, now, frame, sizeof frame), 0);
}

void rc_counts_are(const struct requester *r, struct requester_counts due) {
  const struct requester_counts is = requester_counts(r);
  assert_int_equal(is.packets, due.packets);
  assert_int_equal(is.repeats, due.repeats);
  assert_int_equal(is.sequence_naks, due.sequence_naks);
  assert_int_equal(is.rnr_naks, due.rnr_naks);
  assert_int_equal(is.timeouts, due.timeouts);
  assert_int_equal(is.messages, due.messages);
}

void rc_answer(struct requester *r, uint64_t now, uint8_t syndrome, uint32_t psn) {
  const uint8_t aeth[AETH_BYTES] = {syndrome};
  struct rc_frame f;
  struct roce_build b = {
      .key = rc_key(2, 1, SENDER_QPN), .opcode = ROCE_ACK, .psn = psn & PSN_MASK, .payload = aeth, .payload_len = sizeof aeth};
  f.len = roce_build(&b, f.data, sizeof f.data);
  roce_parse(f.data, f.len, &f.p);
  requester_ack(r, now, f.data, &f.p);
}

uint8_t rc_syndrome(const struct rc_frame *f) { return f->data[f->p.bth + BTH_BYTES]; }

struct rc_message rc_message(enum rc_verb verb, const uint8_t *payload, size_t length) {
  return (struct rc_message){.verb = verb,
                             .payload = payload,
                             .length = length,
                             .address = UINT64_C(0x0123456789ABCDEF),
                             .rkey = 0xCAFEF00D,
                             .imm = 0x13572468};
}

size_t rc_payload(const struct rc_frame *f, const uint8_t **payload) {
  const size_t ina = f->p.tagged ? INA_BYTES : 0;
  assert_false(f->p.length_bad);
  *payload = f->data + f->p.header - ina;
  return ina + f->p.tensor;
}
