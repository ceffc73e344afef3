// Two switches behind a spine that loses nothing and pushes back instead: with little room in the spine they wait for each
// other, and with room for all that the nodes of one rack can ask for at a time they never do (docs/gather.md).
// DUT: gather_switch_sized -GNumPorts=4 -GNumPipes=2 -GNumNodes=16 -GCacheSets=4 -GExpiryDepth=128
//
// A circle takes both directions of the spine full of packets, and packets in both switches that want to go there. Each packet
// has a request in it, and each request is in one place only: so there is none if the two directions have room for all requests
// that are under way at a time. Nodes take whatever they are sent, as the NIC does (docs/gather.md).
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
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
  WINDOW = 128,   // requests that a node has under way at most
  ASKS = 3 * WINDOW,
  COLUMNS = 4000,
  QUEUE = 2048,   // frames, more than there are PRs
  STILL = 1500    // cycles, more than anything waits for its time
};

struct frame {
  size_t len;
  uint8_t data[2048];
};

/// Frames in order; the first one leaves beat by beat, the last one comes so.
struct queue {
  struct frame *frames;
  size_t first, count, out, in;   // bytes of the first one that left, and of the one behind the last one that came
};

struct node {
  struct queue send;
  unsigned asked, under_way, got;
  uint64_t idx[ASKS];
  bool has[ASKS];
};

struct bench {
  struct dut *tors[2];
  struct node nodes[NODES];
  struct queue spine[2];          // from rack 0, from rack 1
  size_t room;                    // frames in each
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
    send_pr(&n->send, &pr);
  }
}

/// A node takes whatever comes.
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
      send_pr(&n->send, pr);
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

/// Who sends to a port of a switch, and who takes what it sends there: the spine's two directions, or a node.
static struct queue *sender(struct bench *b, unsigned rack, unsigned port) {
  return port == UP ? &b->spine[1 - rack] : &b->nodes[rack * RACK + port].send;
}

static void show(struct bench *b, unsigned rack) {
  struct dut *d = b->tors[rack];
  uint32_t data[PORTS * BEAT_WORDS] = {0}, keep[PORTS * 2] = {0};
  uint64_t valid = 0, last = 0;
  for (unsigned p = 0; p < PORTS; p++) {
    const struct queue *q = sender(b, rack, p);
    if (q->count == 0) continue;
    const struct frame *f = &q->frames[q->first];
    const size_t n = f->len - q->out < GATHER_BEAT ? f->len - q->out : GATHER_BEAT;
    valid |= 1u << p;
    if (q->out + n == f->len) last |= 1u << p;
    memcpy(&data[p * BEAT_WORDS], f->data + q->out, n);
    bits_put(keep, p * 64, 64, n == GATHER_BEAT ? UINT64_MAX : (UINT64_C(1) << n) - 1);
  }
  const struct queue *up = &b->spine[rack];
  const bool room = up->in > 0 || up->count < b->room;
  dut_set(d, "s_axis_tvalid", valid);
  dut_set(d, "s_axis_tlast", last);
  dut_set_words(d, "s_axis_tdata", data, PORTS * BEAT_WORDS);
  dut_set_words(d, "s_axis_tkeep", keep, PORTS * 2);
  dut_set(d, "m_axis_tready", ((1u << UP) - 1) | (unsigned)room << UP);
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
    if (p == UP) b->spine[rack].in = f->len;
    if (!(last >> p & 1)) continue;
    if (p == UP) {
      put(&b->spine[rack], f->data, f->len);
      b->spine[rack].in = 0;
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
    struct queue *q = sender(b, rack, p);
    q->out += q->frames[q->first].len - q->out < GATHER_BEAT ? q->frames[q->first].len - q->out : GATHER_BEAT;
    if (q->out < q->frames[q->first].len) continue;
    q->out = 0;
    q->first = (q->first + 1) % QUEUE;
    q->count--;
  }
  return taken != 0;
}

static bool cycle(struct bench *b) {
  bool moved = false;
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
  switch_settings(d, delay, LEN, PORTS, 0x020000475380 | rack, 0x0A478000u + rack);
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
  for (unsigned r = 0; r < 2; r++) {
    b->tors[r] = new_tor(r, delay);
    open_queue(&b->spine[r]);
  }
  for (unsigned n = 0; n < NODES; n++) open_queue(&b->nodes[n].send);
  unsigned done = 0;
  for (unsigned still = 0; done < NODES && still < STILL;) {
    done = 0;
    for (unsigned n = 0; n < NODES; n++) {
      ask(b, n);
      done += b->nodes[n].got == ASKS;
    }
    still = cycle(b) ? 0 : still + 1;
  }
  for (unsigned n = 0; n < NODES; n++) free(b->nodes[n].send.frames);
  for (unsigned r = 0; r < 2; r++) {
    free(b->spine[r].frames);
    dut_free(b->tors[r]);
  }
  free(b);
  return done == NODES;
}

/// Little room: both switches have a packet for the spine, whose packets wait for the switches.
static void little_room_closes_a_circle(void **state) {
  (void)state;
  assert_false(run(2, 0, 1));
}

/// Room in each direction for as many packets as the nodes of a rack have requests under way: the two together have room for all.
static void room_for_all_requests_of_a_rack(void **state) {
  (void)state;
  for (unsigned seed = 1; seed <= 3; seed++) {
    assert_true(run(RACK * WINDOW, 0, seed));
    assert_true(run(RACK * WINDOW, 30, seed));
  }
}

/// How much less is enough here, as the switches have room of their own. No test but a measurement, for who asks for it.
static int smallest_room(void) {
  for (unsigned delay = 0; delay <= 30; delay += 30) {
    size_t stuck = 2, enough = RACK * WINDOW;
    while (enough - stuck > 1) {
      const size_t middle = (stuck + enough) / 2;
      *(run(middle, delay, 1) ? &enough : &stuck) = middle;
    }
    printf("delay %u: a circle with room for %zu packets, none with %zu; %u requests of a rack under way\n", delay, stuck, enough,
           RACK * WINDOW);
  }
  return 0;
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(little_room_closes_a_circle),
                                     cmocka_unit_test(room_for_all_requests_of_a_rack)};
  if (argc > 1 && strcmp(argv[1], "measure") == 0) return smallest_room();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
