#include "hosts/gather/gather_switch.h"

#include <stdlib.h>
#include <string.h>

/// Bytes of a property that a pipe moves in a cycle.
enum { BEAT = 64 };
/// Beats that the deconcatenator has in registers.
enum { AHEAD = 4 };

/// Packets of a class that wait, by the port by which they are to leave: what is in the way of one port holds up nobody else.
struct queues {
  struct gather_fifo *ports;
  unsigned *busy, count;   // ports that have some
  size_t held, most;
};

static uint64_t earlier(uint64_t a, uint64_t b) { return a < b ? a : b; }
static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

/// A middle pipe with the packets that wait for it.
struct pipe {
  struct switch_model *owner;
  struct gather_pipe *model;
  struct queues waiting[GATHER_CLASSES];
  struct gather_packet *open;   // its PRs are taken one by one
  struct gather_header h;
  uint32_t at;
  uint64_t free_at;   // cycle of its next PR
  uint64_t line_at;   // bytes that have come to it at a beat a cycle: when the next PR begins, in bytes
  bool again;         // the concatenator has made a PR wait
};

struct switch_model {
  struct gather_switch_options o;
  gather_send_fn *send;
  void *fabric;
  struct pipe *pipes;
  unsigned pipe_count, port_count;
  struct queues through[GATHER_CLASSES];   // of plain ones
  struct gather_asked *asked;              // by the nodes of the rack
  uint64_t forwarded, malformed, not_turned;
};

/// `pipe`: of a response, the pipe in which it is.
static unsigned port_to(const struct switch_model *s, enum gather_type type, uint32_t dest, unsigned pipe) {
  if (s->o.spine) return gather_rack_of(&s->o.topology, dest);
  return gather_tor_port(&s->o.topology, type, s->o.rack, dest,
                         type == GATHER_READ ? gather_pipe_of(&s->o.topology, dest) : pipe);
}

/// Where a packet that has come in goes next.
static unsigned way_of(const struct switch_model *s, const struct gather_packet *p) {
  struct gather_header h;
  gather_check(p->data, p->len, &h);
  return port_to(s, (enum gather_type)h.type, h.dest, p->port / GATHER_PIPE_PORTS);
}

static bool make_queues(struct queues q[GATHER_CLASSES], unsigned ports) {
  bool good = true;
  for (unsigned c = 0; c < GATHER_CLASSES; c++) {
    q[c].ports = calloc(ports, sizeof *q[c].ports);
    q[c].busy = calloc(ports, sizeof *q[c].busy);
    good = good && q[c].ports != NULL && q[c].busy != NULL;
  }
  return good;
}

static void free_queues(struct queues q[GATHER_CLASSES]) {
  for (unsigned c = 0; c < GATHER_CLASSES; c++) {
    for (unsigned i = 0; i < q[c].count; i++) gather_fifo_empty(&q[c].ports[q[c].busy[i]]);
    free(q[c].ports);
    free(q[c].busy);
  }
}

static void put(struct queues *q, unsigned port, struct gather_packet *p) {
  if (q->ports[port].first == NULL) q->busy[q->count++] = port;
  gather_fifo_put(&q->ports[port], p);
  if (++q->held > q->most) q->most = q->held;
}

/// Takes the first one of the port that is number `busy` of those that have some.
static struct gather_packet *take(struct queues *q, unsigned busy) {
  struct gather_fifo *f = &q->ports[q->busy[busy]];
  struct gather_packet *p = gather_fifo_take(f);
  if (f->first == NULL) q->busy[busy] = q->busy[--q->count];
  q->held--;
  return p;
}

static void packet_out(void *user, const uint8_t *data, size_t len) {
  const struct pipe *p = user;
  struct switch_model *s = p->owner;
  struct gather_header h;
  gather_check(data, len, &h);
  s->send(s->fabric, s->o.element, port_to(s, (enum gather_type)h.type, h.dest, (unsigned)(p - s->pipes)),
          gather_packet_new(data, len, s->o.element));
}

static void model_free(void *self) {
  struct switch_model *s = self;
  for (unsigned i = 0; i < s->pipe_count; i++) {
    gather_pipe_free(s->pipes[i].model);
    free_queues(s->pipes[i].waiting);
    free(s->pipes[i].open);
  }
  free_queues(s->through);
  free(s->pipes);
  free(s->asked);
  free(s);
}

static void receive(void *self, uint64_t now, unsigned port, struct gather_packet *p) {
  struct switch_model *s = self;
  struct gather_header h;
  if (gather_check(p->data, p->len, &h) != GATHER_GOOD || h.dest >= s->o.topology.nodes) {
    s->malformed++;
    free(p);
    return;
  }
  s->forwarded++;
  p->at = now + s->o.latency;
  p->serial = s->forwarded;
  p->port = port;
  const unsigned way = way_of(s, p), by = h.type == GATHER_READ ? way : port;
  put(&(s->o.plain ? s->through : s->pipes[by / GATHER_PIPE_PORTS].waiting)[gather_class_of(h.type)], way, p);
}

// --- middle pipes ---

/// Cycles that a PR takes: as many as its property has beats.
static uint64_t beats(const struct gather_request *r) {
  return r->type == GATHER_READ || r->len <= BEAT ? 1 : (r->len + BEAT - 1) / BEAT;
}

/// Whether a packet of a class may leave by a port.
static bool has_room(const struct switch_model *s, unsigned port, unsigned class) {
  return s->o.room == NULL || s->o.room(s->fabric, s->o.element, port, (enum gather_class) class);
}

/// The packet that has come first of those that have room where they go next, of both classes, and which way that is; NULL: none.
static struct gather_packet *take_first(const struct switch_model *s, struct queues waiting[GATHER_CLASSES], uint64_t now,
                                        unsigned *way) {
  unsigned class = GATHER_CLASSES, which = 0;
  uint64_t serial = UINT64_MAX;
  for (unsigned c = 0; c < GATHER_CLASSES; c++) {
    for (unsigned i = 0; i < waiting[c].count; i++) {
      const unsigned port = waiting[c].busy[i];
      const struct gather_packet *p = waiting[c].ports[port].first;
      if (p->serial >= serial || p->at > now || !has_room(s, port, c)) continue;
      serial = p->serial;
      class = c;
      which = i;
    }
  }
  if (class == GATHER_CLASSES) return NULL;
  *way = waiting[class].busy[which];
  return take(&waiting[class], which);
}

/// It has left its buffer.
static void taken(const struct switch_model *s, const struct gather_packet *p, enum gather_type type) {
  if (s->o.taken != NULL) s->o.taken(s->fabric, s->o.element, p->port, gather_class_of(type), p->len);
}

static void next_packet(struct pipe *p, uint64_t now) {
  if (p->open != NULL) return;
  unsigned way;
  p->open = take_first(p->owner, p->waiting, now, &way);
  if (p->open == NULL) return;
  gather_check(p->open->data, p->open->len, &p->h);
  taken(p->owner, p->open, p->h.type);
  p->at = 0;
}

/// A response may be cached if it came by the right port; a read may turn around if there is room for its response, so that it never waits for one.
static bool may_look(struct pipe *in, const struct gather_packet *p, const struct gather_request *r) {
  struct switch_model *s = in->owner;
  if (r->type == GATHER_RESPONSE) return !s->o.cache_uplinks || p->port >= gather_rack_size(&s->o.topology);
  const bool room =
      s->o.room == NULL || r->pr.src >= s->o.topology.nodes ||
      s->o.room(s->fabric, s->o.element, port_to(s, GATHER_RESPONSE, r->pr.src, (unsigned)(in - s->pipes)), GATHER_BRINGS);
  s->not_turned += !room;
  return room;
}

/// A read of a node of the rack has been looked up.
static void count_asked(struct switch_model *s, const struct gather_request *r, bool hit) {
  const uint32_t size = gather_rack_size(&s->o.topology), node = r->pr.src - s->o.rack * size;
  if (r->type != GATHER_READ || s->o.pipe.cache_sets == 0 || node >= size) return;
  s->asked[node].lookups++;
  s->asked[node].hits += hit;
}

/// When the PR behind `r` can be taken: it takes a cycle or as many as its property has beats; and its bytes must have come, of which a few beats
/// are ahead of what is taken. With beats of 64 bytes 17 responses of 64 bytes and their headers of 18 take 22 cycles, not 17.
static uint64_t free_again(struct pipe *p, uint64_t now, const struct gather_request *r) {
  const uint64_t taken = now + beats(gather_pipe_latest(p->model)), beat = p->owner->o.beat;
  if (beat == 0) return taken;
  const uint64_t least = now > AHEAD ? (now - AHEAD) * beat : 0;
  p->line_at = later(p->line_at, least) + GATHER_PR_BYTES + (r->type == GATHER_READ ? 0 : r->len);
  return later(taken, (p->line_at + beat - 1) / beat);
}

static void step_pipe(struct pipe *p, uint64_t now) {
  if (p->again) {
    p->again = gather_pipe_again(p->model, now) != GATHER_TAKEN;
    p->free_at = now + 1;
  } else if (p->free_at <= now) {
    next_packet(p, now);
    if (p->open != NULL) {
      struct gather_request r;
      gather_get_pr(p->open->data, &p->h, p->at, &r);
      const bool looks = may_look(p, p->open, &r);
      p->again = gather_pipe_push(p->model, now, &r, looks) != GATHER_TAKEN;
      if (looks) count_asked(p->owner, &r, gather_pipe_latest(p->model)->type == GATHER_RESPONSE);
      p->free_at = free_again(p, now, &r);
      if (++p->at == p->h.count) {
        free(p->open);
        p->open = NULL;
      }
    }
  }
  gather_pipe_tick(p->model, now);
}

static void step(void *self, uint64_t now) {
  struct switch_model *s = self;
  unsigned way;
  for (struct gather_packet *p; (p = take_first(s, s->through, now, &way)) != NULL;) {
    struct gather_header h;
    gather_check(p->data, p->len, &h);
    taken(s, p, h.type);
    s->send(s->fabric, s->o.element, way, p);
  }
  for (unsigned i = 0; i < s->pipe_count; i++) step_pipe(&s->pipes[i], now);
}

/// When a packet of these can be taken as far as is known now.
static uint64_t ready_at(const struct switch_model *s, const struct queues waiting[GATHER_CLASSES]) {
  uint64_t at = GATHER_NEVER;
  for (unsigned c = 0; c < GATHER_CLASSES; c++) {
    for (unsigned i = 0; i < waiting[c].count; i++) {
      const unsigned port = waiting[c].busy[i];
      const struct gather_packet *p = waiting[c].ports[port].first;
      if (p->at < at && has_room(s, port, c)) at = p->at;
    }
  }
  return at;
}

static uint64_t next(const void *self) {
  const struct switch_model *s = self;
  uint64_t at = ready_at(s, s->through);
  for (unsigned i = 0; i < s->pipe_count; i++) {
    const struct pipe *p = &s->pipes[i];
    at = earlier(at, gather_pipe_next(p->model));
    if (p->again || p->open != NULL) at = earlier(at, p->free_at);
    if (p->open == NULL) at = earlier(at, later(ready_at(s, p->waiting), p->free_at));
  }
  return at;
}

// --- at the end ---

static void invalidate(void *self, uint16_t generation, uint32_t len) {
  struct switch_model *s = self;
  (void)len;   // packets say it
  for (unsigned i = 0; i < s->pipe_count; i++) gather_pipe_invalidate(s->pipes[i].model, generation);
}

static bool some(const struct queues waiting[GATHER_CLASSES]) {
  return waiting[GATHER_ASKS].held > 0 || waiting[GATHER_BRINGS].held > 0;
}

static size_t most(const struct queues waiting[GATHER_CLASSES]) {
  return waiting[GATHER_ASKS].most > waiting[GATHER_BRINGS].most ? waiting[GATHER_ASKS].most : waiting[GATHER_BRINGS].most;
}

static bool balanced(const void *self) {
  const struct switch_model *s = self;
  for (unsigned i = 0; i < s->pipe_count; i++) {
    const struct pipe *p = &s->pipes[i];
    if (!gather_pipe_balanced(p->model) || p->open != NULL || some(p->waiting)) return false;
  }
  return !some(s->through);
}

static struct gather_switch_counts counts(const void *self) {
  const struct switch_model *s = self;
  struct gather_switch_counts c = {.forwarded = s->forwarded,
                                   .malformed = s->malformed,
                                   .most_waiting = most(s->through),
                                   .not_turned = s->not_turned};
  for (unsigned i = 0; i < s->pipe_count; i++) {
    const struct pipe *p = &s->pipes[i];
    const struct gather_cache_counts cache = gather_pipe_cache_counts(p->model);
    gather_cache_add(&c.cache, &cache);
    gather_concat_add(&c.concat, gather_pipe_concat_counts(p->model));
    c.older += gather_pipe_older(p->model);
    if (most(p->waiting) > c.most_waiting) c.most_waiting = most(p->waiting);
  }
  return c;
}

static struct gather_asked asked(const void *self, uint32_t node) {
  const struct switch_model *s = self;
  return s->asked[node - s->o.rack * gather_rack_size(&s->o.topology)];
}

bool gather_switch_model(const struct gather_switch_options *options, gather_send_fn *send, void *fabric,
                         struct gather_switch *out) {
  struct switch_model *s = calloc(1, sizeof *s);
  if (s == NULL) return false;
  *s = (struct switch_model){.o = *options, .send = send, .fabric = fabric};
  *out = (struct gather_switch){.element = {.self = s, .receive = receive, .next = next, .step = step, .keeps = true},
                                .free = model_free,
                                .invalidate = invalidate,
                                .balanced = balanced,
                                .counts = counts,
                                .asked = options->spine ? NULL : asked};
  const struct gather_topology *t = &options->topology;
  s->port_count = options->spine ? t->racks : gather_tor_ports(t);
  s->asked = calloc(gather_rack_size(t), sizeof *s->asked);
  bool good = make_queues(s->through, s->port_count) && s->asked != NULL;
  const unsigned pipes = options->plain ? 0 : (s->port_count + GATHER_PIPE_PORTS - 1) / GATHER_PIPE_PORTS;
  if (pipes > 0) s->pipes = calloc(pipes, sizeof *s->pipes);
  good = good && (s->pipes != NULL || pipes == 0);
  for (s->pipe_count = 0; good && s->pipe_count < pipes; s->pipe_count++) {
    struct pipe *p = &s->pipes[s->pipe_count];
    p->owner = s;
    p->model = gather_pipe_new(&options->pipe, packet_out, p);
    good = make_queues(p->waiting, s->port_count) && p->model != NULL;
  }
  if (!good) model_free(s);
  return good;
}
