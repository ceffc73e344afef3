// The network interface from lists in memory to frames and back: two units gather at the same time over a network in C that
// answers frame by frame, while other nodes read what the interface serves.
// DUT: gather_nic -GNumNodes=8 -GNumUnits=2 -GIndexBits=20 -GPending=64
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "drive/dut.h"
#include "unit/bits.h"
#include "unit/gather_prs.h"
#include "unit/host_port.h"
#include "wire/bytes.h"
#include "wire/roce.h"

enum { NODES = 8, UNITS = 2, OWN = 3, COLUMNS = 4096, PART = COLUMNS / NODES, LEN = 64, STRIDE = 6, MEMORY = 0x1000000 };
enum { LIST = 0x100000, DEST = 0x400000, SERVE = 0x800000, LIST_ROOM = 0x40000, FRAMES = 4096, BEAT_WORDS = 16 };
enum { FAR = 100 };   ///< requests of other nodes have this tid
enum {
  RX,
  IN_ERROR,
  OVERSIZE,
  BAD_ICRC,
  TAKEN,
  FOREIGN,
  BAD_TYPE,
  BAD_LENGTH,
  BAD_DEST,
  SENT,
  FULL,
  LATE,
  LENGTH,
  ROOM,
  NO_UNIT,
  SERVED
};
enum { NOT_SERVED = 19, PORT_COUNTERS };

struct frame {
  uint64_t due;
  size_t len;
  uint8_t *data;
};

struct bench {
  struct dut *dut;
  struct host host;
  struct frame frames[FRAMES];   ///< to the interface, oldest first
  size_t in, out, beat;
  uint8_t leaving[2048];
  size_t leaving_len;
  unsigned stall;
  unsigned flood;              ///< reads that come ahead of the answers to each frame
  unsigned blocked;            ///< ports of the host that take nothing, a bit each: reads, writes, look-ups, marks
  unsigned may_fail, failed;   ///< gathers
  uint64_t requested, asked_of_us, answered, frames_out, prs_out;
  unsigned done[UNITS];
};

static struct frame *send_frame(struct bench *b, const struct pr *prs, size_t count) {
  static uint8_t room[GATHER_FRAME_ROOM];
  assert_true(b->in - b->out < FRAMES);
  struct frame *f = &b->frames[b->in++ % FRAMES];
  f->len = pr_packet(prs, count, room);
  f->data = malloc(f->len);
  f->due = dut_cycle(b->dut) + 30 + gather_pick(50);
  memcpy(f->data, room, f->len);
  return f;
}

/// Another node reads one property of ours.
static void ask_us(struct bench *b) {
  struct pr pr;
  gather_random_pr(&pr, false, NODES, LEN);
  pr.dest = OWN;
  pr.tid = FAR;
  pr.idx = OWN * PART + gather_pick(PART);
  pr.src = (OWN + 1 + gather_pick(NODES - 1)) % NODES;
  send_frame(b, &pr, 1);
  b->asked_of_us++;
}

/// What leaves is a packet of reads, which other nodes answer with one or more packets, or our answers to them.
static void take_frame(struct bench *b) {
  struct pr prs[GATHER_MAX_PRS], answers[GATHER_MAX_PRS];
  const size_t count = pr_unpack(b->leaving, b->leaving_len, prs);
  size_t n = 0;
  assert_int_equal(get_be32(b->leaving + 30), 0x0A000000 + prs[0].dest);
  assert_int_equal(get_be32(b->leaving + 26), 0x0A000000 + OWN);
  b->frames_out++;
  b->prs_out += count;
  for (unsigned i = 0; i < b->flood && !prs[0].response; i++) ask_us(b);
  for (size_t i = 0; i < count; i++) {
    if (prs[i].response) {
      uint8_t want[LEN];
      gather_property(prs[i].idx, 1, want, LEN);
      assert_int_equal(prs[i].tid, FAR);
      assert_int_equal(prs[i].src, prs[i].dest);
      assert_int_equal(prs[i].len, LEN);
      assert_memory_equal(prs[i].data, want, LEN);
      b->answered++;
      continue;
    }
    assert_int_equal(prs[i].dest, prs[i].idx / PART);
    assert_int_equal(prs[i].src, OWN);
    b->requested++;
    answers[n] = prs[i];
    answers[n].response = true;
    answers[n].dest = OWN;
    gather_property(prs[i].idx, 0, answers[n].data, LEN);
    if (++n == 17 || i + 1 == count || gather_pick(10) == 0) {
      send_frame(b, answers, n);
      n = 0;
    }
  }
}

static void drive_host(struct bench *b, uint64_t now, const bool ready[4]) {
  struct dut *d = b->dut;
  uint32_t w[BEAT_WORDS];
  const uint8_t *data = host_answer(&b->host.reads, now), *known = host_answer(&b->host.looks, now);
  dut_set(d, "mem_data_valid_i", data != NULL);
  if (data) {
    memcpy(w, data, sizeof w);
    dut_set_words(d, "mem_data_i", w, BEAT_WORDS);
  }
  dut_set(d, "mem_written_i", host_answer(&b->host.writes, now) != NULL);
  dut_set(d, "filter_bit_valid_i", known != NULL);
  dut_set(d, "filter_bit_i", known ? *known : 0);
  dut_set(d, "mem_read_ready_i", ready[0]);
  dut_set(d, "mem_write_ready_i", ready[1]);
  dut_set(d, "filter_look_ready_i", ready[2]);
  dut_set(d, "filter_mark_ready_i", ready[3]);
}

static void serve_host(struct bench *b, uint64_t now, const bool ready[4]) {
  struct dut *d = b->dut;
  uint32_t w[BEAT_WORDS];
  if (ready[0] && dut_get(d, "mem_read_valid_o")) {
    host_read(&b->host, now, dut_get(d, "mem_read_addr_o"), dut_get(d, "mem_read_bytes_o"));
  }
  if (ready[1] && dut_get(d, "mem_write_valid_o")) {
    dut_get_words(d, "mem_write_data_o", w, BEAT_WORDS);
    host_write(&b->host, now, dut_get(d, "mem_write_addr_o"), dut_get(d, "mem_write_bytes_o"), (const uint8_t *)w);
  }
  if (ready[2] && dut_get(d, "filter_look_valid_o")) host_look(&b->host, now, dut_get(d, "filter_look_idx_o"));
  if (ready[3] && dut_get(d, "filter_mark_valid_o")) host_mark(&b->host, dut_get(d, "filter_mark_idx_o"));
}

static void cycle(struct bench *b) {
  struct dut *d = b->dut;
  const uint64_t now = dut_cycle(d);
  bool ready[4];
  for (unsigned p = 0; p < 4; p++) ready[p] = host_ready(&b->host) && !(b->blocked >> p & 1);
  uint32_t w[BEAT_WORDS] = {0};
  drive_host(b, now, ready);
  const struct frame *f = &b->frames[b->out % FRAMES];
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
  dut_set(d, "done_ready_i", 3);
  dut_eval(d);
  serve_host(b, now, ready);
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
  const uint64_t done = dut_get(d, "done_valid_o");
  for (unsigned u = 0; u < UNITS; u++) {
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

static uint64_t counter(struct bench *b, unsigned which) {
  uint32_t w[PORT_COUNTERS];
  dut_get_words(b->dut, "count_port_o", w, PORT_COUNTERS);
  return w[which];
}

/// Starts gathers of `count` indices in some units, a bit each.
static void command(struct bench *b, unsigned units, uint32_t count) {
  uint32_t list[4] = {0}, dest[4] = {0}, counts[2], lens[1] = {0}, strides[1] = {0};
  for (unsigned u = 0; u < UNITS; u++) {
    bits_put(list, 64 * u, 64, LIST + u * LIST_ROOM);
    bits_put(dest, 64 * u, 64, DEST);
    counts[u] = count;
    bits_put(lens, 11 * u, 11, LEN);
    bits_put(strides, 4 * u, 4, STRIDE);
  }
  dut_set_words(b->dut, "command_list_i", list, 4);
  dut_set_words(b->dut, "command_dest_i", dest, 4);
  dut_set_words(b->dut, "command_count_i", counts, 2);
  dut_set_words(b->dut, "command_len_i", lens, 1);
  dut_set_words(b->dut, "command_stride_i", strides, 1);
  dut_set(b->dut, "command_valid_i", units);
  dut_eval(b->dut);
  assert_int_equal(dut_get(b->dut, "command_ready_o") & units, units);
  cycle(b);
  dut_set(b->dut, "command_valid_i", 0);
}

static int setup(void **state) {
  struct bench *b = calloc(1, sizeof *b);
  assert_non_null(b);
  host_init(&b->host, MEMORY, COLUMNS);
  b->dut = dut_new();
  dut_set(b->dut, "delay_i", 200);
  dut_set(b->dut, "own_node_i", OWN);
  dut_set(b->dut, "own_ip_i", 0x0A000000 + OWN);
  dut_set(b->dut, "serve_base_i", SERVE - ((uint64_t)OWN * PART << STRIDE));
  dut_set(b->dut, "serve_stride_i", STRIDE);
  dut_set(b->dut, "serve_first_i", OWN * PART);
  dut_set(b->dut, "serve_count_i", PART);
  dut_reset(b->dut);
  for (unsigned n = 0; n < NODES; n++) {
    dut_set(b->dut, "node_we_i", 1);
    dut_set(b->dut, "node_i", n);
    dut_set(b->dut, "node_ip_i", 0x0A000000 + n);
    dut_set(b->dut, "node_first_i", n * PART);
    dut_eval(b->dut);
    dut_tick(b->dut);
  }
  dut_set(b->dut, "node_we_i", 0);
  for (unsigned i = 0; i < PART; i++) gather_property(OWN * PART + i, 1, b->host.memory + SERVE + ((size_t)i << STRIDE), LEN);
  *state = b;
  return 0;
}

static int teardown(void **state) {
  struct bench *b = *state;
  host_free(&b->host);
  dut_free(b->dut);
  free(b);
  return 0;
}

static void gathers(void **state) {
  struct bench *b = *state;
  enum { COUNT = 3000 };
  for (unsigned round = 0; round < 4; round++) {
    static bool wanted[COLUMNS];
    memset(wanted, 0, sizeof wanted);
    memset(b->host.filter, 0, COLUMNS * sizeof *b->host.filter);
    memset(b->host.memory + DEST, 0, (size_t)COLUMNS << STRIDE);
    b->host.stall = round & 1 ? 3 : 0;
    b->stall = round & 2 ? 3 : 0;
    for (unsigned u = 0; u < UNITS; u++) {
      for (unsigned i = 0; i < COUNT; i++) {
        const uint64_t idx = gather_pick(COLUMNS);
        memcpy(b->host.memory + LIST + u * LIST_ROOM + 8 * (size_t)i, &idx, 8);
        wanted[idx] = true;
      }
    }
    command(b, 3, COUNT);
    for (uint64_t start = dut_cycle(b->dut); b->done[0] <= round || b->done[1] <= round;) {
      assert_true(dut_cycle(b->dut) - start < 300000);
      if (gather_pick(8) == 0 && b->in - b->out < 1000) ask_us(b);
      cycle(b);
    }
    for (unsigned i = 0; i < 20000 || b->in != b->out; i++) cycle(b);
    for (uint64_t idx = 0; idx < COLUMNS; idx++) {
      uint8_t want[LEN];
      const bool here = wanted[idx] && idx / PART != OWN;
      assert_int_equal(b->host.filter[idx], here);
      gather_property(idx, 0, want, LEN);
      if (here) assert_memory_equal(b->host.memory + DEST + (idx << STRIDE), want, LEN);
    }
  }
  assert_int_equal(b->answered, b->asked_of_us);
  assert_int_equal(counter(b, SERVED), b->asked_of_us);
  assert_int_equal(counter(b, TAKEN), counter(b, RX));
  assert_int_equal(counter(b, SENT), b->frames_out);
  assert_int_equal(counter(b, FULL) + counter(b, LATE) + counter(b, LENGTH) + counter(b, ROOM), b->frames_out);
  assert_true(b->asked_of_us > 1000 && b->requested > 10000);
  print_message("%u reads sent, %u served, %.1f PRs a packet\n", (unsigned)b->requested, (unsigned)b->answered,
                (double)b->prs_out / (double)b->frames_out);
}

/// The network takes nothing any more, and more reads than the server has room for come ahead of the answers: gathers end all the
/// same, or two interfaces that read from each other could wait for each other for ever.
static void responses_pass_blocked_reads(void **state) {
  struct bench *b = *state;
  enum { COUNT = 40 };
  b->flood = 300;
  for (unsigned u = 0; u < UNITS; u++) {
    for (unsigned i = 0; i < COUNT; i++) {
      const uint64_t idx = (uint64_t)(OWN + 1 + i % 4) % NODES * PART + u * COUNT + i;
      memcpy(b->host.memory + LIST + u * LIST_ROOM + 8 * (size_t)i, &idx, 8);
    }
  }
  command(b, 3, COUNT);
  for (unsigned i = 0; i < 5000 && b->requested < UNITS * COUNT; i++) cycle(b);
  assert_int_equal(b->requested, UNITS * COUNT);
  b->stall = 1;
  for (unsigned i = 0; i < 20000 && (b->done[0] == 0 || b->done[1] == 0); i++) cycle(b);
  assert_true(b->done[0] == 1 && b->done[1] == 1);
  assert_true(b->asked_of_us > 1000 && b->answered < b->asked_of_us - 200);
  b->stall = 0;
  for (unsigned i = 0; i < 20000; i++) cycle(b);
  assert_int_equal(b->answered, b->asked_of_us);
}

/// A gather that fails while host or filter take nothing from it leaves their ports to the others when they do again.
static void a_gather_that_fails_keeps_no_port(void **state) {
  struct bench *b = *state;
  enum { COUNT = 40, TIMEOUT = 3000 };
  for (unsigned u = 0; u < UNITS; u++) {
    for (unsigned i = 0; i < COUNT; i++) {
      const uint64_t idx = (uint64_t)(OWN + 1 + i % 4) % NODES * PART + u * COUNT + i;
      memcpy(b->host.memory + LIST + u * LIST_ROOM + 8 * (size_t)i, &idx, 8);
    }
  }
  for (unsigned port = 0; port < 4; port++) {
    b->blocked = 1u << port;
    b->may_fail++;
    dut_set(b->dut, "timeout_i", TIMEOUT);
    command(b, 1, COUNT);
    for (unsigned i = 0; i < TIMEOUT + 500; i++) cycle(b);
    b->blocked = 0;
    dut_set(b->dut, "timeout_i", 0);
    for (unsigned i = 0; i < 500; i++) cycle(b);
    assert_int_equal(b->failed, b->may_fail);
    const unsigned before = b->done[1];
    memset(b->host.filter, 0, COLUMNS * sizeof *b->host.filter);
    command(b, 2, COUNT);
    ask_us(b);
    for (unsigned i = 0; i < 5000; i++) cycle(b);
    assert_int_equal(b->done[1], before + 1);
    assert_int_equal(b->answered, b->asked_of_us);
  }
}

/// Packets for others, and responses for a unit that there is not.
static void not_for_us(void **state) {
  struct bench *b = *state;
  struct pr pr;
  gather_random_pr(&pr, true, NODES, LEN);
  pr.dest = OWN + 1;
  send_frame(b, &pr, 1);
  pr.dest = OWN;
  pr.tid = UNITS;
  send_frame(b, &pr, 1);
  pr.response = false;
  pr.src = NODES;
  send_frame(b, &pr, 1);
  for (unsigned i = 0; i < 500; i++) cycle(b);
  assert_int_equal(counter(b, BAD_DEST), 1);
  assert_int_equal(counter(b, NO_UNIT), 2);
  assert_int_equal(b->frames_out, 0);
}

/// Lengths and counts that are right only modulo a power of two: nothing is read or written for such a packet.
static void crafted_lengths(void **state) {
  struct bench *b = *state;
  static const struct {
    bool response;
    uint32_t prs, len, count;   // PRs of 64 bytes that are in the packet; what it says
  } crafted[] = {{true, 1, LEN, UINT32_C(0x80000001)},
                 {true, 2, UINT32_C(0x80000040), 2},
                 {true, 1, UINT32_C(0xFFFFFFFE), 1},
                 {true, 1, UINT32_C(0xFFFFFFFF), 1},
                 {true, 1, 0x10040, 1},
                 {true, 1, 0x840, 1},
                 {true, 1, LEN, 0x81},
                 {true, 1, LEN, UINT32_MAX},
                 {true, 1, LEN, 0},
                 {false, 1, LEN, UINT32_C(0x80000001)},
                 {false, 1, UINT32_C(0xFFFFFFFE), 1},
                 {false, 1, 0x10040, 1},
                 {false, 1, 0x402, 1},
                 {false, 1, 0, 1}};
  enum { CRAFTED = sizeof crafted / sizeof *crafted };
  uint8_t *before = malloc(MEMORY);
  assert_non_null(before);
  memcpy(before, b->host.memory, MEMORY);
  for (size_t i = 0; i < CRAFTED; i++) {
    struct pr prs[2];
    struct roce_packet at;
    for (size_t p = 0; p < 2; p++) {
      gather_random_pr(&prs[p], crafted[i].response, NODES, LEN);
      prs[p].dest = OWN;
      prs[p].tid = 0;
      prs[p].idx = OWN * PART;
    }
    struct frame *f = send_frame(b, prs, crafted[i].prs);
    put_be32(f->data + GATHER_UPPER + 6, crafted[i].len);
    put_be32(f->data + GATHER_UPPER + 10, crafted[i].count);
    roce_parse(f->data, f->len, &at);
    icrc_put(f->data, &at);
  }
  for (unsigned i = 0; i < 2000; i++) cycle(b);
  assert_int_equal(counter(b, BAD_LENGTH), CRAFTED);
  assert_int_equal(counter(b, SERVED) + counter(b, NOT_SERVED) + b->frames_out, 0);
  assert_memory_equal(before, b->host.memory, MEMORY);
  free(before);
}

/// Reads of what is no property of this node get no answer, however the address would wrap, and those behind them do.
static void reads_of_what_is_not_served(void **state) {
  struct bench *b = *state;
  const uint64_t first = OWN * PART;
  const struct {
    uint64_t idx;
    unsigned len;
  } wrong[] = {{first - 1, LEN},
               {first + PART, LEN},
               {first + (UINT64_C(1) << 32), LEN},
               {first + (UINT64_C(1) << (64 - STRIDE)), LEN},
               {first | UINT64_C(1) << 63, LEN},
               {UINT64_MAX, LEN},
               {0, LEN},
               {first + PART - 1, LEN + 2},
               {first, GATHER_MAX_LEN}};
  enum { WRONG = sizeof wrong / sizeof *wrong };
  for (size_t i = 0; i < WRONG; i++) {
    struct pr pr;
    gather_random_pr(&pr, false, NODES, wrong[i].len);
    pr.dest = OWN;
    pr.src = OWN + 1;
    pr.idx = wrong[i].idx;
    send_frame(b, &pr, 1);
    ask_us(b);
  }
  for (unsigned i = 0; i < 5000; i++) cycle(b);
  assert_int_equal(counter(b, NOT_SERVED), WRONG);
  assert_int_equal(counter(b, SERVED), WRONG);
  assert_int_equal(b->answered, WRONG);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(gathers, setup, teardown),
                                     cmocka_unit_test_setup_teardown(responses_pass_blocked_reads, setup, teardown),
                                     cmocka_unit_test_setup_teardown(a_gather_that_fails_keeps_no_port, setup, teardown),
                                     cmocka_unit_test_setup_teardown(not_for_us, setup, teardown),
                                     cmocka_unit_test_setup_teardown(crafted_lengths, setup, teardown),
                                     cmocka_unit_test_setup_teardown(reads_of_what_is_not_served, setup, teardown)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
