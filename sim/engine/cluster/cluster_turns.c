// Rings over the devices of a tree, and jobs that come and go there: one after the other in each ring.
#include "sim/engine/cluster/cluster_state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine/fit.h"

/// Of three jobs the first one's connections are registered, if any are; the second one's ring is flushed when it is over, the others' are released.
enum { KINDS = 3, FLUSHED = 1 };

static bool learns(const struct cluster *c) { return c->options.learn || c->turn % KINDS != 0; }

/// What racks are made of for the jobs at hand. `rings` and `keys` have room for all rings and seats.
static struct racks_options options_of(const struct cluster *c, struct model_ring *rings, struct conn_key *keys) {
  const struct cluster_options *o = &c->options;
  for (size_t i = 0; i < c->seat_count; i++) keys[i] = cluster_connection(c, &c->seats[i]);
  for (unsigned r = 0; r < o->jobs.count; r++)
    rings[r] = (struct model_ring){.id = cluster_ring_id(c, r),
                                   .window = o->plain ? 1 : fit_window(o->window),
                                   .stride = o->msglen,
                                   .learn = learns(c)};
  struct racks_options racks = {
      .topology = o->topology,
      .fabric = cluster_cables(c),
      .slow = o->slow,
      .rings = rings,
      .ring_count = o->jobs.count,
      .keys = learns(c) ? NULL : keys,
      .slot_bytes = o->mtu,
      .rtl = o->plain ? RACKS_NONE : o->rtl,
      .epoch = o->epoch,
      .seed = o->seed,
      .host_mac = cluster_mac,
  };
  racks.fabric.plain = o->plain;
  return racks;
}

/// Makes the racks, or lets the jobs that are there now have them.
static bool set_up(struct cluster *c, bool release, char *error, size_t size) {
  struct model_ring *rings = calloc(c->options.jobs.count, sizeof *rings);
  struct conn_key *keys = calloc(c->seat_count, sizeof *keys);
  bool good = rings != NULL && keys != NULL;
  if (good) {
    const struct racks_options racks = options_of(c, rings, keys);
    if (c->racks == NULL)
      c->racks = racks_new(&racks, error, size);
    else
      good = racks_next(c->racks, &racks, release);
  }
  free(rings);
  free(keys);
  return good && c->racks != NULL;
}

bool turns_open(struct cluster *c, char *error, size_t size) { return set_up(c, true, error, size); }

bool turns_left(const struct cluster *c) { return c->turn + 1 < c->options.turns; }

bool turns_next(struct cluster *c) {
  const bool release = c->turn % KINDS != FLUSHED;
  cluster_compare(c);
  c->turn++;
  for (struct seat *s = c->seats; s < c->seats + c->seat_count; s++) s->life++;
  for (struct seat *s = c->seats; s < c->seats + c->seat_count; s++)
    if (!cluster_seat(c, s)) return false;
  c->open = c->seat_count;
  c->moved = c->now;
  if (set_up(c, release, NULL, 0)) return true;
  if (racks_fault(c->racks) == NULL)
    cluster_report(c, "%.3f ms: a device cannot be set up for job %u", (double)c->now / 1e9, c->turn + 1);
  return false;
}
