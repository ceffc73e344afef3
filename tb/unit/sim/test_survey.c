// What a survey finds: in captures of real hosts what those who made them counted, and in made-up packets the corners.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/replay/survey.h"
#include "unit/gradient.h"

enum { ROOM = 64 };

/// Made-up frames and the trace of them.
struct packets {
  struct trace_frame frames[ROOM];
  uint8_t bytes[ROOM][GRADIENT_ROOM];
  size_t count;
};

/// Appends a packet; returns its bytes, to be damaged.
static uint8_t *add(struct packets *p, const struct gradient *g, unsigned port) {
  assert_true(p->count < ROOM);
  uint8_t *bytes = p->bytes[p->count];
  const size_t len = gradient_frame(g, bytes);
  p->frames[p->count] = (struct trace_frame){.data = bytes, .len = len, .port = port, .number = p->count + 1};
  p->count++;
  return bytes;
}

/// First packet of a message of `rank`, on that rank's port.
static void add_first(struct packets *p, unsigned rank, unsigned workers, uint32_t msgid, unsigned msglen) {
  const struct ina_header ina = {
      .ring = 5, .rank = (uint8_t)rank, .msgid = msgid, .msglen = (uint16_t)msglen, .workers = (uint16_t)workers};
  const struct gradient g = gradient_of(&ina, 0);
  add(p, &g, rank);
}

static struct survey survey_of(const struct packets *p) {
  const struct trace t = {.frames = (struct trace_frame *)p->frames, .count = p->count, .ports = 8};
  struct survey s;
  survey_make(&t, &s);
  return s;
}

static void is_unusable(const struct packets *p, const char *note) {
  struct survey s = survey_of(p);
  assert_int_equal(s.ring_count, 1);
  assert_false(s.rings[0].usable);
  assert_string_equal(s.rings[0].note, note);
  survey_free(&s);
}

static void real_captures(void **state) {
  (void)state;
  const struct {
    const char *name;
    size_t frames, data, copies;
    unsigned ports, rings, workers;
    uint16_t id[4], msglen[4];   // in order of appearance
    size_t messages[4];
    uint16_t kinds;
  } cases[] = {
      {"ring4", 895, 768, 0, 4, 1, 4, {1}, {32}, {6}, 1},
      {"ring4-loss", 1935, 1762, 994, 4, 1, 4, {1}, {32}, {6}, 1},
      {"ring4-two-rings-psn-wrap", 967, 768, 0, 4, 2, 4, {7, 1}, {24, 24}, {4, 4}, 1},
      {"ring6-paper", 4325, 4080, 0, 6, 1, 6, {1}, {170}, {4}, 1},
      {"ring4-bf16", 926, 768, 0, 4, 1, 4, {30}, {16}, {12}, 4},
      {"ring3-ipv6", 2504, 2229, 789, 3, 1, 3, {31}, {16}, {30}, 1},
      {"ring4-send-int32", 1337, 832, 0, 4, 4, 4, {21, 23, 20, 22}, {3, 1, 12, 1}, {8, 8, 14, 8}, 8},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char path[200];
    struct trace t;
    struct file_error e = {""};
    struct survey s;
    snprintf(path, sizeof path, "sim/captures/%s.in.pcapng.gz", cases[i].name);
    if (trace_load(path, 0, &t, &e) != 0) fail_msg("%s", e.text);
    survey_make(&t, &s);
    assert_int_equal(s.frames, cases[i].frames);
    assert_int_equal(s.candidates, cases[i].data);
    assert_int_equal(s.copies, cases[i].copies);
    assert_int_equal(s.bad_icrc, 0);
    assert_int_equal(s.candidates + s.bad_icrc + s.control, s.roce);
    assert_int_equal(s.roce + s.other, s.frames);
    assert_int_equal(s.ring_count, cases[i].rings);
    assert_int_equal(s.conn_count, cases[i].rings * cases[i].workers);
    size_t frames = 0, packets = 0, copies = 0;
    for (unsigned p = 0; p < t.ports; p++) frames += s.per_port[p];
    assert_int_equal(t.ports, cases[i].ports);
    assert_int_equal(frames, cases[i].frames);
    for (size_t r = 0; r < s.ring_count; r++) {
      const struct survey_ring *ring = &s.rings[r];
      if (!ring->usable) fail_msg("%s: %s", path, ring->note);
      assert_int_equal(ring->id, cases[i].id[r]);
      assert_int_equal(ring->workers, cases[i].workers);
      assert_int_equal(ring->connections, cases[i].workers);
      assert_int_equal(ring->msglen, cases[i].msglen[r]);
      assert_int_equal(ring->messages, cases[i].messages[r]);
      assert_int_equal(ring->msgid_first, 0);
      assert_int_equal(ring->msgid_last, cases[i].messages[r] - 1);
      assert_int_equal(ring->kinds, cases[i].kinds);
      // A packet of one message of one packet carries its INA header within the path MTU.
      assert_int_equal(ring->tensor_bytes, ring->msglen == 1 ? 1008 : 1024);
    }
    for (size_t c = 0; c < s.conn_count; c++) {
      const struct survey_conn *conn = &s.conns[c];
      size_t r = 0;
      while (r < s.ring_count && s.rings[r].id != conn->ring) r++;
      assert_true(conn->has_ring && r < s.ring_count);
      assert_int_equal(conn->rank, conn->port);   // hosts of these captures are on the port of their rank
      // Nothing else is sent on them, so PSNs are contiguous, wrapped or not, but for what was lost on the way in.
      assert_int_equal((conn->psn_last - conn->psn_first) & 0xFFFFFF, s.rings[r].messages * s.rings[r].msglen - 1);
      packets += conn->packets;
      copies += conn->copies;
    }
    assert_int_equal(packets, s.candidates);
    assert_int_equal(copies, s.copies);
    survey_free(&s);
    trace_free(&t);
  }
}

static void classes(void **state) {
  (void)state;
  static struct packets p;
  p.count = 0;
  const struct ina_header ina = {.ring = 5, .workers = 2, .msglen = 2};
  struct gradient g = gradient_of(&ina, 0);
  add(&p, &g, 3);
  add(&p, &g, 3)[60] ^= 1;   // in the INA header, under the ICRC
  g.build.opcode = ROCE_ACK;
  add(&p, &g, 1);
  add(&p, &g, 1)[12] = 0x77;   // some other EtherType
  struct survey s = survey_of(&p);
  assert_int_equal(s.frames, 4);
  assert_int_equal(s.candidates, 1);
  assert_int_equal(s.bad_icrc, 1);
  assert_int_equal(s.control, 1);
  assert_int_equal(s.roce, 3);
  assert_int_equal(s.other, 1);
  assert_int_equal(s.per_port[3], 2);
  assert_int_equal(s.per_port[1], 2);
  assert_int_equal(s.per_port[0], 0);
  assert_int_equal(s.conn_count, 1);
  assert_int_equal(s.conns[0].packets, 1);
  assert_int_equal(s.conns[0].port, 3);
  survey_free(&s);
}

static void connections(void **state) {
  (void)state;
  static struct packets p;
  p.count = 0;
  const struct ina_header ina = {.ring = 5, .rank = 1, .workers = 2, .msglen = 4};
  struct gradient g = gradient_of(&ina, 2);   // a middle packet in front of any header
  g.len = 40;
  add(&p, &g, 3);
  g = gradient_of(&ina, 1);
  add(&p, &g, 4);
  g = gradient_of(&ina, 0);
  add(&p, &g, 3);
  add(&p, &g, 3);
  g = gradient_of(&ina, 3);
  add(&p, &g, 3);
  // The same but for one part of the key each: other connections. None has a header.
  for (unsigned part = 0; part < 4; part++) {
    g = gradient_of(&ina, 1);
    if (part == 0) g.build.key.qpn ^= 0x800000;
    if (part == 1) g.build.key.src[3] ^= 1;
    if (part == 2) g.build.key.dst[3] ^= 1;
    if (part == 3) g.build.key.v6 = true;
    add(&p, &g, 5);
  }
  struct survey s = survey_of(&p);
  assert_int_equal(s.conn_count, 5);
  assert_true(s.conns[0].has_ring);
  assert_int_equal(s.conns[0].ring, 5);
  assert_int_equal(s.conns[0].rank, 1);
  assert_int_equal(s.conns[0].port, 3);
  assert_int_equal(s.conns[0].packets, 5);
  assert_int_equal(s.conns[0].copies, 1);
  assert_int_equal(s.conns[0].psn_first, 0x2000);
  assert_int_equal(s.conns[0].psn_last, 0x2003);
  for (size_t i = 1; i < 5; i++) {
    assert_false(s.conns[i].has_ring);
    assert_int_equal(s.conns[i].packets, 1);
    assert_int_equal(s.conns[i].copies, 0);
  }
  assert_int_equal(s.rings[0].connections, 1);
  assert_int_equal(s.rings[0].tensor_bytes, 40);
  survey_free(&s);
}

/// PSNs wrap, and come again a whole turn later without being copies; message numbers wrap too.
static void serial_numbers(void **state) {
  (void)state;
  static struct packets p;
  p.count = 0;
  struct ina_header ina = {.ring = 5, .workers = 1, .msglen = 1, .msgid = UINT32_MAX};
  const uint32_t psns[] = {0xFFFFFE, 0xFFFFFF, 0, 0xFFFFFD, 1, 0};
  for (size_t i = 0; i < sizeof psns / sizeof *psns; i++) {
    struct gradient g = gradient_of(&ina, 0);
    g.psn0 = psns[i];
    add(&p, &g, 0);
    ina.msgid++;
  }
  struct survey s = survey_of(&p);
  assert_int_equal(s.conns[0].psn_first, 0xFFFFFD);
  assert_int_equal(s.conns[0].psn_last, 1);
  assert_int_equal(s.conns[0].copies, 1);
  assert_int_equal(s.rings[0].msgid_first, UINT32_MAX);
  assert_int_equal(s.rings[0].msgid_last, 4);
  assert_int_equal(s.rings[0].messages, 6);
  survey_free(&s);

  for (uint32_t psn = 0x400000; psn < 0x2000000; psn += 0x400000) {
    struct gradient g = gradient_of(&ina, 0);
    g.psn0 = psn & 0xFFFFFF;
    add(&p, &g, 0);
  }
  s = survey_of(&p);
  assert_int_equal(s.conns[0].copies, 1);
  survey_free(&s);
}

static void agreeing_rings(void **state) {
  (void)state;
  static struct packets p;
  p.count = 0;
  for (unsigned rank = 0; rank < 3; rank++) {
    add_first(&p, rank, 3, 0, 9);
    add_first(&p, rank, 3, 1, 9);
    add_first(&p, rank, 3, 2, 4);   // a short last message
  }
  struct survey s = survey_of(&p);
  assert_true(s.rings[0].usable);
  assert_string_equal(s.rings[0].note, "");
  assert_int_equal(s.rings[0].msglen, 9);
  assert_int_equal(s.rings[0].messages, 3);
  assert_int_equal(s.rings[0].kinds, 1);
  survey_free(&s);
  add_first(&p, 1, 3, 3, 60000);   // that the others never begin must not cost the slots of 60,000 packets
  s = survey_of(&p);
  assert_true(s.rings[0].usable);
  assert_int_equal(s.rings[0].msglen, 9);
  survey_free(&s);
}

static void disagreeing_rings(void **state) {
  (void)state;
  static struct packets p;
  p.count = 0;
  add_first(&p, 0, 2, 0, 9);
  is_unusable(&p, "1 of 2 ranks send, rank 1 does not");
  add_first(&p, 1, 2, 0, 8);
  is_unusable(&p, "its headers disagree on MsgLen: message 0 has 9, and 8 in frame 2");
  p.count = 1;
  add_first(&p, 1, 3, 0, 9);
  add_first(&p, 2, 3, 0, 9);
  is_unusable(&p, "its headers disagree on Workers: 2, and 3 in frame 2");
  p.count = 0;
  add_first(&p, 0, 300, 0, 9);
  is_unusable(&p, "300 Workers, but a Rank has 8 bits");
}

/// A rank sends if it is what the first header of a connection says: the device keeps a connection at it.
static void one_connection_is_one_rank(void **state) {
  (void)state;
  static struct packets p;
  p.count = 0;
  struct ina_header ina = {.ring = 5, .workers = 2, .msglen = 2};
  struct gradient g = gradient_of(&ina, 0);
  add(&p, &g, 0);
  g.ina.rank = 1;
  g.ina.msgid = 1;
  add(&p, &g, 0);
  is_unusable(&p, "1 of 2 ranks send, rank 1 does not");
}

static void invalid_headers_name_no_ring(void **state) {
  (void)state;
  static struct packets p;
  p.count = 0;
  const struct ina_header bad[] = {
      {.ring = 5, .rank = 2, .workers = 2, .msglen = 2},
      {.ring = 5, .workers = 0, .msglen = 2},
      {.ring = 5, .workers = 2, .msglen = 0},
      {.ring = 5, .workers = 2, .msglen = 2, .kind = 4},
      {.ring = 5, .workers = 2, .msglen = 2, .kind = 0x30},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct ina_header good = bad[i];
    good.msglen = 2;
    struct gradient g = gradient_of(&good, 0);
    g.ina = bad[i];
    add(&p, &g, 0);
  }
  struct survey s = survey_of(&p);
  assert_int_equal(s.ring_count, 0);
  assert_int_equal(s.candidates, 5);
  for (size_t i = 0; i < s.conn_count; i++) assert_false(s.conns[i].has_ring);
  survey_free(&s);
}

static void kinds_of_a_ring(void **state) {
  (void)state;
  static struct packets p;
  p.count = 0;
  const uint8_t kinds[] = {0x03, 0x12, 0x20, 0x23};
  for (uint32_t i = 0; i < sizeof kinds; i++) {
    const struct ina_header ina = {.ring = 5, .workers = 1, .msglen = 1, .msgid = i, .kind = kinds[i]};
    const struct gradient g = gradient_of(&ina, 0);
    add(&p, &g, 0);
  }
  struct survey s = survey_of(&p);
  assert_int_equal(s.rings[0].kinds, 1 << 3 | 1 << 6 | 1 << 8 | 1 << 11);
  assert_true(s.rings[0].usable);
  survey_free(&s);
}

static void no_frames(void **state) {
  (void)state;
  const struct trace t = {0};
  struct survey s;
  survey_make(&t, &s);
  assert_int_equal(s.frames + s.conn_count + s.ring_count, 0);
  survey_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(real_captures),
      cmocka_unit_test(classes),
      cmocka_unit_test(connections),
      cmocka_unit_test(serial_numbers),
      cmocka_unit_test(agreeing_rings),
      cmocka_unit_test(disagreeing_rings),
      cmocka_unit_test(one_connection_is_one_rank),
      cmocka_unit_test(invalid_headers_name_no_ring),
      cmocka_unit_test(kinds_of_a_ring),
      cmocka_unit_test(no_frames),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
