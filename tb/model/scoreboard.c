#include "model/scoreboard.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/findings.h"
#include "base/memory.h"

// A frame in a queue. `number` counts from 1 in its port and queue.
struct item {
  struct item *next;
  uint64_t number;
  bool error, candidate, started;
  struct scoreboard_event origin;   // of a result or a decided packet: its column and rank
  uint64_t source;                  // of a passed frame or a decided packet: its number among the frames in
  uint32_t psn;
  size_t len;
  uint8_t data[];
};

struct queue {
  struct item *head, *tail;
  uint64_t count;   // ever appended
};

struct board_port {
  struct queue in, passed, results;
  struct queue decided;   // stored and duplicate packets that are not in place yet; no data
  uint64_t out_frames;
  struct scoreboard_counts counts;
};

// A connection that is retired because of its age, as soon as so many frames of each port have been decided.
struct aged {
  struct aged *next;
  struct conn_key key;
  uint64_t upto[];
};

struct scoreboard {
  struct model_limits limits;
  struct model *model;
  struct board_port *ports;
  struct model_frame *frames;
  struct scoreboard_ring_counts *rings;
  size_t ring_count;
  struct aged *aged;
  size_t closing;   // the ring that is being drained and was not seen closed yet; `ring_count`: none
  struct findings mismatches;
};

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

static void drop_head(struct queue *q) {
  struct item *i = q->head;
  q->head = i->next;
  free(i);
}

static void drop_aged(struct aged **at) {
  struct aged *a = *at;
  *at = a->next;
  free(a);
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
    while (sb->ports[p].in.head != NULL) drop_head(&sb->ports[p].in);
    while (sb->ports[p].passed.head != NULL) drop_head(&sb->ports[p].passed);
    while (sb->ports[p].results.head != NULL) drop_head(&sb->ports[p].results);
    while (sb->ports[p].decided.head != NULL) drop_head(&sb->ports[p].decided);
  }
  while (sb->aged != NULL) drop_aged(&sb->aged);
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

void scoreboard_aged(struct scoreboard *sb, unsigned ring, unsigned rank) {
  struct conn_key key;
  if (!model_speaker(sb->model, ring, rank, &key)) {
    scoreboard_report(sb, "ring %u rank %u: its connection is retired because of its age, but it has none", ring, rank);
    return;
  }
  struct aged *a = need(calloc(1, sizeof *a + sb->limits.ports * sizeof *a->upto));
  a->key = key;
  for (unsigned p = 0; p < sb->limits.ports; p++) a->upto[p] = sb->ports[p].in.count;
  a->next = sb->aged;
  sb->aged = a;
}

// True if a frame that was in as the connection was retired is not decided yet.
static bool too_early(const struct scoreboard *sb, const struct aged *a) {
  for (unsigned p = 0; p < sb->limits.ports; p++)
    if (sb->ports[p].in.head != NULL && sb->ports[p].in.head->number <= a->upto[p]) return true;
  return false;
}

// Retires who is due; also, with `p`, who sent this packet, which the device drops because he is.
static void retire_aged(struct scoreboard *sb, const struct roce_packet *p) {
  for (struct aged **at = &sb->aged; *at != NULL;) {
    struct aged *a = *at;
    if (too_early(sb, a) && (p == NULL || !conn_key_equal(&p->key, &a->key))) {
      at = &a->next;
      continue;
    }
    model_retire(sb->model, &a->key);
    drop_aged(at);
  }
}

// --- frames in and decisions ---

void scoreboard_in(struct scoreboard *sb, unsigned port, const uint8_t *frame, size_t len, bool error) {
  struct item *i = append(&sb->ports[port].in, frame, len);
  i->error = error;
  sb->ports[port].counts.rx++;
  if (error || len > sb->limits.max_frame_bytes) return;
  struct roce_packet p;
  roce_parse(frame, len, &p);
  i->candidate = p.class == ROCE_CANDIDATE;
}

// Puts the oldest frame of a port through the model.
static struct model_verdict rx_head(struct scoreboard *sb, unsigned port) {
  struct board_port *bp = &sb->ports[port];
  struct item *i = bp->in.head;
  struct model_verdict v;
  model_rx(sb->model, port, i->data, i->len, i->error, &v);
  bp->counts.fates[v.fate]++;
  if (v.of_ring) sb->rings[v.ring].fates[v.fate]++;
  if (v.fate == FATE_PASSED) append(&bp->passed, i->data, i->len)->source = i->number;
  if (v.fate == FATE_STORED || v.fate == FATE_DUPLICATE) {
    struct item *d = append(&bp->decided, NULL, 0);
    d->source = i->number;
    d->origin = (struct scoreboard_event){.ring = v.ring, .rank = v.rank, .msgid = v.msgid, .offset = v.offset};
  }
  drop_head(&bp->in);
  return v;
}

static void rx_undecided(struct scoreboard *sb, unsigned port) {
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
  drop_head(&sb->ports[e->port].in);
}

static void decide(struct scoreboard *sb, const struct scoreboard_event *e) {
  struct board_port *bp = &sb->ports[e->port];
  rx_undecided(sb, e->port);
  if (bp->in.head == NULL) {
    scoreboard_report(sb, "port %u: decision %s, but every candidate that went in has been decided", e->port, fate_name(e->fate));
    return;
  }
  if (e->fate == FATE_MEMORY_ERROR && !e->by_slot) {
    lose_head(sb, e);
    return;
  }
  uint64_t number = bp->in.head->number;
  if (sb->aged != NULL) {
    struct roce_packet p;
    roce_parse(bp->in.head->data, bp->in.head->len, &p);
    retire_aged(sb, e->fate == FATE_RETIRED ? &p : NULL);
  }
  if (sb->closing < sb->ring_count && (e->fate == FATE_RETIRED || e->fate == FATE_CLOSED)) {
    struct roce_packet p;
    roce_parse(bp->in.head->data, bp->in.head->len, &p);
    if (model_names_ring(sb->model, &p, (unsigned)sb->closing)) scoreboard_closed(sb);
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
  drop_head(decided);
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

// --- frames out ---

void scoreboard_result(struct scoreboard *sb, unsigned port, uint32_t psn) {
  struct item *i = sb->ports[port].results.head;
  while (i != NULL && i->started) i = i->next;
  if (i == NULL) {
    scoreboard_report(sb, "port %u: result with PSN %#" PRIx32 " begins to leave, but none is due", port, psn);
    return;
  }
  i->started = true;
  if (i->psn != psn)
    scoreboard_report(sb, "port %u, result %" PRIu64 ": psn: expected %#" PRIx32 ", actual %#" PRIx32, port, i->number, i->psn,
                      psn);
}

static const char *field_at(const struct item *i, size_t offset) {
  struct roce_packet p;
  roce_parse(i->data, i->len, &p);
  if (p.class == ROCE_OTHER || offset < p.ip) return offset < 12 ? "MAC address" : offset < 18 ? "EtherType" : "bytes";
  if (offset < p.udp) return "IP header";
  if (offset >= p.udp + 6 && offset < p.bth) return "UDP checksum";
  if (offset < p.bth) return "UDP header";
  if (offset >= p.bth + 9 && offset < p.bth + 12) return "BTH PSN";
  if (offset < p.bth + 12) return "BTH";
  if (offset >= p.ip_end) return "behind the ICRC";
  if (offset >= p.ip_end - 4) return "ICRC";
  if (p.class != ROCE_CANDIDATE) return "payload";
  if (offset < p.header) return "extension or INA header";
  return offset < p.header + p.tensor ? "tensor" : "pad";
}

static size_t common_prefix(const struct item *i, const uint8_t *frame, size_t len) {
  size_t n = 0;
  while (n < len && n < i->len && frame[n] == i->data[n]) n++;
  return n;
}

static void report_frame(struct scoreboard *sb, unsigned port, uint64_t out_number, const struct item *i, bool result,
                         const uint8_t *frame, size_t len) {
  char what[128];
  if (result)
    snprintf(what, sizeof what, "result %" PRIu64 ": ring %u msgid %" PRIu32 " offset %u rank %u psn %#" PRIx32, i->number,
             i->origin.ring, i->origin.msgid, i->origin.offset, i->origin.rank, i->psn);
  else
    snprintf(what, sizeof what, "passed frame in %" PRIu64, i->source);
  size_t at = common_prefix(i, frame, len);
  if (at < len && at < i->len)
    scoreboard_report(sb, "port %u, frame out %" PRIu64 " (%s): byte %zu (%s): expected %02x, actual %02x", port, out_number,
                      what, at, field_at(i, at), i->data[at], frame[at]);
  else
    scoreboard_report(sb, "port %u, frame out %" PRIu64 " (%s): length: expected %zu, actual %zu", port, out_number, what, i->len,
                      len);
}

void scoreboard_dropped(struct scoreboard *sb, unsigned port, uint32_t number) {
  struct board_port *bp = &sb->ports[port];
  struct item *before = NULL, *i = bp->results.head;
  while (i != NULL && (i->started || (i->number & 0xFFFFFFu) != number)) {
    before = i;
    i = i->next;
  }
  if (i == NULL) {
    scoreboard_report(sb, "port %u: result %" PRIu32 " is dropped, but no such result is due", port, number);
    return;
  }
  if (before == NULL) {
    drop_head(&bp->results);
  } else {
    before->next = i->next;
    if (bp->results.tail == i) bp->results.tail = before;
    free(i);
  }
  bp->counts.dropped++;
}

void scoreboard_unsent(struct scoreboard *sb, unsigned port, bool result) {
  struct board_port *bp = &sb->ports[port];
  rx_undecided(sb, port);
  struct queue *q = result ? &bp->results : &bp->passed;
  if (q->head == NULL || (result && !q->head->started)) {
    scoreboard_report(sb, "port %u: a %s is dropped for its link, but none is due", port, result ? "result" : "passed frame");
    return;
  }
  drop_head(q);
  bp->counts.unsent++;
}

/// Bytes in which a frame is what it should be.
static size_t alike(const struct item *i, const uint8_t *frame, size_t len) {
  size_t n = 0;
  for (size_t at = 0; at < len && at < i->len; at++) n += frame[at] == i->data[at];
  return n;
}

/// True if a marked frame is rather the passed frame than the result. The last beat of a passed frame may have grown to a whole one; a result is
/// as long as it should be, and its ICRC is wrong.
static bool rather_passed(const struct item *passed, const struct item *result, const uint8_t *frame, size_t len,
                          enum roce_class class) {
  if (passed == NULL || result == NULL) return result == NULL;
  const bool can_pass = len >= passed->len && len - passed->len < 64, can_result = len == result->len && class == ROCE_BAD_ICRC;
  return can_pass != can_result ? can_pass : alike(passed, frame, len) > alike(result, frame, len);
}

void scoreboard_marked(struct scoreboard *sb, unsigned port, const uint8_t *frame, size_t len) {
  struct board_port *bp = &sb->ports[port];
  const uint64_t number = ++bp->out_frames;
  rx_undecided(sb, port);
  struct item *passed = bp->passed.head, *result = bp->results.head;
  if (result != NULL && !result->started) result = NULL;
  if (passed == NULL && result == NULL) {
    scoreboard_report(sb, "port %u, frame out %" PRIu64 " (%zu bytes, in error): nothing is due", port, number, len);
    return;
  }
  struct roce_packet p;
  roce_parse(frame, len, &p);
  if (rather_passed(passed, result, frame, len, p.class)) {
    bp->counts.tx_passed++;
    bp->counts.marked++;
    drop_head(&bp->passed);
    return;
  }
  // A result has all its bytes, some of them wrong, and its ICRC says so.
  if (result->len != len || p.class != ROCE_BAD_ICRC)
    scoreboard_report(sb, "port %u, frame out %" PRIu64 " (%zu bytes, in error): a result of %zu bytes was due, and a wrong ICRC",
                      port, number, len, result->len);
  bp->counts.tx_result++;
  bp->counts.spoiled++;
  drop_head(&bp->results);
}

void scoreboard_out(struct scoreboard *sb, unsigned port, const uint8_t *frame, size_t len) {
  struct board_port *bp = &sb->ports[port];
  uint64_t number = ++bp->out_frames;
  rx_undecided(sb, port);
  struct item *passed = bp->passed.head;
  struct item *result = bp->results.head;
  if (passed == NULL && result == NULL) {
    scoreboard_report(sb, "port %u, frame out %" PRIu64 " (%zu bytes): nothing is due", port, number, len);
    return;
  }
  // Which of the two it was meant to be: the one it agrees with longest.
  size_t as_passed = passed == NULL ? 0 : common_prefix(passed, frame, len);
  size_t as_result = result == NULL ? 0 : common_prefix(result, frame, len);
  bool is_passed = passed != NULL && (result == NULL || as_passed >= as_result);
  if (result != NULL && as_result == len && result->len == len) is_passed = false;
  if (passed != NULL && as_passed == len && passed->len == len) is_passed = true;
  struct item *i = is_passed ? passed : result;
  if (i->len != len || common_prefix(i, frame, len) != len) report_frame(sb, port, number, i, !is_passed, frame, len);
  if (!is_passed && !i->started)
    scoreboard_report(sb, "port %u, frame out %" PRIu64 ": a result left that was never reported to begin", port, number);
  if (is_passed)
    bp->counts.tx_passed++;
  else
    bp->counts.tx_result++;
  drop_head(is_passed ? &bp->passed : &bp->results);
}

// --- the end ---

bool scoreboard_idle(struct scoreboard *sb) {
  retire_aged(sb, NULL);
  for (unsigned p = 0; p < sb->limits.ports; p++) {
    struct board_port *bp = &sb->ports[p];
    rx_undecided(sb, p);
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
    rx_undecided(sb, p);
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
