#include "sim/engine/collective/tree_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/stop.h"
#include "oracle/tree_watch.h"
#include "sim/engine/tree/tree_wiring.h"
#include "sim/engine/world/ranks.h"

struct tree_run {
  struct tree_run_options o;
  struct tree_net *net;
  struct tree_jobs *jobs;
  struct tree_watch *watches;   // of each cable, upwards and downwards
  struct tree_result result;
};

static void watch(void *user, size_t cable, bool up, const uint8_t *frame, size_t len) {
  struct tree_run *r = user;
  tree_watch_see(&r->watches[2 * cable + !up], frame, len);
}

static void moved(void *user, unsigned host) {
  struct tree_run *r = user;
  tree_jobs_look(r->jobs, host);
}

/// What any process has found is known to all, in the order of their numbers.
static void share_findings(struct findings *f) {
  const unsigned count = ranks_count();
  struct findings *all = need(calloc(count, sizeof *all));
  _Static_assert(sizeof *all % sizeof(uint64_t) == 0, "findings are summed up as words");
  all[ranks_own()] = *f;
  ranks_sum((uint64_t *)all, count * (sizeof *all / sizeof(uint64_t)));
  *f = (struct findings){0};
  for (unsigned r = 0; r < count; r++)
    for (size_t i = 0; i < all[r].count; i++) findings_add(f, "%s", i < FINDINGS_TEXTS ? all[r].texts[i] : "");
  free(all);
}

static void add_end(struct tree_totals *t, struct rc_end *end);

/// An end of a tree that is set up again: what it did is not lost with it.
static void retire(void *user, struct rc_end *end) {
  struct tree_run *r = user;
  add_end(&r->result.totals, end);
}

struct tree_run *tree_run_open(const struct tree_run_options *options, char *error, size_t size) {
  struct tree_run *r = need(calloc(1, sizeof *r));
  struct findings failures = {0};
  r->o = *options;
  r->o.network.watch = watch;
  r->o.network.moved = moved;
  r->o.network.user = r;
  r->o.jobs.retire = retire;
  r->o.jobs.user = r;
  r->net = tree_net_new(&r->o.network, error, size);
  if (r->net == NULL) findings_add(&failures, "%s", error);
  share_findings(&failures);
  if (failures.count > 0) {
    snprintf(error, size, "%s", findings_text(&failures, 0));
    tree_run_close(r);
    return NULL;
  }
  r->watches = need(calloc(2 * tree_net_cables(r->net), sizeof *r->watches));
  r->jobs = tree_jobs_new(&r->o.jobs, &r->o.network, r->net, &r->result.findings);
  tree_jobs_begin(r->jobs);
  return r;
}

void tree_run_close(struct tree_run *r) {
  if (r == NULL) return;
  tree_jobs_free(r->jobs);
  tree_net_free(r->net);
  free(r->watches);
  free(r);
}

bool tree_run_step(struct tree_run *r) { return ranks_least(stop_asked() != 0 ? 0 : 1) == 1 && tree_net_step(r->net); }

struct tree_net *tree_run_net(const struct tree_run *r) {
  return r->net;
}
uint64_t tree_run_now(const struct tree_run *r) { return tree_net_now(r->net); }
unsigned tree_run_open_hosts(const struct tree_run *r) { return tree_jobs_open(r->jobs); }

const struct tree_jobs_host *tree_run_host(const struct tree_run *r, unsigned host) { return tree_jobs_host(r->jobs, host); }

// --- checks ---

#define FAIL(...) findings_add(&r->result.findings, __VA_ARGS__)

/// Every host that is alive has a verdict, in time; without a fault it is the good one, and nothing is left to do.
static void check_hosts(struct tree_run *r) {
  struct tree_result *s = &r->result;
  s->bound_ps = tree_net_bound(r->net);
  for (unsigned h = 0; h < r->o.network.topology->hosts; h++) {
    if (!tree_net_owns(r->net, h)) continue;
    const struct tree_jobs_host *host = tree_jobs_host(r->jobs, h);
    const struct tree_host_counts c = tree_host_counts(tree_net_host(r->net, h));
    s->denied += c.denied;
    s->totals.casts += c.casts;
    s->totals.copies += c.copies;
    if (host->longest_ps > s->longest_ps) s->longest_ps = host->longest_ps;
    if (c.longest_ps > s->silence_ps) s->silence_ps = c.longest_ps;
    if (!tree_net_alive(r->net, h)) continue;
    if (!host->ended) FAIL("host %u: no verdict", h);
    if (c.longest_ps > s->bound_ps)
      FAIL("host %u: an operation stood still for %.3f us, more than %.3f", h, (double)c.longest_ps / 1e6,
           (double)s->bound_ps / 1e6);
    if (host->ended && host->verdict != TREE_OK && !s->faulty)
      FAIL("host %u: %s, at node %u port %u", h, tree_verdict_name(host->verdict), host->answer.node, host->answer.port);
    if (host->ended && host->verdict == TREE_OK && host->done + host->failed != r->o.jobs.operations)
      FAIL("host %u: ended well with %" PRIu32 " of %" PRIu32 " operations", h, host->done, r->o.jobs.operations);
    if (c.wrong > 0 && tree_jobs_mistake(&r->o.jobs, h) == TREE_NO_MISTAKE)
      FAIL("host %u: %" PRIu64 " messages that no node sends", h, c.wrong);
    if (!s->faulty && !tree_host_quiet(tree_net_host(r->net, h))) FAIL("host %u: packets are left in a connection", h);
  }
}

static void add_node(struct tree_node_counts *sum, const struct tree_node_counts *c) {
  sum->strays += c->strays;
  sum->refused += c->refused;
  sum->operations[0] += c->operations[0];
  sum->operations[1] += c->operations[1];
  sum->failed += c->failed;
  sum->casts += c->casts;
  sum->casts_taken += c->casts_taken;
  sum->columns += c->columns;
  sum->teardowns += c->teardowns;
  sum->locks += c->locks;
  sum->lock_failures += c->lock_failures;
  sum->unlocks += c->unlocks;
}

/// What is looked at in a node at the end, model or device.
struct node_end {
  bool quiet;
  struct tree_node_counts counts;
  const struct tree_lock *cells;
  unsigned cell_count;
};

static struct node_end end_of_model(const struct tree_node *node) {
  const struct tree_locks *l = tree_node_locks(node);
  return (struct node_end){tree_node_quiet(node), tree_node_counts(node), l->lock, l->cells};
}

/// Of a device; beside it, all that it sent must have been the model's.
static struct node_end end_of_device(struct tree_run *r, struct node_rtl *device, struct node_rtl_state *state) {
  node_rtl_finish(device, state);
  if (node_rtl_fault(device) != NULL) FAIL("%s", node_rtl_fault(device));
  r->result.devices++;
  r->result.devices_compared += state->compared;
  r->result.devices_cycles += node_rtl_cycles(device);
  r->result.totals.naks += state->naks;
  r->result.totals.rnrs += state->rnrs;
  r->result.totals.flipped += state->flipped;
  r->result.totals.corrected += state->corrected;
  r->result.totals.spoilt += state->lost;
  return (struct node_end){state->quiet, state->counts, state->cells, TREE_CONTROL_CELLS};
}

/// Nothing is left in any node: no operation, no packet, no lock. (Wrong bits may make a frame one of no connection, where no ICRC covers them; so
/// may, to a device, the end of the connection that it is of.)
static void check_nodes(struct tree_run *r) {
  for (unsigned n = 0; n < r->o.network.topology->count; n++) {
    if (!tree_net_owns(r->net, r->o.network.topology->hosts + n)) continue;
    struct node_rtl *device = tree_net_device(r->net, n);
    struct node_rtl_state state;
    const struct node_end e = device != NULL ? end_of_device(r, device, &state) : end_of_model(tree_net_node(r->net, n));
    const struct tree_node_counts *c = &e.counts;
    add_node(&r->result.nodes, c);
    if (!e.quiet) FAIL("node %u: an operation or a packet is left", n);
    for (unsigned i = 0; i < e.cell_count; i++)
      if (e.cells[i].used) FAIL("node %u: tree %u is still locked by group %u", n, e.cells[i].tree, e.cells[i].group);
    if (c->locks != c->unlocks) FAIL("node %u: %" PRIu64 " locks taken, %" PRIu64 " given back", n, c->locks, c->unlocks);
    const bool known = r->o.network.faults.damage == 0 && r->o.network.hostile == 0 &&
                       (c->teardowns == 0 || (device == NULL && r->result.jobs.reopened == 0));
    if (known && c->strays > 0) FAIL("node %u: %" PRIu64 " frames of no connection", n, c->strays);
    if (!r->result.faulty && c->refused > 0) FAIL("node %u: %" PRIu64 " messages refused", n, c->refused);
  }
}

static void add_end(struct tree_totals *t, struct rc_end *end) {
  const struct rc_request_counts q = rc_requester_counts(rc_end_requester(end));
  const struct rc_respond_counts p = rc_responder_counts(rc_end_responder(end));
  t->packets += q.packets;
  t->repeats += q.repeats;
  t->limited += q.limited;
  t->timeouts += q.timeouts;
  t->naks += p.naks;
  t->rnrs += p.rnrs;
  t->duplicates += p.duplicates;
}

static void add_device(struct tree_totals *t, struct node_rtl *device, unsigned port, bool streaming) {
  const struct node_rtl_end e = node_rtl_end(device, port, streaming);
  t->packets += e.sent;
  t->repeats += e.repeats;
  t->limited += e.limited;
  t->timeouts += e.timeouts;
  t->duplicates += e.duplicates;
}

static void add_ends(struct tree_run *r) {
  const struct topology *t = r->o.network.topology;
  for (unsigned h = 0; h < t->hosts; h++)
    for (int sat = 0; sat < 2 && tree_net_owns(r->net, h); sat++)
      add_end(&r->result.totals, tree_host_end(tree_net_host(r->net, h), sat != 0));
  for (unsigned n = 0; n < t->count; n++) {
    if (!tree_net_owns(r->net, t->hosts + n)) continue;
    for (unsigned i = 0; i < 2 * r->o.network.pairs * tree_wiring_ports(&r->o.network, n); i++) {
      const unsigned tree = i % (2 * r->o.network.pairs), p = i / (2 * r->o.network.pairs);
      struct node_rtl *device = tree_net_device(r->net, n);
      struct rc_end *end = device != NULL ? NULL : tree_node_end(tree_net_node(r->net, n), tree, p);
      if (device != NULL) add_device(&r->result.totals, device, p, tree == 1);
      if (end != NULL) add_end(&r->result.totals, end);
    }
  }
}

/// What must have gone over one direction of a cable for one tree: once for each node upwards, once for each child downwards.
struct load {
  uint64_t messages, bytes;
};

/// Hosts of a group below the cable; 0 also if the group does not go over it.
static unsigned below(const struct tree_run *r, size_t cable, unsigned group) {
  const struct tree_net_options *o = &r->o.network;
  if (cable < o->topology->hosts) return cable % o->groups == group;
  const unsigned node = (unsigned)(cable - o->topology->hosts + 1), members = tree_wiring_members(o, node, group);
  return members == tree_wiring_members(o, 0, group) ? 0 : members;
}

static bool is_below(const struct tree_net_options *o, size_t cable, unsigned host) {
  if (cable < o->topology->hosts) return cable == host;
  const struct topology_node *n = &o->topology->nodes[cable - o->topology->hosts + 1];
  return host >= n->first_host && host < n->first_host + n->hosts;
}

static struct load load_due(const struct tree_run *r, size_t cable, bool up, unsigned tree) {
  const struct tree_net_options *o = &r->o.network;
  const struct tree_jobs_options *j = &r->o.jobs;
  const bool sat = tree % 2 == 1, sums = j->operation == TREE_ALL_REDUCE || j->operation == TREE_REDUCE;
  struct load due = {0};
  for (unsigned g = tree / 2; g < o->groups; g += o->pairs) {
    const unsigned members = below(r, cable, g);
    if (members == 0) continue;
    const uint64_t messages = tree_jobs_host(r->jobs, g)->messages[sat];
    due.messages += messages;
    due.bytes += messages * TREE_BYTES;
    if (sat != j->streams) continue;
    // Of each host of the group that is the special one, in turn.
    for (uint32_t part = 0; part < j->parts; part++) {
      const bool under = is_below(o, cable, tree_jobs_special(j, o, g, part));
      const bool carries = sums || (j->operation == TREE_BROADCAST && under);
      const bool wants = j->operation == TREE_ALL_REDUCE || (j->operation == TREE_REDUCE && under) ||
                         (j->operation == TREE_BROADCAST && members > under);
      if (up ? carries : wants) due.bytes += (uint64_t)j->operations * j->size;
    }
  }
  return due;
}

static void check_flow(struct tree_run *r, size_t cable, bool up, unsigned tree, const struct tree_watch *w) {
  const struct load due = load_due(r, cable, up, tree);
  struct tree_watch_flow none = {0};
  const struct tree_watch_flow *f = &none;
  for (size_t i = 0; i < w->count; i++)
    if (tree_wiring_tree(w->flows[i].qp) == tree) f = &w->flows[i];
  const char *way = up ? "upwards" : "downwards";
  if (f->messages != due.messages || f->bytes != due.bytes)
    FAIL("cable %zu %s, tree %u: %" PRIu64 " messages of %" PRIu64 " bytes, which should be %" PRIu64 " of %" PRIu64, cable, way,
         tree + 1, f->messages, f->bytes, due.messages, due.bytes);
  if (f->gaps > 0) FAIL("cable %zu %s, tree %u: %" PRIu64 " PSNs were never sent", cable, way, tree + 1, f->gaps);
  r->result.cables_checked++;
}

uint64_t tree_run_cable(const struct tree_run *r, size_t cable, bool up) {
  const struct tree_watch *w = &r->watches[2 * cable + !up];
  uint64_t bytes = 0;
  for (size_t i = 0; i < w->count; i++) bytes += w->flows[i].bytes;
  return bytes;
}

/// One direction of a cable. Returns how many packets were repeated on it.
static uint64_t check_way(struct tree_run *r, size_t cable, bool up, bool good) {
  struct tree_totals *t = &r->result.totals;
  const struct tree_watch *w = &r->watches[2 * cable + !up];
  const struct link_counts l = tree_net_link(r->net, cable, up);
  const uint64_t bytes = tree_run_cable(r, cable, up);
  uint64_t repeats = 0;
  for (size_t i = 0; i < w->count; i++) repeats += w->flows[i].repeats;
  *(up ? &t->up : &t->down) += bytes;
  uint64_t *most = up ? &t->most_up : &t->most_down;
  if (bytes > *most) *most = bytes;
  t->lost += l.lost;
  t->doubled += l.doubled;
  t->overtaken += l.overtaken;
  t->damaged += l.damaged;
  if (w->unread > 0) FAIL("cable %zu: %" PRIu64 " frames that are no good RoCEv2", cable, w->unread);
  for (unsigned tree = 0; good && tree < 2 * r->o.network.pairs; tree++) check_flow(r, cable, up, tree, w);
  return repeats;
}

static uint64_t check_cables(struct tree_run *r) {
  // All may have ended well before a cable was cut; nodes tell each other of that all the same.
  const bool good = r->o.jobs.wrong_count == 0 && r->result.jobs.verdicts[TREE_OK] == r->o.network.topology->hosts &&
                    r->result.nodes.teardowns == 0;
  uint64_t repeats = 0;
  for (size_t c = 0; c < tree_net_cables(r->net); c++)
    for (int up = 0; up < 2; up++)
      if (tree_net_sends(r->net, c, up != 0)) repeats += check_way(r, c, up != 0, good);
  return repeats;
}

static void check_repeats(struct tree_run *r, uint64_t repeats) {
  const struct tree_totals *t = &r->result.totals;
  // What a carrier loses or lets overtake is its own to say.
  const bool clean = r->o.network.carrier == NULL && t->lost + t->doubled + t->overtaken + t->damaged + t->hostile == 0;
  if (clean && repeats > 0 && t->rnrs == 0 && !r->result.faulty)
    FAIL("%" PRIu64 " packets were repeated, though none was lost", repeats);
  // What a device without its memory counts does not leave it.
  const bool spoilt = r->o.network.spoilt_node != TREE_NET_NOBODY;
  if (spoilt && t->spoilt == 0) FAIL("no memory of node %u has lost anything", r->o.network.spoilt_node);
  if (repeats != t->repeats && !spoilt) FAIL("cables saw %" PRIu64 " repeats, senders count %" PRIu64, repeats, t->repeats);
}

#define WORDS(of) (sizeof(of) / sizeof(uint64_t))

/// All processes know what came of all parts.
static void share_totals(struct tree_run *r, uint64_t *repeats) {
  struct tree_result *s = &r->result;
  struct tree_totals *t = &s->totals;
  _Static_assert(sizeof *t % sizeof(uint64_t) == 0 && sizeof s->nodes % sizeof(uint64_t) == 0, "they are sums");
  uint64_t most[] = {t->most_up, t->most_down, s->longest_ps, s->silence_ps};
  uint64_t sums[] = {*repeats,
                     s->denied,
                     s->devices,
                     s->devices_compared,
                     s->devices_cycles,
                     s->cables_checked,
                     world_events(tree_net_world(r->net)),
                     world_hash(tree_net_world(r->net))};
  ranks_most(most, WORDS(most));
  ranks_sum(sums, WORDS(sums));
  ranks_sum((uint64_t *)t, WORDS(*t));
  t->most_up = most[0];
  t->most_down = most[1];
  s->longest_ps = most[2];
  s->silence_ps = most[3];
  *repeats = sums[0];
  s->denied = sums[1];
  s->devices = (unsigned)sums[2];
  s->devices_compared = sums[3];
  s->devices_cycles = sums[4];
  s->cables_checked = sums[5];
  s->events = sums[6];
  s->hash = sums[7];
}

const struct tree_result *tree_run_finish(struct tree_run *r) {
  const struct tree_net_options *o = &r->o.network;
  r->result.faulty = r->o.jobs.wrong_count > 0 || o->dead_host != TREE_NET_NOBODY || o->cut_cable != TREE_NET_NOBODY ||
                     o->spoilt_node != TREE_NET_NOBODY;
  tree_jobs_share(r->jobs);
  r->result.jobs = tree_jobs_result(r->jobs);
  check_hosts(r);
  check_nodes(r);
  ranks_sum((uint64_t *)&r->result.nodes, WORDS(r->result.nodes));
  add_ends(r);
  uint64_t repeats = check_cables(r);
  r->result.totals.hostile = tree_net_attacks(r->net);
  share_totals(r, &repeats);
  if (ranks_own() == 0) check_repeats(r, repeats);
  share_findings(&r->result.findings);
  return &r->result;
}
