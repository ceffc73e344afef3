// What came of a gather, of all nodes, switches and processes together, and whether its sums agree.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/engine/world/ranks.h"
#include "sim/gather/gather_state.h"

enum { WINDOW = 64 };   // consecutive PRs of NetSparse's Table 4

/// What is wrong in a device comes before all that follows from it, and once.
static void tell_fault(struct gather_run *r) {
  const char *fault = r->faulty ? NULL : gather_fabric_fault(r->fabric);
  if (fault == NULL) return;
  r->faulty = true;
  gather_run_fail(r, "%s", fault);
}

/// What the matrix alone says: wanted properties, baselines, locality.
static void survey(struct gather_run *r) {
  const struct matrix *m = r->o.matrix;
  const struct gather_topology *t = &r->o.fabric.topology;
  struct gather_result *s = &r->result;
  const uint64_t len = 4 * (uint64_t)r->o.k, times = r->o.iterations;
  const uint64_t alone =
      gather_frame_bytes(GATHER_CONCAT_BYTES + GATHER_PR_BYTES) + gather_frame_bytes(GATHER_CONCAT_BYTES + GATHER_PR_BYTES + len);
  uint64_t windows = 0, different = 0;
  uint32_t *seen = need(calloc(m->columns, sizeof *seen)), *window = need(calloc(r->nodes, sizeof *window));
  for (uint32_t n = 0; n < r->nodes; n++) {
    uint64_t in_window = 0, names = 0, columns = 0;
    for (size_t i = m->first[gather_first(&r->rows, n)]; i < m->first[gather_first(&r->rows, n + 1)]; i++) {
      const uint32_t column = gather_run_columns(r)[i], owner = gather_owner(&r->columns, column);
      columns += seen[column] != n + 1;
      if (owner == n) {
        seen[column] = n + 1;
        continue;
      }
      s->wanted++;
      s->bytes_sa += times * gather_hops(t, n, owner) * alone;
      s->needed += seen[column] != n + 1;
      seen[column] = n + 1;
      if (window[owner] != windows + 1) {
        window[owner] = (uint32_t)windows + 1;
        names++;
      }
      if (++in_window < WINDOW) continue;
      different += names;
      windows++;
      in_window = names = 0;
    }
    if (in_window > 0) memset(window, 0, r->nodes * sizeof *window);   // one that is not complete does not count
    for (uint32_t home = 0; home < r->nodes; home++) {
      const uint64_t columns = gather_first(&r->columns, home + 1) - gather_first(&r->columns, home);
      s->bytes_su += times * gather_hops(t, n, home) * columns * len;
    }
    const uint64_t nonzeros = m->first[gather_first(&r->rows, n + 1)] - m->first[gather_first(&r->rows, n)];
    if (nonzeros > s->most_nonzeros) s->most_nonzeros = nonzeros;
    if (columns > s->most_columns) s->most_columns = columns;
    const uint64_t own = gather_first(&r->columns, n + 1) - gather_first(&r->columns, n);
    if (times * (m->columns - own) * len > s->tail_su) s->tail_su = times * (m->columns - own) * len;
  }
  s->locality = windows > 0 ? (double)different / (double)windows : 0;
  free(seen);
  free(window);
}

/// The nth run of nonzeros that a core of a node has: from `*from` to before `*to`. False if there is none.
static bool dealt(const struct gather_run *r, uint32_t node, uint32_t core, uint64_t nth, size_t *from, size_t *to) {
  const size_t *first = r->o.matrix->first;
  const uint64_t begin = gather_first(&r->rows, node), end = gather_first(&r->rows, node + 1);
  const struct gather_partition rows = {end - begin, GATHER_CORES};
  const uint64_t row = begin + nth * GATHER_CORES + core;
  switch (r->o.dealing) {
    case GATHER_DEAL_TURNS:
      *from = first[row < end ? row : end];
      *to = first[row < end ? row + 1 : end];
      return row < end;
    case GATHER_DEAL_BATCHES:
      *from = first[begin] + (nth * GATHER_CORES + core) * r->o.batch;
      *to = *from + r->o.batch < first[end] ? *from + r->o.batch : first[end];
      return *from < first[end];
    default:
      *from = first[begin + gather_first(&rows, core)];
      *to = first[begin + gather_first(&rows, core + 1)];
      return nth == 0;
  }
}

/// Properties that the cores of a node want, each core each once: in `prs` of all, and of the core with most. `seen` is of
/// all columns; numbers of cores of all nodes mark what each has seen.
static void survey_cores(const struct gather_run *r, uint32_t node, uint32_t *seen, uint64_t *prs, uint64_t *most) {
  const uint32_t *columns = r->o.dealing == GATHER_DEAL_BATCHES ? gather_run_columns(r) : r->o.matrix->column;
  const uint64_t own_first = gather_first(&r->columns, node), own_count = gather_first(&r->columns, node + 1) - own_first;
  *prs = *most = 0;
  for (uint32_t core = 0; core < GATHER_CORES; core++) {
    uint64_t own = 0;
    size_t from, to;
    for (uint64_t nth = 0; dealt(r, node, core, nth, &from, &to); nth++)
      for (size_t i = from; i < to; i++) {
        const uint32_t column = columns[i];
        if (column - own_first < own_count || seen[column] == node * GATHER_CORES + core + 1) continue;
        seen[column] = node * GATHER_CORES + core + 1;
        own++;
      }
    *prs += own;
    if (own > *most) *most = own;
  }
}

/// What would come of it in software.
static void survey_software(struct gather_run *r) {
  struct gather_software *s = &r->result.software;
  uint32_t *seen = need(calloc(r->o.matrix->columns, sizeof *seen));
  for (uint32_t n = 0; n < r->nodes; n++) {
    uint64_t prs, most;
    survey_cores(r, n, seen, &prs, &most);
    s->prs += prs;
    if (prs > s->tail) s->tail = prs;
    if (most > s->tail_core) s->tail_core = most;
    if (n == r->result.last.node) s->last = prs;
  }
  free(seen);
}

/// Whether a node has died, or takes nothing at the end.
static bool out(const struct gather_run *r, uint32_t node) {
  return gather_fabric_dead(r->fabric, node) || gather_fabric_deaf(r->fabric, node);
}

/// Whom a host blames for batches that it has given up is out, or the host's own node is; else they need not have failed.
static void add_silent(struct gather_run *r, uint32_t node, uint64_t given_up) {
  const struct gather_node *n = gather_fabric_node(r->fabric, node);
  bool explained = false, wrong = false;
  for (uint32_t s = gather_node_silent(n, 0); s != UINT32_MAX; s = gather_node_silent(n, s + 1)) {
    r->result.silent[s]++;
    explained = true;
    wrong = wrong || !(out(r, node) || out(r, s));
  }
  if (given_up > 0 && (wrong || !explained))
    gather_run_fail(r, "node %" PRIu32 ": %" PRIu64 " batches failed each time they were tried", node, given_up);
}

// Each property that a unit looks at is filtered, coalesced or asked for; a node that died may have had some in hand.
static void check_asked(struct gather_run *r, uint32_t node, const struct gather_rig_counts *c) {
  const uint64_t decided = c->filtered + c->coalesced + c->sent;
  if (c->wanted < decided || (c->wanted > decided && !gather_fabric_dead(r->fabric, node)))
    gather_run_fail(r,
                    "node %" PRIu32 ": %" PRIu64 " properties wanted, but %" PRIu64 " filtered, %" PRIu64 " coalesced, %" PRIu64
                    " asked for",
                    node, c->wanted, c->filtered, c->coalesced, c->sent);
}

static void add_nodes(struct gather_run *r) {
  struct gather_result *s = &r->result;
  for (uint32_t n = 0; n < r->nodes; n++) {
    // Its ToR counts these, and may be another process's than the node.
    const struct gather_asked asked = gather_fabric_asked(r->fabric, n);
    s->asked_lookups += asked.lookups;
    s->asked_hits += asked.hits;
    if (!gather_fabric_owns(r->fabric, n)) continue;
    const struct gather_node_counts c = gather_node_counts(gather_fabric_node(r->fabric, n));
    check_asked(r, n, &c.nic.rig);
    gather_rig_add(&s->rig, &c.nic.rig);
    gather_concat_add(&s->nic, &c.nic.concat);
    s->served += c.nic.served;
    s->merged += c.nic.merged;
    s->copied += c.nic.copied;
    s->reads_paused += c.nic.paused;
    s->strays += c.nic.strays;
    s->older += c.nic.older;
    s->given_up += c.given_up;
    if (c.broken > 0)
      gather_run_fail(r, "node %" PRIu32 ": %" PRIu64 " times a batch that had ended well lacked a property", n, c.broken);
    const struct gather_received got = gather_fabric_received(r->fabric, n);
    s->received[n] = got.bytes;
    s->finished[n] = gather_node_finished(gather_fabric_node(r->fabric, n));
    if (gather_fabric_dead(r->fabric, n)) continue;
    if (!gather_node_done(gather_fabric_node(r->fabric, n)))
      gather_run_fail(r, "node %" PRIu32 " never has all that it wants", n);
    add_silent(r, n, c.given_up);
  }
}

// The node that received most, of all processes.
static void find_tail(struct gather_run *r) {
  struct gather_result *s = &r->result;
  uint32_t tail = 0;
  ranks_sum(s->received, r->nodes);
  for (uint32_t n = 1; n < r->nodes; n++)
    if (s->received[n] > s->received[tail]) tail = n;
  s->tail_bytes = s->received[tail];
  s->tail_properties = gather_fabric_received(r->fabric, tail).property_bytes;
  ranks_sum(&s->tail_properties, 1);
}

// The node that has all last, of all processes.
static void find_last(struct gather_run *r) {
  struct gather_result *s = &r->result;
  uint32_t last = 0;
  ranks_sum(s->finished, r->nodes);
  for (uint32_t n = 1; n < r->nodes; n++)
    if (s->finished[n] > s->finished[last]) last = n;
  if (gather_fabric_owns(r->fabric, last)) {
    const struct gather_rig_counts rig = gather_node_counts(gather_fabric_node(r->fabric, last)).nic.rig;
    const struct gather_received got = gather_fabric_received(r->fabric, last);
    s->last = (struct gather_last){last,      rig.wanted,         rig.filtered, rig.coalesced, rig.sent,
                                   got.bytes, got.property_bytes, got.packets,  got.prs,       0,
                                   0};
  }
  const struct gather_asked asked = gather_fabric_asked(r->fabric, last);   // by its ToR, whosever that is
  s->last.lookups += asked.lookups;
  s->last.hits += asked.hits;
  ranks_sum((uint64_t *)&s->last, sizeof s->last / sizeof(uint64_t));
}

#define WORDS(of) (sizeof(of) / sizeof(uint64_t))

// What each process counted, together. The highest of all stay of what is a highest.
static void share(struct gather_result *s, const struct world *w) {
  struct gather_concat_counts *const concats[] = {&s->nic, &s->fabric.tors.concat};
  struct gather_fabric_counts *f = &s->fabric;
  uint64_t most[] = {f->most_backlog, s->nic.latest, f->tors.concat.latest};
  ranks_most(most, WORDS(most));
  ranks_most(f->busiest, GATHER_LEGS);
  ranks_sum(f->used, GATHER_LEGS);
  f->most_backlog = most[0];
  for (unsigned i = 0; i < 2; i++) {
    struct gather_concat_counts *c = concats[i];
    uint64_t *const sums[] = {&c->prs,       &c->packets,      &c->full,         &c->expired,
                              &c->other_len, &c->pool_flushes, &c->waits_expiry, &c->waits_pool};
    for (unsigned n = 0; n < sizeof sums / sizeof *sums; n++) ranks_sum(sums[n], 1);
    c->latest = most[1 + i];
  }
  uint64_t *const sums[] = {&f->packets,    &f->bytes,           &f->header_bytes,   &f->prs,          &f->lost,
                            &f->held,       &f->tors.not_turned, &f->tors.forwarded, &f->doubled,      &f->unheard,
                            &f->cut,        &f->stopped,         &f->tors.malformed, &f->tors.clocked, &s->served,
                            &s->strays,     &s->given_up,        &s->older,          &s->promises,     &s->packed_packets,
                            &s->packed_prs, &s->compared,        &s->asked_lookups,  &s->asked_hits,   &s->reads_paused,
                            &s->merged,     &s->copied};
  for (unsigned n = 0; n < sizeof sums / sizeof *sums; n++) ranks_sum(sums[n], 1);
  ranks_sum((uint64_t *)&s->rig, WORDS(s->rig));
  ranks_sum((uint64_t *)&f->tors.cache, WORDS(f->tors.cache));
  ranks_sum(s->packed, WORDS(s->packed));
  s->events = world_events(w);
  s->hash = world_hash(w);
  ranks_sum(&s->events, 1);
  ranks_sum(&s->hash, 1);
}

const struct gather_result *gather_run_finish(struct gather_run *r) {
  struct gather_result *s = &r->result;
  survey(r);
  tell_fault(r);
  add_nodes(r);
  s->fabric = gather_fabric_counts(r->fabric);
  s->older += s->fabric.tors.older;
  share(s, gather_fabric_world(r->fabric));
  find_tail(r);
  find_last(r);
  survey_software(r);
  if (!gather_fabric_balanced(r->fabric)) gather_run_fail(r, "a switch lost, doubled or kept a PR");
  if (s->strays + s->fabric.tors.malformed > 0)
    gather_run_fail(r, "%" PRIu64 " PRs or packets went astray", s->strays + s->fabric.tors.malformed);
  if (r->o.fabric.dies < r->nodes && !gather_fabric_dead(r->fabric, r->o.fabric.dies))
    gather_run_fail(r, "node %" PRIu32 " was to die, but all had ended before", r->o.fabric.dies);
  if ((r->o.fabric.lose > 0 && s->fabric.lost == 0) || (r->o.fabric.hold > 0 && s->fabric.held == 0))
    gather_run_fail(r, "a packet was to be lost or held, but there were only %" PRIu64, s->fabric.packets);
  const struct gather_rig_counts *c = &s->rig;
  const uint64_t tiles = (uint64_t)r->o.iterations * ((r->o.k + r->o.tile - 1) / r->o.tile);
  if (c->failures == 0 && s->refused == 0 && c->wanted != tiles * s->wanted)
    gather_run_fail(r, "units looked at %" PRIu64 " properties, where %" PRIu64 " are wanted", c->wanted, tiles * s->wanted);
  if (c->failures == 0 && s->refused == 0 && c->written != c->sent)
    gather_run_fail(r, "%" PRIu64 " properties asked for, %" PRIu64 " written", c->sent, c->written);
  if (c->failures == 0 && s->refused == 0 && s->copied != s->merged)
    gather_run_fail(r, "%" PRIu64 " reads were not sent for another's, %" PRIu64 " copies of responses", s->merged, s->copied);
  uint64_t wrong = s->mismatches.count;
  ranks_most(&wrong, 1);
  if (wrong > 0 && s->mismatches.count == 0) gather_run_fail(r, "another process found what is wrong");
  return s;
}
