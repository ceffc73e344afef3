// Fuzz target: a tree node whose neighbours say anything, in the right PSNs, with headers that are nearly right: no crash, no lock without an owner's
// request, and in the end, when nobody says anything any more, nothing is left in any tree that is not torn down.
//
// The input is a program: each operation takes the bytes it needs.
#include <string.h>

#include "fuzz/fuzz.h"
#include "model/tree/tree_node.h"

enum { PORTS = 4, TREES = 4, MTU = 256, FRAME = 1024, GROUPS = 3, MOST = 400, CELLS = 2 };
static const uint64_t patience = 1000000, timeout = 100000;

/// The input; behind its end come zeros.
struct tree_script {
  const uint8_t *next, *end;
};

static uint8_t byte(struct tree_script *in) { return in->next < in->end ? *in->next++ : 0; }
static unsigned below(struct tree_script *in, unsigned limit) { return byte(in) % limit; }

struct tree_fuzz {
  struct tree_node *node;
  struct rc_end_config ends[TREES][TREE_MAX_PORTS];
  uint32_t psn[TREES][PORTS];   ///< of the next packet to the node
  bool mute[PORTS];             ///< acknowledges nothing
  bool root;
  uint64_t now;
};

static struct conn_key key(unsigned port, unsigned tree, bool to_node) {
  struct conn_key k = {.src = {10, 0, 0, (uint8_t)port}, .dst = {10, 1, 0, 1}, .qpn = 0x100 * tree + port};
  if (!to_node) k = (struct conn_key){.src = {10, 1, 0, 1}, .dst = {10, 0, 0, (uint8_t)port}, .qpn = 0x800 + tree};
  return k;
}

static void make(struct tree_fuzz *f, bool root) {
  static const uint64_t children = 7;
  struct tree_of_node trees[TREES];
  struct group_of_node groups[GROUPS];
  *f = (struct tree_fuzz){.root = root};
  for (unsigned t = 0; t < TREES; t++) {
    trees[t] = (struct tree_of_node){.id = (uint16_t)(t + 1),
                                     .sat = t % 2 == 1,
                                     .partner = t ^ 1,
                                     .parent = root ? TREE_NO_PORT : 3,
                                     .neighbours = children | (root ? 0 : 8),
                                     .ends = f->ends[t]};
    for (unsigned p = 0; p < PORTS; p++)
      f->ends[t][p] =
          (struct rc_end_config){.out = key(p, t, false),
                                 .in = key(p, t, true),
                                 .mtu = MTU,
                                 .request = {.room = 8, .ack_every = 2, .timeout_ps = timeout, .retries = 2, .rnr_retries = 3},
                                 .respond = {.room = 8, .coalesce = 1, .rnr_timer = 1}};
  }
  for (unsigned g = 0; g < GROUPS; g++)
    groups[g] =
        (struct group_of_node){.id = (uint16_t)(g + 1), .tree = g == 2 ? 2 : 0, .children = g == 1 ? 5 : children, .up = !root};
  const struct tree_node_config c = {.id = 1,
                                     .ports = PORTS,
                                     .trees = trees,
                                     .tree_count = TREES,
                                     .groups = groups,
                                     .group_count = GROUPS,
                                     .lock_cells = CELLS,
                                     .patience_ps = patience,
                                     .patience_up_ps = 3 * patience};
  f->node = tree_node_new(&c);
  fuzz_must(f->node != NULL, "a node is made");
}

static void send(struct tree_fuzz *f, unsigned port, const struct roce_build *b) {
  static const uint8_t mac[6] = {2};
  uint8_t frame[FRAME];
  struct roce_build copy = *b;
  const size_t len = rc_build(&copy, mac, mac, frame, sizeof frame);
  fuzz_must(len > 0, "there is room for a frame");
  tree_node_receive(f->node, f->now, port, frame, len, false);
}

/// What the node sends is acknowledged, unless its neighbour is mute.
static void drain(struct tree_fuzz *f) {
  uint8_t frame[FRAME];
  for (bool moved = true; moved;) {
    moved = false;
    for (unsigned port = 0; port < PORTS; port++) {
      while (tree_node_ready(f->node, f->now, port)) {
        const size_t len = tree_node_next(f->node, f->now, port, frame, sizeof frame);
        struct roce_packet p;
        roce_parse(frame, len, &p);
        fuzz_must(p.class == ROCE_CANDIDATE || p.opcode == ROCE_ACK, "what leaves is RC with a right ICRC");
        moved = true;
        if (p.class != ROCE_CANDIDATE || f->mute[port]) continue;
        const uint8_t aeth[AETH_BYTES] = {AETH_ACK};
        const struct roce_build ack = {.key = key(port, p.key.qpn - 0x800, true),
                                       .opcode = ROCE_ACK,
                                       .psn = p.psn,
                                       .payload = aeth,
                                       .payload_len = sizeof aeth};
        send(f, port, &ack);
      }
    }
  }
}

/// From one thing that is due to the next.
static void pass(struct tree_fuzz *f, uint64_t ps) {
  const uint64_t end = f->now + ps;
  while (f->now < end) {
    const uint64_t due = tree_node_deadline(f->node, f->now);
    f->now = due >= end ? end : due > f->now ? due : f->now + 1;
    if (due <= f->now) tree_node_tick(f->node, f->now);
    drain(f);
  }
}

/// A packet with a header that is nearly right.
static size_t header(struct tree_script *in, unsigned tree, unsigned port, uint8_t data[MTU]) {
  static const uint32_t lengths[] = {0, 4, 300, 1024, 1028, 5000, 0xFFFFFFFC};
  struct tree_header h = {.kind = port == 3 ? TREE_DOWN : TREE_UP,
                          .operation = (enum tree_operation)below(in, TREE_OPERATIONS),
                          .tree = (uint16_t)(tree + 1),
                          .group = (uint16_t)(below(in, 8) == 0 ? 9 : 1 + below(in, GROUPS)),
                          .sequence = below(in, 4),
                          .count = below(in, 3)};
  const unsigned choice = byte(in);
  h.flags = choice & 3;
  h.length = h.flags & TREE_CARRIES ? lengths[(choice >> 2) % 7] : 0;
  if (h.operation == TREE_ALL_REDUCE && (choice & 0x40)) h.flags = TREE_CARRIES | TREE_WANTS, h.length = 300;
  if (choice >> 5 == 7) h.verdict = (enum tree_verdict)below(in, TREE_VERDICTS);
  if (choice == 0xAA) h.kind = (enum tree_kind)(1 + below(in, 3));
  if (choice == 0x55) h.tree = (uint16_t)below(in, 8);
  tree_put(data, &h);
  return TREE_BYTES + (h.length < MTU - TREE_BYTES ? h.length : MTU - TREE_BYTES);
}

static void packet(struct tree_fuzz *f, struct tree_script *in) {
  static const uint8_t opcodes[] = {ROCE_SEND_ONLY,   ROCE_SEND_ONLY, ROCE_SEND_FIRST,
                                    ROCE_SEND_MIDDLE, ROCE_SEND_LAST, ROCE_WRITE_ONLY};
  const unsigned where = byte(in), port = where % PORTS, tree = where / PORTS % TREES;
  uint8_t data[MTU] = {0};
  struct roce_build b = {.key = key(port, tree, true),
                         .opcode = opcodes[below(in, 6)],
                         .psn = f->psn[tree][port] & PSN_MASK,
                         .payload = data};
  b.payload_len = roce_is_first(b.opcode) ? header(in, tree, port, data) : rc_is_last(b.opcode) ? byte(in) : MTU;
  if (b.opcode == ROCE_SEND_FIRST) b.payload_len = MTU;
  const unsigned skip = below(in, 40);
  if (skip == 1) b.psn = (b.psn + 1) & PSN_MASK;
  if (skip == 2) b.payload_len = 0;
  f->psn[tree][port] += skip != 1;
  send(f, port, &b);
}

static void locks_are_sound(const struct tree_node *n) {
  const struct tree_locks *l = tree_node_locks(n);
  for (unsigned i = 0; i < l->cells; i++) {
    if (!l->lock[i].used) continue;
    fuzz_must(l->lock[i].tree % 2 == 0 && l->lock[i].left > 0, "a lock is of a streaming tree, and has operations left");
    for (unsigned k = 0; k < i; k++) fuzz_must(!l->lock[k].used || l->lock[k].tree != l->lock[i].tree, "a tree is locked once");
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct tree_script in = {data, data + size};
  struct tree_fuzz f;
  make(&f, byte(&in) % 2 == 0);
  for (unsigned i = 0; i < MOST && in.next < in.end; i++) {
    const unsigned what = byte(&in);
    if (what < 220)
      packet(&f, &in);
    else if (what < 235)
      pass(&f, (uint64_t)byte(&in) * timeout / 4);
    else if (what < 245)
      f.mute[what % PORTS] = !f.mute[what % PORTS];
    drain(&f);
    locks_are_sound(f.node);
  }
  memset(f.mute, 0, sizeof f.mute);
  pass(&f, 20 * patience);
  const struct tree_locks *l = tree_node_locks(f.node);
  for (unsigned i = 0; i < l->cells; i++) fuzz_must(!l->lock[i].used || l->lock[i].kept, "no request is on its way for ever");
  fuzz_must(tree_node_quiet(f.node), "nothing is left");
  tree_node_free(f.node);
  return 0;
}
