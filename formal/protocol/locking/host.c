// A host: does what its group's script says, one operation after the other, each until it has a verdict.
#include <string.h>

#include "formal/protocol/locking/state.h"

static char letter_of(const struct locking_rules *rules, const struct locking_state *s, unsigned h) {
  return rules->script[group_of(rules, h)][s->host[h].position];
}

static enum operation operation_at(char letter) {
  return letter == 's' ? OPERATION_STREAM : letter == 'u' ? OPERATION_UNLOCK : letter == 'b' ? OPERATION_SUM : OPERATION_LOCK;
}

/// Something is no more, so hosts may hear different things of what was under way then.
static bool broken(const struct locking_state *s) {
  bool is = s->cut || s->failed;
  for (unsigned h = 0; h < LOCKING_HOSTS; h++) is |= s->host[h].dead || s->host[h].alive != ALIVE;
  for (unsigned n = 0; n < LOCKING_NODES; n++) is |= s->node[n].alive != ALIVE;
  return is;
}

/// What hosts of a group heard of one operation must fit together: success, or failure, of all, unless something broke. Where a
/// lock failed because somebody else holds it nobody hears success, whatever broke.
static void hears(struct locking_walk *w, unsigned h, enum verdict verdict) {
  const unsigned g = group_of(w->rules, h), bit = 1u << (w->next.host[h].sequence - 1);
  if (verdict == VERDICT_OK) w->next.good[g] |= (uint8_t)bit;
  if (verdict != VERDICT_OK) w->next.bad[g] |= (uint8_t)bit;
  if (verdict == VERDICT_LOCK_FAILED) w->next.refused[g] |= (uint8_t)bit;
  const unsigned mixed = w->next.good[g] & w->next.bad[g] & bit;
  w->wrong |= mixed != 0 && (!broken(&w->next) || (w->next.refused[g] & bit) != 0);
  // Once all have heard, nobody asks any more.
  for (unsigned i = 0; i < LOCKING_HOSTS; i++) {
    const struct locking_host *other = &w->next.host[i];
    const bool open =
        other->sequence < w->next.host[h].sequence || (other->sequence == w->next.host[h].sequence && other->active && i != h);
    if (group_of(w->rules, i) == g && !other->dead && open) return;
  }
  w->next.good[g] &= (uint8_t)~bit;
  w->next.bad[g] &= (uint8_t)~bit;
  w->next.refused[g] &= (uint8_t)~bit;
}

static void finish(struct locking_walk *w, unsigned h, enum verdict verdict) {
  struct locking_host *host = &w->next.host[h];
  const char *script = w->rules->script[group_of(w->rules, h)];
  const bool lock = operation_at(script[host->position]) == OPERATION_LOCK;
  hears(w, h, verdict);
  host->active = 0;
  host->posted = 0;
  if (!lock || verdict == VERDICT_OK) {
    host->position++;
  } else if (host->retries > 0 && verdict != VERDICT_NO_TREE) {
    host->retries--;
  } else {
    host->position = (uint8_t)strlen(script);
  }
}

/// A tree is no more for this host.
static void lose(struct locking_walk *w, unsigned h, enum tree_alive what, enum verdict verdict) {
  struct locking_host *host = &w->next.host[h];
  if (host->alive >= what) return;
  const bool streams = host->active && letter_of(w->rules, &w->next, h) == 's', had = host->alive == ALIVE;
  host->alive = (uint8_t)what;
  if (host->active && (streams ? had : what == BOTH_DOWN)) finish(w, h, verdict);
}

static void begins(struct locking_walk *w, const struct locking_state *from, unsigned h) {
  const struct locking_host *was = &from->host[h];
  const char letter = letter_of(w->rules, from, h);
  if (was->active || letter == '\0') return;
  const bool streams = letter == 's', gone = was->alive >= (streams ? STREAM_DOWN : BOTH_DOWN);
  if (!gone && !(streams ? stream_room(w->rules, from->hop[h].stream_up) : low_room(from->hop[h].up))) return;
  w->next = *from;
  w->wrong = false;
  struct locking_host *host = &w->next.host[h];
  const unsigned g = group_of(w->rules, h);
  host->sequence++;
  host->active = 1;
  if (gone) {
    finish(w, h, VERDICT_NO_TREE);
  } else if (streams) {
    stream_push(w->next.hop[h].stream_up, packet_of(g, host->sequence, 0, false));
    host->posted = 1;
  } else {
    low_push(w->next.hop[h].up, message_of(operation_at(letter), g, host->sequence, VERDICT_OK));
  }
  walk_step(w, event_label(HOST_BEGINS, h, (unsigned)letter, gone ? VERDICT_NO_TREE : VERDICT_OK));
}

static void posts(struct locking_walk *w, const struct locking_state *from, unsigned h) {
  const struct locking_host *was = &from->host[h];
  if (was->posted == 0 || was->posted == w->rules->packets || !stream_room(w->rules, from->hop[h].stream_up)) return;
  w->next = *from;
  w->wrong = false;
  stream_push(w->next.hop[h].stream_up, packet_of(group_of(w->rules, h), was->sequence, was->posted, false));
  w->next.host[h].posted++;
  walk_step(w, event_label(HOST_POSTS, h, was->posted, 0));
}

static void hears_low(struct locking_walk *w, const struct locking_state *from, unsigned h) {
  const struct locking_host *was = &from->host[h];
  const struct locking_message m = from->hop[h].down[0];
  if (m.what == 0) return;
  w->next = *from;
  w->wrong = false;
  low_pop(w->next.hop[h].down);
  if (operation_of(m) == OPERATION_ENDS) {
    lose(w, h, group_in(m) != 0 ? STREAM_DOWN : BOTH_DOWN, VERDICT_LOST);
    walk_step(w, event_label(HOST_HEARS_END, h, group_in(m), 0));
    return;
  }
  // What crosses with a teardown answers an operation that has ended.
  const char letter = letter_of(w->rules, from, h);
  if (was->active && letter != 's' && sequence_in(m) == was->sequence) finish(w, h, (enum verdict)m.verdict);
  walk_step(w, event_label(HOST_HEARS, h, m.what, m.verdict));
}

static void hears_stream(struct locking_walk *w, const struct locking_state *from, unsigned h) {
  const struct locking_host *was = &from->host[h];
  const unsigned packet = from->hop[h].stream_down[0];
  if (packet == 0 || was->alive != ALIVE) return;
  const bool denied = ((packet - 1) & 1) != 0, last = ((packet - 1) >> 2 & 1) + 1 == w->rules->packets;
  // A message is posted whole, whatever its answer is.
  if (was->posted != 0 && was->posted < w->rules->packets) return;
  w->next = *from;
  w->wrong = false;
  stream_pop(w->next.hop[h].stream_down);
  const bool mine = was->active && letter_of(w->rules, from, h) == 's' && (packet - 1) >> 3 == was->sequence;
  if (mine && (denied || last)) finish(w, h, denied ? VERDICT_DENIED : VERDICT_OK);
  walk_step(w, event_label(HOST_HEARS_STREAM, h, packet, denied ? VERDICT_DENIED : VERDICT_OK));
}

static void gives_up(struct locking_walk *w, const struct locking_state *from, unsigned h) {
  if (!w->rules->gives_up || h != 0 || !from->host[h].active || !low_room(from->hop[h].up)) return;
  const bool streams = letter_of(w->rules, from, h) == 's';
  w->next = *from;
  w->wrong = false;
  low_push(w->next.hop[h].up, message_of(OPERATION_ENDS, streams, 0, VERDICT_TIME_OUT));
  lose(w, h, streams ? STREAM_DOWN : BOTH_DOWN, VERDICT_TIME_OUT);
  walk_step(w, event_label(HOST_GIVES_UP, h, streams, 0));
}

static void dies(struct locking_walk *w, const struct locking_state *from, unsigned h) {
  if (!w->rules->host_dies || h != 0) return;
  w->next = *from;
  w->wrong = false;
  w->next.host[h] = (struct locking_host){.dead = 1, .sequence = SEQUENCE_MOST, .position = from->host[h].position};
  walk_step(w, event_label(HOST_DIES, h, 0, 0));
}

void host_steps(struct locking_walk *w, const struct locking_state *from, unsigned host) {
  if (from->host[host].dead) return;
  begins(w, from, host);
  posts(w, from, host);
  hears_low(w, from, host);
  hears_stream(w, from, host);
  gives_up(w, from, host);
  dies(w, from, host);
}
