// The survey of a capture and the order of its replay, over packets of any kind in any order.
//
// The input is a program: each packet takes the bytes it needs. Packets are built, because raw bytes would never get past the ICRC; some are
// damaged afterwards.
#include <string.h>

#include "fuzz/fuzz.h"
#include "sim/replay/order.h"
#include "sim/replay/survey.h"
#include "unit/gradient.h"

enum { MOST = 256, PORTS = 4, RINGS = 3 };

struct survey_input {
  const uint8_t *next, *end;
};

static uint8_t byte(struct survey_input *in) { return in->next < in->end ? *in->next++ : 0; }

struct packets {
  struct trace_frame frames[MOST];
  uint8_t bytes[MOST][GRADIENT_ROOM];
  size_t count;
};

static void add(struct packets *p, struct survey_input *in) {
  const uint8_t who = byte(in), shape = byte(in), where = byte(in), how = byte(in);
  struct ina_header ina = {
      .ring = who % RINGS, .rank = who >> 2 & 7, .msgid = shape & 15, .msglen = 1 + (shape >> 4 & 3), .workers = 4};
  if ((how & 1) != 0) ina.workers = 1 + (shape >> 6);
  if ((how & 2) != 0) ina.kind = byte(in);
  if ((how & 4) != 0) ina.msglen = byte(in);
  if ((how & 8) != 0) ina.msgid += 0xFFFFFFF0;
  struct gradient g = gradient_of(&ina, where % 8);
  if ((how & 16) != 0) g.psn0 = (uint32_t)(0xFFFFF0 + (byte(in) & 31)) & 0xFFFFFF;
  // A connection may move to another ring or rank.
  if ((how & 32) != 0) g.build.key.qpn = byte(in) & 3;
  uint8_t *bytes = p->bytes[p->count];
  size_t len = gradient_frame(&g, bytes);
  if ((how & 64) != 0) bytes[byte(in) % len] ^= byte(in);
  if ((how & 128) != 0) len = byte(in) % (len + 1);
  p->frames[p->count] = (struct trace_frame){.data = bytes, .len = len, .port = where >> 4 & (PORTS - 1), .number = p->count + 1};
  p->count++;
}

static void check_survey(const struct trace *t) {
  struct survey s;
  survey_make(t, &s);
  size_t frames = 0, packets = 0, copies = 0;
  for (unsigned port = 0; port < t->ports; port++) frames += s.per_port[port];
  for (size_t c = 0; c < s.conn_count; c++) {
    packets += s.conns[c].packets;
    copies += s.conns[c].copies;
    fuzz_must(s.conns[c].copies < s.conns[c].packets, "the first of a packet is no copy");
    fuzz_must(s.conns[c].port < t->ports, "a connection has a port");
  }
  fuzz_must(frames == t->count && s.frames == t->count, "each frame has a port");
  fuzz_must(s.roce + s.other == s.frames && s.candidates + s.bad_icrc + s.control == s.roce, "each frame has a class");
  fuzz_must(packets == s.candidates && copies == s.copies, "each data packet has a connection");
  for (size_t r = 0; r < s.ring_count; r++) {
    fuzz_must(s.rings[r].usable == (s.rings[r].note[0] == 0), "a ring that is left alone has a reason");
    fuzz_must(!s.rings[r].usable || (s.rings[r].workers >= 1 && s.rings[r].msglen >= 1), "a ring that is used has a size");
  }
  survey_free(&s);
}

static void check_order(const struct trace *t, struct survey_input *in) {
  struct drive_ring rings[RINGS];
  const size_t count = byte(in) % (RINGS + 1);
  for (size_t r = 0; r < count; r++) {
    const uint8_t shape = byte(in);
    rings[r] = (struct drive_ring){.enable = true,
                                   .id = (uint16_t)r,
                                   .learn = shape & 1,
                                   .workers = 1 + (shape >> 1 & 7),
                                   .window = 1 + (shape >> 4 & 3),
                                   .stride = 1 + (shape >> 6)};
  }
  struct order o;
  order_make(t, rings, count, count % 2 == 1, &o);
  uint32_t sum = 0;
  for (size_t i = 0; i < t->count; i++) {
    fuzz_must(o.after[i] <= i, "a frame waits for those before it");
    fuzz_must(o.turn[i] <= ORDER_ALL, "a frame has one of three turns");
    sum += o.after[i];
  }
  fuzz_must(count != 0 || sum == 0, "without rings nothing waits");
  order_free(&o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static struct packets p;
  struct survey_input in = {data, data + size};
  p.count = 0;
  struct survey_input shape = in;
  (void)byte(&in);
  while (in.next < in.end && p.count < MOST) add(&p, &in);
  const struct trace t = {.frames = p.frames, .count = p.count, .ports = PORTS};
  check_survey(&t);
  check_order(&t, &shape);
  return 0;
}
