#include "formal/protocol/locking/state.h"

#include <string.h>

// --- who is where ---

unsigned nodes_of(const struct locking_rules *rules) { return rules->shape == SHAPE_ALONE ? 1 : LOCKING_NODES; }

unsigned group_of(const struct locking_rules *rules, unsigned host) {
  (void)rules;
  return host % LOCKING_GROUPS;
}

unsigned node_of(const struct locking_rules *rules, unsigned host) {
  if (rules->shape == SHAPE_ALONE) return 0;
  return rules->shape == SHAPE_PAIRS ? 1 + host / 2 : host == 2 ? 2 : 1;
}

int hop_of(const struct locking_rules *rules, unsigned node, unsigned child) {
  if (child == TOP) return node == 0 ? -1 : (int)(LOCKING_HOSTS + node - 1);
  if (node == 0 && rules->shape != SHAPE_ALONE) return child < 2 ? (int)(LOCKING_HOSTS + child) : -1;
  for (unsigned h = 0; h < LOCKING_HOSTS; h++) {
    if (node_of(rules, h) == node && child-- == 0) return (int)h;
  }
  return -1;
}

unsigned children_of(const struct locking_rules *rules, unsigned node, unsigned group) {
  unsigned children = 0;
  for (unsigned c = 0; c < LOCKING_CHILDREN; c++) {
    const int hop = hop_of(rules, node, c);
    if (hop < 0) continue;
    const bool has =
        hop < LOCKING_HOSTS ? group_of(rules, (unsigned)hop) == group : goes_up(rules, (unsigned)hop - LOCKING_HOSTS + 1, group);
    if (has) children |= 1u << c;
  }
  return children;
}

bool goes_up(const struct locking_rules *rules, unsigned node, unsigned group) {
  bool inside = false, outside = false;
  for (unsigned h = 0; h < LOCKING_HOSTS; h++) {
    if (group_of(rules, h) != group) continue;
    inside |= node_of(rules, h) == node;
    outside |= node_of(rules, h) != node;
  }
  return node != 0 && inside && outside;
}

// --- hops ---

struct locking_message message_of(enum operation operation, unsigned group, unsigned sequence, enum verdict verdict) {
  return (struct locking_message){.what = (uint8_t)(1 + operation + 4 * group + 8 * sequence), .verdict = (uint8_t)verdict};
}

enum operation operation_of(struct locking_message m) { return (enum operation)((m.what - 1) & 3); }
unsigned group_in(struct locking_message m) { return (m.what - 1u) >> 2 & 1; }
unsigned sequence_in(struct locking_message m) { return (m.what - 1u) >> 3; }

unsigned packet_of(unsigned group, unsigned sequence, unsigned index, bool denied) {
  return 1 + denied + 2 * group + 4 * index + 8 * sequence;
}

bool low_room(const struct locking_message *fifo) { return fifo[LOW_ROOM - 1].what == 0; }

void low_push(struct locking_message *fifo, struct locking_message m) {
  while (fifo->what != 0) fifo++;
  *fifo = m;
}

void low_pop(struct locking_message *fifo) {
  memmove(fifo, fifo + 1, (LOW_ROOM - 1) * sizeof *fifo);
  fifo[LOW_ROOM - 1] = (struct locking_message){0};
}

bool stream_room(const struct locking_rules *rules, const uint8_t *fifo) { return fifo[rules->packets - 1] == 0; }

void stream_push(uint8_t *fifo, unsigned packet) {
  while (*fifo != 0) fifo++;
  *fifo = (uint8_t)packet;
}

void stream_pop(uint8_t *fifo) {
  memmove(fifo, fifo + 1, STREAM_ROOM - 1);
  fifo[STREAM_ROOM - 1] = 0;
}

bool hop_is_dead(const struct locking_state *s, unsigned hop) {
  return hop < LOCKING_HOSTS ? s->host[hop].dead : s->cut && hop == HOPS - 1;
}

// --- lock cells ---

enum verdict cell_take(struct locking_node *n, unsigned group, unsigned sequence, unsigned left) {
  if (n->cell.is != CELL_FREE) return VERDICT_LOCK_FAILED;
  n->cell.is = CELL_TAKEN;
  n->cell.group = (uint8_t)group;
  n->cell.sequence = (uint8_t)sequence;
  n->cell.left = (uint8_t)left;
  return VERDICT_OK;
}

static void cell_free(struct locking_node *n) { memset(&n->cell, 0, sizeof n->cell); }

void cell_settle(struct locking_node *n, unsigned group, unsigned sequence, bool keep) {
  if (n->cell.is != CELL_TAKEN || n->cell.group != group || n->cell.sequence != sequence) return;
  if (!keep) {
    cell_free(n);
    return;
  }
  n->cell.is = CELL_KEPT;
  n->cell.sequence = 0;   // nobody asks any more
}

void cell_release(struct locking_node *n, unsigned group) {
  if (n->cell.is != CELL_FREE && n->cell.group == group) cell_free(n);
}

bool cell_holds(const struct locking_node *n, unsigned group) { return n->cell.is == CELL_KEPT && n->cell.group == group; }

void cell_count(struct locking_node *n, unsigned group) {
  if (n->cell.is == CELL_FREE || n->cell.group != group || n->cell.left == 0) return;
  if (--n->cell.left == 0) cell_free(n);
}

unsigned lock_count(char letter) { return letter >= '1' && letter <= '9' ? (unsigned)(letter - '0') : 0; }
