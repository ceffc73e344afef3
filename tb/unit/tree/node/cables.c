#include "unit/tree/node/cables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum {
  BEAT = 64,
  BYTES = 50,     // a cycle: 100 Gb/s
  BETWEEN = 24,   // bytes of a frame that a MAC adds: preamble, FCS, gap
  ACK_MOST = 82   // bytes of a frame that is an ACK
};

static unsigned earn(unsigned credit) { return credit + BYTES > 4 * BEAT ? 4 * BEAT : credit + BYTES; }

void cables_offer(struct cables *c) {
  uint32_t data[CABLES_PORTS * BEAT / 4] = {0}, keeps[CABLES_PORTS * 2] = {0};
  uint64_t last = 0;
  c->offered = c->ready = 0;
  for (unsigned p = 0; p < c->ports; p++) {
    struct cable *n = &c->at[p];
    n->out_credit = earn(n->out_credit);
    if (n->out_credit >= BEAT + BETWEEN && (c->stuck >> p & 1) == 0) c->ready |= UINT64_C(1) << p;
    n->in_credit = earn(n->in_credit);
    if (n->in_len == 0) continue;
    const size_t left = n->in_len - n->in_at, bytes = left < BEAT ? left : BEAT;
    if (n->in_credit < bytes + (bytes == left ? BETWEEN : 0)) continue;
    c->offered |= UINT64_C(1) << p;
    if (bytes == left) last |= UINT64_C(1) << p;
    memcpy(&data[p * BEAT / 4], n->in + n->in_at, bytes);
    const uint64_t keep = bytes == 64 ? UINT64_MAX : (UINT64_C(1) << bytes) - 1;
    memcpy(&keeps[p * 2], &keep, sizeof keep);
  }
  dut_set(c->d, "s_axis_tvalid", c->offered);
  dut_set(c->d, "s_axis_tlast", last);
  dut_set_words(c->d, "s_axis_tdata", data, c->ports * BEAT / 4);
  dut_set_words(c->d, "s_axis_tkeep", keeps, c->ports * 2);
  dut_set(c->d, "m_axis_tready", c->ready);
}

static void beat_came(const struct cables *c, struct cable *n) {
  const size_t left = n->in_len - n->in_at, bytes = left < BEAT ? left : BEAT;
  n->in_credit -= (unsigned)bytes + (bytes == left ? BETWEEN : 0);
  n->in_at += bytes;
  if (n->in_at < n->in_len) return;
  if (n->in_len > ACK_MOST) n->came = dut_cycle(c->d);
  n->in_len = n->in_at = 0;
}

static void beat_left(const struct cables *c, struct cable *n, const uint32_t *data, uint64_t keep, bool last) {
  const unsigned bytes = (unsigned)__builtin_popcountll(keep);
  assert_true(n->out_len + bytes <= sizeof n->out);
  if (n->out_len == 0) n->begins = dut_cycle(c->d);
  memcpy(n->out + n->out_len, data, bytes);
  n->out_len += bytes;
  n->out_credit -= bytes + (last ? BETWEEN : 0);
  if (last && n->out_len > ACK_MOST) n->left = n->begins;
}

void cables_move(struct cables *c, cables_left *left_by, void *user) {
  uint32_t data[CABLES_PORTS * BEAT / 4], keeps[CABLES_PORTS * 2];
  const uint64_t came = c->offered & dut_get(c->d, "s_axis_tready"), left = c->ready & dut_get(c->d, "m_axis_tvalid");
  const uint64_t last = dut_get(c->d, "m_axis_tlast");
  const uint64_t broken = dut_has(c->d, "m_axis_tuser") ? dut_get(c->d, "m_axis_tuser") : 0;
  dut_get_words(c->d, "m_axis_tdata", data, c->ports * BEAT / 4);
  dut_get_words(c->d, "m_axis_tkeep", keeps, c->ports * 2);
  for (unsigned p = 0; p < c->ports; p++) {
    struct cable *n = &c->at[p];
    uint64_t keep;
    memcpy(&keep, &keeps[p * 2], sizeof keep);
    if (came >> p & 1) beat_came(c, n);
    if ((left >> p & 1) == 0) continue;
    beat_left(c, n, &data[p * BEAT / 4], keep, last >> p & 1);
    if ((last >> p & 1) == 0) continue;
    if (broken >> p & 1)
      c->broken++;
    else
      left_by(user, p);
    n->out_len = 0;
  }
}
