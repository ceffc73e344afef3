#include "unit/gather/nic/nic_bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "drive/bits.h"
#include "wire/bytes.h"

enum { BEAT_WORDS = 16, FAR = 100 };   ///< FAR is the tid of other nodes' requests

struct nic_frame *nic_send(struct nic_bench *b, const struct pr *prs, size_t count) {
  static uint8_t room[GATHER_FRAME_ROOM];
  assert_true(b->in - b->out < NIC_FRAMES);
  struct nic_frame *f = &b->frames[b->in++ % NIC_FRAMES];
  f->len = pr_packet(prs, count, room);
  f->data = malloc(f->len);
  f->due = dut_cycle(b->dut) + 30 + gather_pick(50);
  memcpy(f->data, room, f->len);
  return f;
}

void nic_ask_us(struct nic_bench *b) {
  struct pr pr;
  gather_random_pr(&pr, false, NIC_NODES, NIC_LEN);
  pr.dest = NIC_OWN;
  pr.tid = FAR;
  pr.idx = NIC_OWN * NIC_PART + gather_pick(NIC_PART);
  pr.src = (NIC_OWN + 1 + gather_pick(NIC_NODES - 1)) % NIC_NODES;
  nic_send(b, &pr, 1);
  b->asked_of_us++;
}

/// What leaves is a packet of reads, which other nodes answer with one or more packets, or our answers to them.
static void take_frame(struct nic_bench *b) {
  struct pr prs[GATHER_MAX_PRS], answers[GATHER_MAX_PRS];
  const size_t count = pr_unpack(b->leaving, b->leaving_len, prs);
  size_t n = 0;
  assert_int_equal(get_be32(b->leaving + 30), 0x0A000000 + prs[0].dest);
  assert_int_equal(get_be32(b->leaving + 26), 0x0A000000 + NIC_OWN);
  b->frames_out++;
  b->prs_out += count;
  for (unsigned i = 0; i < b->flood && !prs[0].response; i++) nic_ask_us(b);
  for (size_t i = 0; i < count; i++) {
    if (prs[i].response) {
      uint8_t want[NIC_LEN];
      gather_property(prs[i].idx, 1, want, NIC_LEN);
      assert_int_equal(prs[i].tid, FAR);
      assert_int_equal(prs[i].src, prs[i].dest);
      assert_int_equal(prs[i].len, NIC_LEN);
      assert_memory_equal(prs[i].data, want, NIC_LEN);
      b->answered++;
      continue;
    }
    assert_int_equal(prs[i].dest, prs[i].idx / NIC_PART);
    assert_int_equal(prs[i].src, NIC_OWN);
    b->requested++;
    answers[n] = prs[i];
    answers[n].response = true;
    answers[n].dest = NIC_OWN;
    gather_property(prs[i].idx, 0, answers[n].data, NIC_LEN);
    if (++n == 17 || i + 1 == count || gather_pick(10) == 0) {
      nic_send(b, answers, n);
      n = 0;
    }
  }
}

/// What the interface throws away in this cycle.
static void see_thrown(struct nic_bench *b) {
  uint32_t w[WORDS_OF(stopped_obs_t, 1)];
  dut_get_words(b->dut, "stopped_o", w, WORDS_OF(stopped_obs_t, 1));
  if (!bits_get(w, FIELD(stopped_obs_t, valid))) return;
  b->thrown[bits_get(w, FIELD(stopped_obs_t, response))]++;
  b->thrown_prs[bits_get(w, FIELD(stopped_obs_t, response))] += bits_get(w, FIELD(stopped_obs_t, count));
}

void nic_cycle(struct nic_bench *b) {
  struct dut *d = b->dut;
  const uint64_t now = dut_cycle(d);
  bool ready[HOST_CHANNELS];
  for (unsigned c = 0; c < HOST_CHANNELS; c++) ready[c] = host_ready(&b->host) && !(b->blocked >> c & 1);
  uint32_t w[BEAT_WORDS] = {0};
  host_show(&b->host, d, now, ready);
  const struct nic_frame *f = &b->frames[b->out % NIC_FRAMES];
  const bool send = b->in != b->out && (f->due <= now || b->beat);
  const size_t at = b->beat * GATHER_BEAT, n = !send ? 0 : f->len - at < GATHER_BEAT ? f->len - at : GATHER_BEAT;
  dut_set(d, "s_axis_tvalid", send);
  if (send) {
    memcpy(w, f->data + at, n);
    dut_set_words(d, "s_axis_tdata", w, BEAT_WORDS);
    dut_set(d, "s_axis_tkeep", n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1);
    dut_set(d, "s_axis_tlast", at + n == f->len);
  }
  const bool take = !b->stall || gather_pick(b->stall);
  dut_set(d, "m_axis_tready", take);
  dut_set(d, "pause_i", b->paused);
  dut_set(d, "done_ready_i", 3);
  dut_eval(d);
  uint64_t marked;
  host_take(&b->host, d, now, ready, &marked);
  if (take && dut_get(d, "m_axis_tvalid")) {
    const uint64_t keep = dut_get(d, "m_axis_tkeep");
    const size_t bytes = keep == UINT64_MAX ? 64 : (size_t)__builtin_ctzll(~keep);
    dut_get_words(d, "m_axis_tdata", w, BEAT_WORDS);
    assert_true(b->leaving_len + bytes <= sizeof b->leaving);
    memcpy(b->leaving + b->leaving_len, w, bytes);
    b->leaving_len += bytes;
    if (dut_get(d, "m_axis_tlast")) {
      take_frame(b);
      b->leaving_len = 0;
    }
  }
  see_thrown(b);
  const uint64_t done = dut_get(d, "done_valid_o");
  for (unsigned u = 0; u < NIC_UNITS; u++) {
    b->done[u] += (unsigned)(done >> u & 1);
    if (done >> u & 1 & dut_get(d, "done_failed_o") >> u) b->failed++;
    assert_true(b->failed <= b->may_fail);
  }
  if (send && dut_get(d, "s_axis_tready")) {
    b->beat++;
    if (at + n == f->len) {
      free(f->data);
      b->out++;
      b->beat = 0;
    }
  }
  dut_tick(d);
}

uint64_t nic_counter(struct nic_bench *b, unsigned which) {
  uint32_t w[NumNicCounters];
  dut_get_words(b->dut, "count_port_o", w, NumNicCounters);
  return w[which];
}

void nic_timeout(struct nic_bench *b, uint32_t cycles) {
  bits_put(b->settings, FIELD(nic_settings_t, timeout), cycles);
  dut_set_words(b->dut, "settings_i", b->settings, WORDS_OF(nic_settings_t, 1));
}

void nic_pause_limit(struct nic_bench *b, uint32_t cycles) {
  bits_put(b->settings, FIELD(nic_settings_t, pause_limit), cycles);
  dut_set_words(b->dut, "settings_i", b->settings, WORDS_OF(nic_settings_t, 1));
}

void nic_command(struct nic_bench *b, unsigned units, uint32_t count) {
  uint32_t commands[WORDS_OF(command_t, NIC_UNITS)] = {0};
  for (unsigned u = 0; u < NIC_UNITS; u++) {
    const size_t at = u * command_t__BITS;
    bits_put(commands, at + FIELD(command_t, source), NIC_LIST + u * NIC_LIST_ROOM);
    bits_put(commands, at + FIELD(command_t, dest), NIC_DEST);
    bits_put(commands, at + FIELD(command_t, count), count);
    bits_put(commands, at + FIELD(command_t, len), NIC_LEN);
    bits_put(commands, at + FIELD(command_t, stride), NIC_STRIDE);
  }
  dut_set_words(b->dut, "command_i", commands, WORDS_OF(command_t, NIC_UNITS));
  dut_set(b->dut, "command_valid_i", units);
  dut_eval(b->dut);
  assert_int_equal(dut_get(b->dut, "command_ready_o") & units, units);
  nic_cycle(b);
  dut_set(b->dut, "command_valid_i", 0);
}

int nic_setup(void **state) {
  struct nic_bench *b = calloc(1, sizeof *b);
  assert_non_null(b);
  host_init(&b->host, NIC_MEMORY, NIC_COLUMNS);
  b->dut = dut_new();
  bits_put(b->settings, FIELD(nic_settings_t, delay), 200);
  bits_put(b->settings, FIELD(nic_settings_t, own_node), NIC_OWN);
  bits_put(b->settings, FIELD(nic_settings_t, own__ip), 0x0A000000 + NIC_OWN);
  bits_put(b->settings, FIELD(nic_settings_t, serve__base), NIC_SERVE - ((uint64_t)NIC_OWN * NIC_PART << NIC_STRIDE));
  bits_put(b->settings, FIELD(nic_settings_t, serve__stride), NIC_STRIDE);
  bits_put(b->settings, FIELD(nic_settings_t, serve__first), NIC_OWN * NIC_PART);
  bits_put(b->settings, FIELD(nic_settings_t, serve__count), NIC_PART);
  nic_timeout(b, 0);
  dut_reset(b->dut);
  uint32_t node[WORDS_OF(node_write_t, 1)] = {0}, first[WORDS_OF(first_write_t, 1)] = {0};
  for (unsigned n = 0; n < NIC_NODES; n++) {
    bits_put(node, FIELD(node_write_t, valid), 1);
    bits_put(node, FIELD(node_write_t, node), n);
    bits_put(node, FIELD(node_write_t, address__ip), 0x0A000000 + n);
    bits_put(first, FIELD(first_write_t, valid), 1);
    bits_put(first, FIELD(first_write_t, node), n);
    bits_put(first, FIELD(first_write_t, first), n * NIC_PART);
    dut_set_words(b->dut, "node_i", node, WORDS_OF(node_write_t, 1));
    dut_set_words(b->dut, "first_i", first, WORDS_OF(first_write_t, 1));
    dut_eval(b->dut);
    dut_tick(b->dut);
  }
  bits_put(node, FIELD(node_write_t, valid), 0);
  bits_put(first, FIELD(first_write_t, valid), 0);
  dut_set_words(b->dut, "node_i", node, WORDS_OF(node_write_t, 1));
  dut_set_words(b->dut, "first_i", first, WORDS_OF(first_write_t, 1));
  for (unsigned i = 0; i < NIC_PART; i++)
    gather_property(NIC_OWN * NIC_PART + i, 1, b->host.memory + NIC_SERVE + ((size_t)i << NIC_STRIDE), NIC_LEN);
  *state = b;
  return 0;
}

int nic_teardown(void **state) {
  struct nic_bench *b = *state;
  host_free(&b->host);
  dut_free(b->dut);
  free(b);
  return 0;
}
