#include "model/scoreboard.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/scoreboard_state.h"

static struct item *append(struct queue *q, const uint8_t *data, size_t len) {
  struct item *i = need(calloc(1, sizeof *i + len));
  i->number = ++q->count;
  i->len = len;
  if (len != 0) memcpy(i->data, data, len);
  if (q->head == NULL)
    q->head = i;
  else
    q->tail->next = i;
  q->tail = i;
  return i;
}

void scoreboard_drop_head(struct queue *q) {
  struct item *i = q->head;
  q->head = i->next;
  free(i);
}

struct scoreboard *scoreboard_new(const struct model_limits *limits, const struct model_ring *rings, size_t count) {
  struct model *model = model_new(limits, rings, count);
  if (model == NULL) return NULL;
  struct scoreboard *sb = need(calloc(1, sizeof *sb));
  sb->model = model;
  sb->limits = *limits;
  sb->ports = need(calloc(limits->ports, sizeof *sb->ports));
  sb->rings = need(calloc(count + 1, sizeof *sb->rings));
  sb->ring_count = sb->closing = count;
  sb->frames = need(calloc(limits->ranks, sizeof *sb->frames));
  return sb;
}

void scoreboard_free(struct scoreboard *sb) {
  if (sb == NULL) return;
  for (unsigned p = 0; p < sb->limits.ports; p++) {
    while (sb->ports[p].in.head != NULL) scoreboard_drop_head(&sb->ports[p].in);
    while (sb->ports[p].passed.head != NULL) scoreboard_drop_head(&sb->ports[p].passed);
    while (sb->ports[p].results.head != NULL) scoreboard_drop_head(&sb->ports[p].results);
    while (sb->ports[p].decided.head != NULL) scoreboard_drop_head(&sb->ports[p].decided);
  }
  scoreboard_aged_forget(sb);
  model_free(sb->model);
  free(sb->ports);
  free(sb->frames);
  free(sb->rings);
  free(sb);
}

struct model *scoreboard_model(struct scoreboard *sb) {
  return sb->model;
}

void scoreboard_report(struct scoreboard *sb, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  findings_addv(&sb->mismatches, format, arguments);
  va_end(arguments);
}

size_t scoreboard_mismatches(const struct scoreboard *sb) { return sb->mismatches.count; }

const char *scoreboard_text(const struct scoreboard *sb, size_t index) { return findings_text(&sb->mismatches, index); }

const struct scoreboard_counts *scoreboard_counts(const struct scoreboard *sb, unsigned port) { return &sb->ports[port].counts; }

const struct scoreboard_ring_counts *scoreboard_ring_counts(const struct scoreboard *sb, unsigned ring) {
  return ring < sb->ring_count ? &sb->rings[ring] : NULL;
}

void scoreboard_ring_anew(struct scoreboard *sb, unsigned ring) {
  if (ring < sb->ring_count) sb->rings[ring] = (struct scoreboard_ring_counts){.results = 0};
}

void scoreboard_closing(struct scoreboard *sb, unsigned ring) { sb->closing = ring; }

void scoreboard_closed(struct scoreboard *sb) {
  if (sb->closing < sb->ring_count) model_disable_ring(sb->model, (unsigned)sb->closing, true);
  sb->closing = sb->ring_count;
}

// --- frames in and decisions ---

enum fate scoreboard_in(struct scoreboard *sb, unsigned port, const uint8_t *frame, size_t len, bool error,
                        struct roce_packet *p) {
  struct item *i = append(&sb->ports[port].in, frame, len);
  sb->ports[port].counts.rx++;
  *p = (struct roce_packet){.class = ROCE_OTHER};
  i->fate = model_port_fate(sb->model, frame, len, error, p);
  i->packet = *p;
  i->candidate = i->fate == FATE_PASSED && p->class == ROCE_CANDIDATE;
  return i->fate;
}

// Puts the oldest frame of a port through the model.
static struct model_verdict rx_head(struct scoreboard *sb, unsigned port) {
  struct board_port *bp = &sb->ports[port];
  struct item *i = bp->in.head;
  struct model_verdict v;
  model_decide(sb->model, port, i->data, i->len, i->fate, &i->packet, &v);
  bp->counts.fates[v.fate]++;
  if (v.of_ring) sb->rings[v.ring].fates[v.fate]++;
  if (v.fate == FATE_PASSED) append(&bp->passed, i->data, i->len)->source = i->number;
  if (v.fate == FATE_STORED || v.fate == FATE_DUPLICATE) {
    struct item *d = append(&bp->decided, NULL, 0);
    d->source = i->number;
    d->origin = (struct scoreboard_event){.ring = v.ring, .rank = v.rank, .msgid = v.msgid, .offset = v.offset};
  }
  scoreboard_drop_head(&bp->in);
  return v;
}

void scoreboard_rx_undecided(struct scoreboard *sb, unsigned port) {
  struct board_port *bp = &sb->ports[port];
  while (bp->in.head != NULL && !bp->in.head->candidate) rx_head(sb, port);
}

// The device must name the column and rank that the model found for frame `number` into the event's port.
static void same_column(struct scoreboard *sb, const struct scoreboard_event *e, uint64_t number,
                        const struct scoreboard_event *model) {
  const struct {
    const char *name;
    uint32_t expected, actual;
  } fields[] = {{"ring", model->ring, e->ring},
                {"rank", model->rank, e->rank},
                {"msgid", model->msgid, e->msgid},
                {"offset", model->offset, e->offset}};
  for (size_t f = 0; f < sizeof fields / sizeof fields[0]; f++)
    if (fields[f].expected != fields[f].actual)
      scoreboard_report(sb, "port %u, frame in %" PRIu64 " (%s): %s: expected %" PRIu32 ", actual %" PRIu32, e->port, number,
                        e->kind == SCOREBOARD_COMMIT ? "commit" : fate_name(e->fate), fields[f].name, fields[f].expected,
                        fields[f].actual);
}

/// A table of the device has lost the packet's connection or its messages: it is dropped, and nothing comes of it. The model cannot know.
static void lose_head(struct scoreboard *sb, const struct scoreboard_event *e) {
  sb->ports[e->port].counts.fates[FATE_MEMORY_ERROR]++;
  if (e->of_ring && e->ring < sb->ring_count) sb->rings[e->ring].fates[FATE_MEMORY_ERROR]++;
  scoreboard_drop_head(&sb->ports[e->port].in);
}

static void decide(struct scoreboard *sb, const struct scoreboard_event *e) {
  struct board_port *bp = &sb->ports[e->port];
  scoreboard_rx_undecided(sb, e->port);
  if (bp->in.head == NULL) {
    scoreboard_report(sb, "port %u: decision %s, but every candidate that went in has been decided", e->port, fate_name(e->fate));
    return;
  }
  if (e->fate == FATE_MEMORY_ERROR && !e->by_slot) {
    lose_head(sb, e);
    return;
  }
  uint64_t number = bp->in.head->number;
  if (sb->aged != NULL) scoreboard_aged_decide(sb, e->port, e->fate);
  if (sb->closing < sb->ring_count && (e->fate == FATE_RETIRED || e->fate == FATE_CLOSED)) {
    if (model_names_ring(sb->model, &bp->in.head->packet, (unsigned)sb->closing)) scoreboard_closed(sb);
  }
  struct model_verdict v = rx_head(sb, e->port);
  if (v.fate != e->fate) {
    scoreboard_report(sb,
                      "port %u, frame in %" PRIu64 ": fate: expected %s, actual %s (model: ring %u rank %u msgid %" PRIu32
                      " offset %u; device: ring %u rank %u msgid %" PRIu32 " offset %u)",
                      e->port, number, fate_name(v.fate), fate_name(e->fate), v.ring, v.rank, v.msgid, v.offset, e->ring, e->rank,
                      e->msgid, e->offset);
    return;
  }
  if (!v.by_slot) return;
  same_column(sb, e, number, &(struct scoreboard_event){.ring = v.ring, .rank = v.rank, .msgid = v.msgid, .offset = v.offset});
  // A duplicate of a complete column may say so again.
  if (v.fate == FATE_STORED && v.completes != e->completes)
    scoreboard_report(sb, "port %u, frame in %" PRIu64 " (stored): completes: expected %d, actual %d", e->port, number,
                      v.completes, e->completes);
}

static void commit(struct scoreboard *sb, const struct scoreboard_event *e) {
  struct queue *decided = &sb->ports[e->port].decided;
  bool unexpected;
  bool completes = model_commit(sb->model, e->port, &unexpected);
  if (unexpected) {
    scoreboard_report(sb, "port %u: commit, but every stored or duplicate packet is in place", e->port);
    return;
  }
  // Of a lost column the device knows nothing but what comes with the commit.
  const struct scoreboard_event *of = &decided->head->origin;
  if (!model_lost(sb->model, of->ring, of->msgid, of->offset)) same_column(sb, e, decided->head->source, of);
  scoreboard_drop_head(decided);
  if (completes != e->completes)
    scoreboard_report(sb,
                      "port %u: commit: completes: expected %d, actual %d (device: ring %u rank %u msgid %" PRIu32 " offset %u)",
                      e->port, completes, e->completes, e->ring, e->rank, e->msgid, e->offset);
}

static void take(struct scoreboard *sb, const struct scoreboard_event *e) {
  int n = model_take(sb->model, e->ring, e->msgid, e->offset, e->ranks, sb->frames);
  if (n < 0) {
    scoreboard_report(sb, "take of ring %u msgid %" PRIu32 " offset %u for ranks %#" PRIx32 ": not all are owed", e->ring,
                      e->msgid, e->offset, e->ranks);
    return;
  }
  sb->rings[e->ring].results += (unsigned)n;
  for (int k = 0; k < n; k++) {
    const struct model_frame *f = &sb->frames[k];
    struct item *i = append(&sb->ports[f->port].results, f->data, f->len);
    i->psn = f->psn;
    i->origin = *e;
    i->origin.rank = f->rank;
  }
}

void scoreboard_state(struct scoreboard *sb, const struct scoreboard_event *e) {
  if (e->kind != SCOREBOARD_TAKE && e->port >= sb->limits.ports) {
    scoreboard_report(sb, "state event of port %u, which does not exist", e->port);
    return;
  }
  switch (e->kind) {
    case SCOREBOARD_DECIDE: decide(sb, e); break;
    case SCOREBOARD_COMMIT: commit(sb, e); break;
    case SCOREBOARD_TAKE: take(sb, e); break;
    default: scoreboard_report(sb, "state event of unknown kind %u", (unsigned)e->kind); break;
  }
}

// --- the end ---

bool scoreboard_idle(struct scoreboard *sb) {
  scoreboard_aged_retire(sb);
  for (unsigned p = 0; p < sb->limits.ports; p++) {
    struct board_port *bp = &sb->ports[p];
    scoreboard_rx_undecided(sb, p);
    if (bp->in.head != NULL || bp->passed.head != NULL || bp->results.head != NULL || bp->decided.head != NULL) return false;
  }
  return model_owed(sb->model) == 0;
}

static bool has_ring(const struct queue *q, unsigned ring) {
  const struct item *i = q->head;
  while (i != NULL && i->origin.ring != ring) i = i->next;
  return i != NULL;
}

bool scoreboard_ring_idle(const struct scoreboard *sb, unsigned ring) {
  for (unsigned p = 0; p < sb->limits.ports; p++)
    if (has_ring(&sb->ports[p].decided, ring) || has_ring(&sb->ports[p].results, ring)) return false;
  return model_owed_of(sb->model, ring) == 0;
}

bool scoreboard_undecided(const struct scoreboard *sb, bool (*match)(const void *user, const uint8_t *frame, size_t len),
                          const void *user) {
  for (unsigned p = 0; p < sb->limits.ports; p++)
    for (const struct item *i = sb->ports[p].in.head; i != NULL; i = i->next)
      if (match(user, i->data, i->len)) return true;
  return false;
}

static size_t left(const struct queue *q) {
  size_t n = 0;
  for (const struct item *i = q->head; i != NULL; i = i->next) n++;
  return n;
}

void scoreboard_finish(struct scoreboard *sb) {
  uint64_t in = 0;
  for (unsigned p = 0; p < sb->limits.ports; p++) {
    struct board_port *bp = &sb->ports[p];
    scoreboard_rx_undecided(sb, p);
    in += bp->counts.rx;
    if (bp->in.head != NULL)
      scoreboard_report(sb, "port %u: frame in %" PRIu64 " and %zu after it were never decided", p, bp->in.head->number,
                        left(&bp->in) - 1);
    if (bp->decided.head != NULL)
      scoreboard_report(sb, "port %u: %zu decided packets were never in place, the first is frame in %" PRIu64, p,
                        left(&bp->decided), bp->decided.head->source);
    if (bp->passed.head != NULL)
      scoreboard_report(sb, "port %u: %zu passed frames never left, the first is frame in %" PRIu64, p, left(&bp->passed),
                        bp->passed.head->source);
    if (bp->results.head != NULL) {
      const struct item *i = bp->results.head;
      scoreboard_report(sb, "port %u: %zu results never left, the first is ring %u msgid %" PRIu32 " offset %u rank %u", p,
                        left(&bp->results), i->origin.ring, i->origin.msgid, i->origin.offset, i->origin.rank);
    }
  }
  size_t owed = model_owed(sb->model);
  if (owed != 0) scoreboard_report(sb, "%zu results are owed and were never taken", owed);
  if (in == 0) scoreboard_report(sb, "no frame went in: nothing was compared");
}
