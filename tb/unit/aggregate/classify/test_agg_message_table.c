// Message history against a plain twin: queries of few connections, as close to each other as those of one may be.
// DUT: agg_message_table -GNumConns=3 -GHistory=4
// DUT: agg_message_table -GNumConns=3 -GHistory=16
// DUT: agg_message_table -GNumConns=4 -GHistory=4 -GSpine=1
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "drive/dut.h"
#include "drive/bits.h"
#include "structs/agg_pkg.h"

enum { CONNS = 3, SPINE_CONNS = 4, MAX_HISTORY = 16, QUERIES = 200000, DEPTH = 3 };

struct message {
  bool valid;
  uint32_t msgid, psn0;
  unsigned base, msglen, kind;
};

struct query {
  bool valid, starts;
  unsigned conn, offset;
  struct message message;
};

struct answer {
  bool valid, found, stale, conflict;
  bool circle;   // several messages hold the PSN, and none is newer than all others
  struct message message;
  unsigned offset;
};

static struct message history[CONNS][MAX_HISTORY];
static bool spine;   // a message may begin with any of its packets

static bool holds(const struct message *m, uint32_t psn) { return m->valid && ((psn - m->psn0) & 0xffffff) < m->msglen; }

static struct answer ask(const struct query *q, unsigned window_log2) {
  struct answer a = {.valid = q->valid};
  if (!q->valid) return a;
  struct message *all = history[q->conn];
  const unsigned used = 2u << window_log2;
  if (q->starts) {
    struct message *m = &all[q->message.msgid % used];
    if (m->valid && (int32_t)(q->message.msgid - m->msgid) < 0) {
      a.stale = true;
    } else if (m->valid && m->msgid == q->message.msgid &&
               (m->psn0 != q->message.psn0 || m->msglen != q->message.msglen || m->kind != q->message.kind)) {
      a.conflict = true;
    } else {
      *m = a.message = q->message;
      m->valid = a.found = true;
      a.offset = spine ? q->offset : 0;
    }
    return a;
  }
  for (unsigned i = 0; i < used; i++) {
    if (!holds(&all[i], q->message.psn0)) continue;
    a.circle = true;
    bool newest = true;
    for (unsigned j = 0; j < used; j++)
      if (j != i && holds(&all[j], q->message.psn0) && (int32_t)(all[i].msgid - all[j].msgid) < 0) newest = false;
    if (!newest) continue;
    a.found = true;
    a.message = all[i];
    a.offset = (q->message.psn0 - all[i].psn0) & 0xffffff;
  }
  a.circle = a.circle && !a.found;
  return a;
}

static uint32_t at[CONNS];

static struct query draw(void) {
  struct query q = {.valid = rand() % 5 != 0, .starts = rand() % 2, .conn = (unsigned)rand() % CONNS};
  if (rand() % 10 == 0) at[q.conn]++;
  struct message *m = &q.message;
  m->msgid = 0xfffff000u + at[q.conn] - (unsigned)rand() % 5;
  m->msglen = 1 + m->msgid % 7;
  m->kind = rand() % 30 ? 3 : 1;
  m->base = (unsigned)rand() % 1000;
  q.offset = (unsigned)rand() % 4 ? (unsigned)rand() % m->msglen : (unsigned)rand() % 0x4000;
  m->psn0 = (0xfff000u + m->msgid * 7 - (rand() % 30 == 0)) & 0xffffff;
  // MsgIDs a third of the circle of all numbers apart, of messages that share PSNs.
  if (q.conn == 0 && rand() % 2) m->msgid += 0x55555555u * ((unsigned)rand() % 3);
  if (!q.starts) m->psn0 = (m->psn0 + (unsigned)rand() % 9) & 0xffffff;
  return q;
}

static void check(struct dut *d, const struct answer *a) {
  assert_int_equal(dut_get(d, "answer_valid_o"), a->valid);
  if (!a->valid) return;
  assert_int_equal(dut_get(d, "found_o"), a->found);
  assert_int_equal(dut_get(d, "stale_o"), a->stale);
  assert_int_equal(dut_get(d, "conflict_o"), a->conflict);
  if (!a->found) return;
  uint32_t words[WORDS_OF(message_t, 1)] = {0};
  dut_get_words(d, "answer_o", words, WORDS_OF(message_t, 1));
  assert_int_equal(bits_get(words, FIELD(message_t, msgid)), a->message.msgid);
  assert_int_equal(bits_get(words, FIELD(message_t, kind)), a->message.kind);
  assert_int_equal(bits_get(words, FIELD(message_t, base)), a->message.base);
  assert_int_equal(dut_get(d, "offset_o"), a->offset);
}

static void answers_like_its_twin(void **state) {
  (void)state;
  struct dut *d = dut_new();
  spine = dut_width(d, "forget_i") == SPINE_CONNS;
  unsigned circles = 0;
  for (unsigned window_log2 = 0; window_log2 < 2; window_log2++) {
    memset(history, 0, sizeof history);
    dut_set(d, "window_log2_i", window_log2);
    dut_reset(d);
    struct query line[3] = {0};       // [0] reads its row, [1] asks, [2] is decided
    struct answer due[DEPTH] = {0};   // of queries that asked, youngest first
    unsigned found = 0, stale = 0, conflict = 0, drain = 0;
    for (int i = 0; i < QUERIES; i++) {
      // Messages are forgotten only when no query is inside.
      if (drain == 0 && rand() % 500 == 0) drain = 6;
      line[2] = line[1];
      line[1] = line[0];
      line[0] = draw();
      // Queries of one connection are three cycles apart.
      for (unsigned ahead = 1; ahead < 3; ahead++)
        if (line[ahead].valid && line[ahead].conn == line[0].conn) line[0].valid = false;
      if (drain) line[0].valid = false;
      const bool forget = drain == 1;
      const uint64_t mask = (uint64_t)rand() & 7;
      dut_set(d, "read_i", line[0].valid);
      dut_set(d, "conn_i", line[0].conn);
      dut_set(d, "query_valid_i", line[1].valid);
      dut_set(d, "starts_i", line[1].starts);
      dut_set(d, "offset_i", line[1].offset);
      uint32_t words[WORDS_OF(message_t, 1)] = {0};
      bits_put(words, FIELD(message_t, kind), line[1].message.kind);
      bits_put(words, FIELD(message_t, msglen), line[1].message.msglen);
      bits_put(words, FIELD(message_t, base), line[1].message.base);
      bits_put(words, FIELD(message_t, psn0), line[1].message.psn0);
      bits_put(words, FIELD(message_t, msgid), line[1].message.msgid);
      dut_set_words(d, "message_i", words, WORDS_OF(message_t, 1));
      dut_set(d, "forget_i", forget ? mask : 0);
      memmove(due + 1, due, (DEPTH - 1) * sizeof *due);
      due[0] = ask(&line[1], window_log2);
      found += due[0].found, stale += due[0].stale, conflict += due[0].conflict, circles += due[0].circle;
      if (forget) {
        for (unsigned c = 0; c < CONNS; c++)
          if (mask >> c & 1) memset(history[c], 0, sizeof history[c]);
      }
      if (drain) drain--;
      dut_tick(d);
      check(d, &due[1]);
    }
    assert_true(found > 1000 && stale > 100 && conflict > 100);
  }
  assert_true(circles > 10);
  dut_free(d);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(answers_like_its_twin)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
