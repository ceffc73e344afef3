// Connections that the device has retired because of their age: which frame was the last one before.
#include "model/scoreboard.h"

#include <stdlib.h>

#include "base/memory.h"
#include "model/scoreboard_state.h"

static void drop(struct aged **at) {
  struct aged *a = *at;
  *at = a->next;
  free(a);
}

void scoreboard_aged_forget(struct scoreboard *sb) {
  while (sb->aged != NULL) drop(&sb->aged);
}

void scoreboard_aged(struct scoreboard *sb, unsigned ring, unsigned rank) {
  struct conn_key key;
  if (!model_speaker(sb->model, ring, rank, &key)) {
    scoreboard_report(sb, "ring %u rank %u: its connection is retired because of its age, but it has none", ring, rank);
    return;
  }
  struct aged *a = need(calloc(1, sizeof *a + sb->limits.ports * sizeof *a->upto));
  a->ring = ring;
  a->rank = rank;
  a->key = key;
  for (unsigned p = 0; p < sb->limits.ports; p++) a->upto[p] = sb->ports[p].in.count;
  a->next = sb->aged;
  sb->aged = a;
}

/// A packet whose fate depends on it: of this connection, or of one that claims its place.
static bool concerns(const struct scoreboard *sb, const struct aged *a, const struct item *i) {
  const struct roce_packet *p = &i->packet;
  if (!i->candidate) return false;
  return conn_key_equal(&p->key, &a->key) || (p->tagged && p->ina.rank == a->rank && model_names_ring(sb->model, p, a->ring));
}

/// True if a frame that was in as the connection was retired, and depends on it, is not decided yet.
static bool too_early(const struct scoreboard *sb, const struct aged *a) {
  for (unsigned p = 0; p < sb->limits.ports; p++)
    for (const struct item *i = sb->ports[p].in.head; i != NULL && i->number <= a->upto[p]; i = i->next)
      if (concerns(sb, a, i)) return true;
  return false;
}

void scoreboard_aged_retire(struct scoreboard *sb) {
  for (struct aged **at = &sb->aged; *at != NULL;) {
    struct aged *a = *at;
    if (a->taken_back || too_early(sb, a)) {
      at = &a->next;
      continue;
    }
    model_retire(sb->model, &a->key);
    drop(at);
  }
}

void scoreboard_aged_decide(struct scoreboard *sb, unsigned port, enum fate fate) {
  scoreboard_aged_retire(sb);
  const struct roce_packet *p = &sb->ports[port].in.head->packet;
  for (struct aged **at = &sb->aged; *at != NULL;) {
    struct aged *a = *at;
    const bool own = conn_key_equal(&p->key, &a->key), gone = fate == FATE_RETIRED;
    // In the middle of a message, only a connection that is alive is not dropped: it was retired later.
    if (!own || (!gone && !p->tagged && !a->taken_back)) {
      at = &a->next;
      continue;
    }
    // What begins a message takes it back, and rarely came just before; the packet after that tells.
    const bool before = a->taken_back;
    if (!before || gone) model_retire(sb->model, &a->key);
    a->taken_back = !gone && !before;
    if (a->taken_back)
      at = &a->next;
    else
      drop(at);
  }
}
