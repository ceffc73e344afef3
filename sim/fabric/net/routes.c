#include "sim/fabric/net/routes.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void routes_free(struct routes *r) {
  free(r->groups);
  free(r->ports);
  *r = (struct routes){0};
}

// Cables from each switch to a leaf, on the shortest way, into `far`; UINT32_MAX: there is none.
static void measure(const struct net *n, uint32_t leaf, const bool cut[], uint32_t *far, uint32_t *line) {
  memset(far, 0xFF, n->switches * sizeof *far);
  far[leaf] = 0;
  line[0] = leaf;
  for (size_t done = 0, count = 1; done < count; done++) {
    const uint32_t s = line[done];
    for (uint32_t p = 0; p < n->port_count[n->hosts + s]; p++) {
      const uint32_t number = n->at[n->hosts + s][p];
      const struct net_cable *c = &n->cables[number];
      const uint32_t other = c->ends[c->ends[0] == n->hosts + s];
      if (other < n->hosts || (cut != NULL && cut[number]) || far[other - n->hosts] != UINT32_MAX) continue;
      far[other - n->hosts] = far[s] + 1;
      line[count++] = other - n->hosts;
    }
  }
}

// The ports of a switch that lead nearer, behind all others in `ports`; the place of an equal group if the switch has one already.
static uint32_t put_group(struct routes *r, const struct net *n, uint32_t s, const uint32_t *far, const bool cut[],
                          uint32_t *known, size_t *known_count) {
  const uint32_t end = n->hosts + s, ports = n->port_count[end];
  r->ports = need_room(r->ports, &r->room, r->used + ports + 1, sizeof *r->ports);
  uint32_t *group = &r->ports[r->used];
  group[0] = 0;
  for (uint32_t p = 0; p < ports && far[s] != UINT32_MAX; p++) {
    const uint32_t number = n->at[end][p];
    const struct net_cable *c = &n->cables[number];
    const uint32_t other = c->ends[c->ends[0] == end];
    if (other >= n->hosts && (cut == NULL || !cut[number]) && far[other - n->hosts] < far[s]) group[++group[0]] = p;
  }
  for (size_t k = 0; k < *known_count; k++)
    if (memcmp(&r->ports[known[k]], group, (group[0] + 1) * sizeof *group) == 0) return known[k];
  known[(*known_count)++] = (uint32_t)r->used;
  r->used += group[0] + 1;
  return known[*known_count - 1];
}

void routes_make(struct routes *r, const struct net *n, const bool cut[]) {
  routes_free(r);
  uint32_t *far = need(malloc(n->switches * sizeof *far)), *line = need(malloc(n->switches * sizeof *line));
  // Groups that a switch has, as many as it has ports and one more: other groups are written anew.
  uint32_t **known = need(calloc(n->switches, sizeof *known));
  size_t *known_count = need(calloc(n->switches, sizeof *known_count));
  bool *has_hosts = need(calloc(n->switches, sizeof *has_hosts));
  for (uint32_t h = 0; h < n->hosts; h++) has_hosts[n->leaf[h]] = true;
  r->leaves = n->switches;
  r->groups = need(calloc((size_t)n->switches * n->switches, sizeof *r->groups));
  r->ports = need_room(NULL, &r->room, 1, sizeof *r->ports);
  r->ports[r->used++] = 0;   // place 0: no port at all
  for (uint32_t s = 0; s < n->switches; s++) known[s] = need(malloc(n->switches * sizeof **known));
  for (uint32_t leaf = 0; leaf < n->switches; leaf++) {
    if (!has_hosts[leaf]) continue;
    measure(n, leaf, cut, far, line);
    for (uint32_t s = 0; s < n->switches; s++)
      r->groups[(size_t)s * r->leaves + leaf] = put_group(r, n, s, far, cut, known[s], &known_count[s]);
  }
  for (uint32_t s = 0; s < n->switches; s++) free(known[s]);
  free(known);
  free(known_count);
  free(has_hosts);
  free(far);
  free(line);
}

// --- circles ---

// A depth-first search over directed cables: which of them a packet can go on to behind one.
struct circle_search {
  const struct routes *routes;
  const struct net *net;
  uint8_t *state;   // 0: not seen, 1: on the way, 2: done
  uint32_t *way;    // directed cables on the way
  size_t depth;
};

static uint32_t sender(const struct net *n, uint32_t d) { return n->cables[d & INT32_MAX].ends[d >> 31]; }
static uint32_t receiver(const struct net *n, uint32_t d) { return n->cables[d & INT32_MAX].ends[1 - (d >> 31)]; }
static size_t place(uint32_t d) { return 2 * (size_t)(d & INT32_MAX) + (d >> 31); }

static bool has(const struct routes *r, uint32_t s, uint32_t leaf, uint32_t port) {
  const uint32_t *group = &r->ports[r->groups[(size_t)s * r->leaves + leaf]];
  for (uint32_t i = 1; i <= group[0]; i++)
    if (group[i] == port) return true;
  return false;
}

// Whether what has come by directed cable `from` may leave its receiver by `port`: there is a leaf that both are on the way to.
static bool follows(const struct circle_search *q, uint32_t from, uint32_t port) {
  const struct net *n = q->net;
  const uint32_t a = sender(n, from), b = receiver(n, from) - n->hosts;
  for (uint32_t h = 0; h < n->hosts; h++) {
    if (h > 0 && n->leaf[h] == n->leaf[h - 1]) continue;
    const uint32_t leaf = n->leaf[h];
    const bool comes = a < n->hosts || has(q->routes, a - n->hosts, leaf, n->cables[from & INT32_MAX].ports[from >> 31]);
    if (comes && has(q->routes, b, leaf, port)) return true;
  }
  return false;
}

// From directed cable `d` on. The first place of the circle on the way, or SIZE_MAX.
static size_t visit(struct circle_search *q, uint32_t d) {
  const struct net *n = q->net;
  q->state[place(d)] = 1;
  q->way[q->depth++] = d;
  const uint32_t end = receiver(n, d);
  for (uint32_t p = 0; end >= n->hosts && p < n->port_count[end]; p++) {
    const uint32_t number = n->at[end][p], next = number | (n->cables[number].ends[1] == end ? 1u << 31 : 0);
    if (q->state[place(next)] == 2 || receiver(n, next) < n->hosts || !follows(q, d, p)) continue;
    if (q->state[place(next)] == 1) {
      size_t first = 0;
      while (q->way[first] != next) first++;
      return first;
    }
    const size_t found = visit(q, next);
    if (found != SIZE_MAX) return found;
  }
  q->state[place(d)] = 2;
  q->depth--;
  return SIZE_MAX;
}

size_t routes_circle(const struct routes *r, const struct net *n, const bool only[], uint32_t circle[], size_t most) {
  struct circle_search q = {.routes = r,
                            .net = n,
                            .state = need(calloc(2 * n->cable_count, 1)),
                            .way = need(malloc(2 * n->cable_count * sizeof *q.way))};
  size_t found = SIZE_MAX, count = 0;
  for (size_t d = 0; d < 2 * n->cable_count && only != NULL; d++)
    if (!only[d]) q.state[d] = 2;
  for (uint32_t c = 0; c < n->cable_count && found == SIZE_MAX; c++)
    for (uint32_t end = 0; end < 2 && found == SIZE_MAX; end++) {
      const uint32_t d = c | end << 31;
      if (q.state[place(d)] == 0 && receiver(n, d) >= n->hosts) found = visit(&q, d);
    }
  for (size_t i = found; found != SIZE_MAX && i < q.depth && count < most; i++) circle[count++] = q.way[i];
  free(q.state);
  free(q.way);
  return count;
}
