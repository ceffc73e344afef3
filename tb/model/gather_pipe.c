#include "model/gather_pipe.h"

#include <stdlib.h>
#include <string.h>

#include "model/gather_tally.h"

struct gather_pipe {
  struct gather_cache *cache;
  struct gather_concat *concat;
  gather_packet_fn *packet;
  void *user;
  struct gather_request held;   // waits for the concatenator
  uint8_t property[GATHER_MAX_FRAME];
  uint16_t generation;   // of what the cache holds
  uint64_t older;
  struct gather_tally in, out;
};

/// Counts what leaves, by the packet's own bytes.
static void leave(void *user, const uint8_t *data, size_t len) {
  struct gather_pipe *p = user;
  struct gather_header h;
  struct gather_request r;
  if (gather_check(data, len, &h) == GATHER_GOOD) {
    for (uint32_t i = 0; i < h.count; i++) {
      gather_get_pr(data, &h, i, &r);
      gather_tally_add(&p->out, &r.pr);
    }
  }
  p->packet(p->user, data, len);
}

struct gather_pipe *gather_pipe_new(const struct gather_pipe_options *options, gather_packet_fn *packet, void *user) {
  struct gather_pipe *p = calloc(1, sizeof *p);
  if (p == NULL) return NULL;
  p->packet = packet;
  p->user = user;
  p->concat = gather_concat_new(&options->concat, leave, p);
  if (options->cache_sets > 0) p->cache = gather_cache_new(options->cache_sets, options->cache_mode);
  if (p->concat != NULL && (p->cache != NULL || options->cache_sets == 0)) return p;
  gather_pipe_free(p);
  return NULL;
}

void gather_pipe_free(struct gather_pipe *p) {
  if (p == NULL) return;
  gather_cache_free(p->cache);
  gather_concat_free(p->concat);
  free(p);
}

enum gather_push gather_pipe_push(struct gather_pipe *p, uint64_t now, const struct gather_request *r, bool keep) {
  p->held = *r;
  gather_tally_add(&p->in, &r->pr);
  const bool ours = r->generation == p->generation;
  p->older += !ours;
  if (r->type == GATHER_RESPONSE) {
    // The packet that it came in may be gone before the concatenator takes it.
    if (r->len > 0) memcpy(p->property, r->property, r->len);
    p->held.property = p->property;
    if (p->cache != NULL && ours && keep) gather_cache_put(p->cache, r->pr.idx, r->property, r->len);
  } else if (p->cache != NULL && ours && keep) {
    const uint8_t *found = gather_cache_read(p->cache, r->pr.idx);
    if (found != NULL) {
      memcpy(p->property, found, r->len);
      p->held.type = GATHER_RESPONSE;
      p->held.dest = r->pr.src;
      p->held.property = p->property;
    }
  }
  return gather_pipe_again(p, now);
}

enum gather_push gather_pipe_again(struct gather_pipe *p, uint64_t now) { return gather_concat_push(p->concat, now, &p->held); }
const struct gather_request *gather_pipe_latest(const struct gather_pipe *p) { return &p->held; }
void gather_pipe_tick(struct gather_pipe *p, uint64_t now) { gather_concat_tick(p->concat, now); }
uint64_t gather_pipe_next(const struct gather_pipe *p) { return gather_concat_next(p->concat); }

void gather_pipe_invalidate(struct gather_pipe *p, uint16_t generation) {
  p->generation = generation;
  if (p->cache != NULL) gather_cache_invalidate(p->cache);
}

bool gather_pipe_balanced(const struct gather_pipe *p) {
  return gather_tally_equal(&p->in, &p->out) && gather_concat_held(p->concat) == 0;
}

uint64_t gather_pipe_older(const struct gather_pipe *p) { return p->older; }

struct gather_cache_counts gather_pipe_cache_counts(const struct gather_pipe *p) {
  return p->cache != NULL ? *gather_cache_counts(p->cache) : (struct gather_cache_counts){0};
}

const struct gather_concat_counts *gather_pipe_concat_counts(const struct gather_pipe *p) {
  return gather_concat_counts(p->concat);
}
