// Two switches behind a spine that loses nothing and pushes back instead: if it tells reads from responses they never wait for
// each other, however little room it has for each (docs/gather.md).
// DUT: gather_switch_sized -GNumPorts=4 -GNumPipes=2 -GNumNodes=16 -GCacheSets=4 -GExpiryDepth=128
//
// At first no node answers, so that both switches and both directions of the spine are full of reads; then responses must get through.
// Nodes take all responses, but no reads while their own responses cannot leave, as the NIC does.
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
#include "unit/gather/gather_prs.h"
#include "unit/gather/switch/switch_tables.h"

enum {
  PORTS = 4,   // the last one is that to the spine
  UP = PORTS - 1,
  RACK = PORTS - 1,   // nodes of a rack
  NODES = 2 * RACK,
  TABLE = 16,   // nodes that a switch knows of
  BEAT_WORDS = 16,
  LEN = 64,
  WINDOW = 1500,   // requests that a node has under way at most
  ASKS = 2 * WINDOW,
  COLUMNS = 4000,
  QUEUE = 8192,   // frames, more than there are PRs
  BUSY = 8,       // responses that cannot leave: a node takes no reads any more
  CLASSES = 2,
  STILL = 1500,   // cycles, more than anything waits for its time
  LATE = 5000     // until then memories of nodes answer nothing
};

struct frame {
  size_t len;
  uint8_t data[1536];
};

/// Frames in order; the first one leaves beat by beat, the last one comes so.
struct queue {
  struct frame *frames;
  size_t first, count, out;   // bytes of the first one that left
};

struct node {
  struct queue send[CLASSES];
  unsigned asked, under_way, got;
  uint64_t idx[ASKS];
  bool has[ASKS];
};

struct bench {
  struct dut *tors[2];
  struct node nodes[NODES];
  struct queue spine[2][CLASSES];   // from rack 0, from rack 1
  size_t room;                      // frames in each
  uint64_t now;
  unsigned turn[2][PORTS];        // class of the frame that goes in, or went in last
  struct frame parts[2][PORTS];   // frames that leave the switches
  uint64_t answered;              // reads that came to their node
};

// --- frames ---

static struct frame *place(struct queue *q) { return &q->frames[(q->first + q->count) % QUEUE]; }

static void put(struct queue *q, const uint8_t *data, size_t len) {
  assert_true(q->count < QUEUE && len <= sizeof q->frames->data);
  memcpy(place(q)->data, data, len);
  place(q)->len = len;
  q->count++;
}

static void open_queue(struct queue *q) {
  *q = (struct queue){.frames = calloc(QUEUE, sizeof *q->frames)};
  assert_non_null(q->frames);
}

static void send_pr(struct queue *q, const struct pr *pr) {
  static uint8_t data[GATHER_FRAME_ROOM];
  put(q, data, pr_packet(pr, 1, data));
}

// --- nodes ---

static unsigned rack_of(unsigned node) { return node / RACK; }

/// Asks for columns of the other rack, as many as may be under way.
static void ask(struct bench *b, unsigned self) {
  struct node *n = &b->nodes[self];
  for (; n->under_way < WINDOW && n->asked < ASKS; n->asked++, n->under_way++) {
    struct pr pr = {.src = self,
                    .dest = (1 - rack_of(self)) * RACK + gather_pick(RACK),
                    .tid = 1,
                    .idx = gather_pick(COLUMNS),
                    .id = n->asked,
                    .len = LEN};
    n->idx[n->asked] = pr.idx;
    send_pr(&n->send[0], &pr);
  }
}

/// A node takes whatever comes, and asks for no reads while its responses cannot leave.
static void take(struct bench *b, unsigned self, const uint8_t *data, size_t len) {
  struct pr prs[GATHER_MAX_PRS];
  struct node *n = &b->nodes[self];
  const size_t count = pr_unpack(data, len, prs);
  for (size_t i = 0; i < count; i++) {
    struct pr *pr = &prs[i];
    assert_int_equal(pr->dest, self);
    if (!pr->response) {
      pr->response = true;
      pr->dest = pr->src;
      gather_property(pr->idx, 0, pr->data, LEN);
      send_pr(&n->send[1], pr);
      b->answered++;
      continue;
    }
    uint8_t property[LEN];
    assert_true(pr->id < n->asked && !n->has[pr->id] && n->idx[pr->id] == pr->idx);
    gather_property(pr->idx, 0, property, LEN);
    assert_memory_equal(pr->data, property, LEN);
    n->has[pr->id] = true;
    n->got++;
    n->under_way--;
  }
}

// --- a cycle ---

/// What goes in at a port of a switch, of a class: from the spine's other direction, or from a node.
static struct queue *sender(struct bench *b, unsigned rack, unsigned port, unsigned class) {
  return port == UP ? &b->spine[1 - rack][class] : &b->nodes[rack * RACK + port].send[class];
}

static bool spine_is_full(const struct bench *b, unsigned rack, unsigned class) { return b->spine[rack][class].count >= b->room; }

/// What the switch is to send no more of, two bits a port.
static uint64_t pauses(const struct bench *b, unsigned rack) {
  uint64_t all = 0;
  for (unsigned c = 0; c < CLASSES; c++) all |= (uint64_t)spine_is_full(b, rack, c) << (CLASSES * UP + c);
  for (unsigned n = 0; n < RACK; n++) all |= (uint64_t)(b->nodes[rack * RACK + n].send[1].count > BUSY) << (CLASSES * n);
  return all;
}

/// Chooses the frame of a port that goes in next.
static bool choose(struct bench *b, unsigned rack, unsigned port, uint64_t paused) {
  unsigned *turn = &b->turn[rack][port];
  if (sender(b, rack, port, *turn)->out > 0) return true;
  for (unsigned i = 0; i < CLASSES; i++) {
    *turn = 1 - *turn;
    if (port != UP && *turn == 1 && b->now < LATE) continue;
    if (sender(b, rack, port, *turn)->count > 0 && !(paused >> (CLASSES * port + *turn) & 1)) return true;
  }
  return false;
}

static void show(struct bench *b, unsigned rack) {
  struct dut *d = b->tors[rack];
  uint32_t data[PORTS * BEAT_WORDS] = {0}, keep[PORTS * 2] = {0};
  uint64_t valid = 0, last = 0;
  dut_set(d, "pause_i", pauses(b, rack));
  dut_eval(d);
  const uint64_t paused = dut_get(d, "pause_o");
  for (unsigned p = 0; p < PORTS; p++) {
    if (!choose(b, rack, p, paused)) continue;
    const struct queue *q = sender(b, rack, p, b->turn[rack][p]);
    const struct frame *f = &q->frames[q->first];
    const size_t n = f->len - q->out < GATHER_BEAT ? f->len - q->out : GATHER_BEAT;
    valid |= 1u << p;
    if (q->out + n == f->len) last |= 1u << p;
    memcpy(&data[p * BEAT_WORDS], f->data + q->out, n);
    bits_put(keep, p * 64, 64, n == GATHER_BEAT ? UINT64_MAX : (UINT64_C(1) << n) - 1);
  }
  dut_set(d, "s_axis_tvalid", valid);
  dut_set(d, "s_axis_tlast", last);
  dut_set_words(d, "s_axis_tdata", data, PORTS * BEAT_WORDS);
  dut_set_words(d, "s_axis_tkeep", keep, PORTS * 2);
  dut_set(d, "m_axis_tready", (1u << PORTS) - 1);
  dut_eval(d);
}

/// Frames that leave; true if a beat did.
static bool leave(struct bench *b, unsigned rack) {
  struct dut *d = b->tors[rack];
  uint32_t data[PORTS * BEAT_WORDS], keep[PORTS * 2];
  const uint64_t out = dut_get(d, "m_axis_tvalid") & dut_get(d, "m_axis_tready"), last = dut_get(d, "m_axis_tlast");
  if (!out) return false;
  dut_get_words(d, "m_axis_tdata", data, PORTS * BEAT_WORDS);
  dut_get_words(d, "m_axis_tkeep", keep, PORTS * 2);
  for (unsigned p = 0; p < PORTS; p++) {
    if (!(out >> p & 1)) continue;
    struct frame *f = &b->parts[rack][p];
    const uint64_t bytes = bits_get(keep, p * 64, 64);
    const size_t n = bytes == UINT64_MAX ? GATHER_BEAT : (size_t)__builtin_ctzll(~bytes);
    assert_true(f->len + n <= sizeof f->data);
    memcpy(f->data + f->len, &data[p * BEAT_WORDS], n);
    f->len += n;
    if (!(last >> p & 1)) continue;
    if (p == UP) {
      put(&b->spine[rack][f->data[63] == 2], f->data, f->len);
    } else {
      take(b, rack * RACK + p, f->data, f->len);
    }
    f->len = 0;
  }
  return true;
}

/// Frames that were taken; true if a beat was.
static bool enter(struct bench *b, unsigned rack, uint64_t taken) {
  for (unsigned p = 0; p < PORTS; p++) {
    if (!(taken >> p & 1)) continue;
    struct queue *q = sender(b, rack, p, b->turn[rack][p]);
    q->out += q->frames[q->first].len - q->out < GATHER_BEAT ? q->frames[q->first].len - q->out : GATHER_BEAT;
    if (q->out < q->frames[q->first].len) continue;
    q->out = 0;
    q->first = (q->first + 1) % QUEUE;
    q->count--;
  }
  return taken != 0;
}

static bool cycle(struct bench *b) {
  bool moved = b->now++ < LATE;
  uint64_t taken[2];
  for (unsigned r = 0; r < 2; r++) {
    show(b, r);
    taken[r] = dut_get(b->tors[r], "s_axis_tready") & dut_get(b->tors[r], "s_axis_tvalid");
  }
  for (unsigned r = 0; r < 2; r++) {
    moved |= enter(b, r, taken[r]);
    moved |= leave(b, r);
    dut_tick(b->tors[r]);
  }
  return moved;
}

// --- runs ---

static struct dut *new_tor(unsigned rack, unsigned delay) {
  struct dut *d = dut_new();
  switch_settings(d, delay, LEN, PORTS, 0x020000475380 | rack, 0x0A478000u + rack, 0);
  dut_reset(d);
  for (unsigned n = 0; n < TABLE; n++) {
    switch_node(d, n, 0x020000475300 | n, 0x0A470000u + n, n < NODES && rack_of(n) == rack ? n % RACK : UP);
  }
  do {
    dut_eval(d);
    dut_tick(d);
  } while (dut_get(d, "clearing_o"));
  return d;
}

/// All nodes ask at once, and go on asking. True if all have what they want in the end, false if everything stands still.
static bool run(size_t room, unsigned delay, unsigned seed) {
  struct bench *b = calloc(1, sizeof *b);
  assert_non_null(b);
  b->room = room;
  srand(seed);
  for (unsigned i = 0; i < 2 * CLASSES; i++) open_queue(&b->spine[i / CLASSES][i % CLASSES]);
  for (unsigned i = 0; i < NODES * CLASSES; i++) open_queue(&b->nodes[i / CLASSES].send[i % CLASSES]);
  for (unsigned r = 0; r < 2; r++) b->tors[r] = new_tor(r, delay);
  unsigned done = 0;
  for (unsigned still = 0; done < NODES && still < STILL;) {
    done = 0;
    for (unsigned n = 0; n < NODES; n++) {
      ask(b, n);
      done += b->nodes[n].got == ASKS;
    }
    still = cycle(b) ? 0 : still + 1;
  }
  for (unsigned i = 0; i < NODES * CLASSES; i++) free(b->nodes[i / CLASSES].send[i % CLASSES].frames);
  for (unsigned i = 0; i < 2 * CLASSES; i++) free(b->spine[i / CLASSES][i % CLASSES].frames);
  for (unsigned r = 0; r < 2; r++) dut_free(b->tors[r]);
  free(b);
  return done == NODES;
}

/// Room for two packets of each class is enough.
static void classes_never_wait_for_each_other(void **state) {
  (void)state;
  assert_true(run(2, 0, 1));
  assert_true(run(2, 30, 2));
  assert_true(run(1, 0, 3));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(classes_never_wait_for_each_other)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
