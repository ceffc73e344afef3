#include "sim/fabric/net/net.h"
#include "sim/fabric/net/routes.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "sim/engine/tree/json_file.h"

struct reading {
  struct net *net;
  char *error;
  size_t size;
};

__attribute__((format(printf, 2, 3))) static int refuse(const struct reading *r, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(r->error, r->size, format, arguments);
  va_end(arguments);
  text_make_printable(r->error);
  return -1;
}

const char *net_name(const struct net *net, uint32_t end, char text[16]) {
  snprintf(text, 16, "%c%u", end < net->hosts ? 'h' : 's', end < net->hosts ? end : end - net->hosts);
  return text;
}

void net_free(struct net *n) {
  for (uint32_t e = 0; n->at != NULL && e < n->hosts + n->switches; e++) free(n->at[e]);
  free(n->at);
  free(n->cables);
  free(n->tiers);
  free(n->port_count);
  free(n->leaf);
  free(n->slice);
  free(n->node_at);
  free(n->node_parent);
  *n = (struct net){0};
}

static void begin(struct net *n, uint32_t hosts, uint32_t switches) {
  const size_t ends = hosts + switches;
  n->hosts = hosts;
  n->switches = switches;
  n->tiers = need(calloc(switches + 1, sizeof *n->tiers));
  n->port_count = need(calloc(ends, sizeof *n->port_count));
  n->leaf = need(malloc(hosts * sizeof *n->leaf));
  n->slice = need(calloc(hosts, sizeof *n->slice));
  n->at = need(calloc(ends, sizeof *n->at));
  n->node_at = need(malloc((switches + 1) * sizeof *n->node_at));
  n->node_parent = need(malloc((switches + 1) * sizeof *n->node_parent));
  for (uint32_t s = 0; s < switches; s++) n->node_at[s] = n->node_parent[s] = NET_NOWHERE;
  for (uint32_t h = 0; h < hosts; h++) n->leaf[h] = NET_NOWHERE;
}

static void put_cable(struct net *n, uint32_t a, uint32_t b, double gbps, uint64_t delay_ps) {
  n->cables = need_room(n->cables, &n->cable_room, n->cable_count + 1, sizeof *n->cables);
  n->cables[n->cable_count++] =
      (struct net_cable){{a, b}, {n->port_count[a]++, n->port_count[b]++}, gbps, delay_ps > 0 ? delay_ps : 1};
}

// All cables are there.
static void finish(struct net *n) {
  uint32_t *taken = need(calloc(n->switches + 1, sizeof *taken));
  for (uint32_t e = 0; e < n->hosts + n->switches; e++) n->at[e] = need(calloc(n->port_count[e] + 1, sizeof **n->at));
  for (size_t c = 0; c < n->cable_count; c++) {
    const struct net_cable *cable = &n->cables[c];
    for (unsigned end = 0; end < 2; end++) {
      n->at[cable->ends[end]][cable->ports[end]] = (uint32_t)c;
      if (cable->ends[end] < n->hosts) n->leaf[cable->ends[end]] = cable->ends[1 - end] - n->hosts;
    }
  }
  for (uint32_t h = 0; h < n->hosts; h++)
    if (n->leaf[h] != NET_NOWHERE) n->slice[h] = taken[n->leaf[h]]++;
  free(taken);
}

// --- clos: ---

struct clos {
  unsigned long hosts, leaves, spines, pods, tops;
};

// A node beside switch `s`, as host `h`.
static void put_node(struct net *n, uint32_t h, uint32_t s, uint32_t parent, const struct net_speeds *v) {
  const uint32_t end = n->hosts + s;
  double gbps = 0;
  for (size_t c = 0; c < n->cable_count; c++)
    if (n->cables[c].ends[0] == end || n->cables[c].ends[1] == end) gbps += n->cables[c].gbps;
  put_cable(n, h, end, gbps, v->node_ps);
  n->node_at[s] = h;
  n->node_parent[s] = parent;
}

static void put_nodes(struct net *n, const struct clos *c, const struct net_speeds *v) {
  const uint32_t pod_switches = (uint32_t)(c->leaves + c->spines), top = (uint32_t)c->pods * pod_switches;
  uint32_t h = n->hosts - n->nodes;
  for (uint32_t p = 0; p < c->pods; p++) {
    const uint32_t leaves = p * pod_switches, spine = c->spines > 0 ? leaves + (uint32_t)c->leaves : NET_NOWHERE;
    for (uint32_t l = 0; l < c->leaves; l++) put_node(n, h++, leaves + l, spine, v);
    if (c->spines > 0) put_node(n, h++, spine, c->pods > 1 ? top : NET_NOWHERE, v);
  }
  if (c->pods > 1) put_node(n, h++, top, NET_NOWHERE, v);
}

static int make_clos(const struct reading *r, const struct clos *c, const struct net_speeds *v) {
  struct net *n = r->net;
  const unsigned long pod_switches = c->leaves + c->spines;
  if (c->hosts == 0 || c->leaves == 0 || c->pods == 0 || (c->spines == 0 && c->leaves > 1) || (c->tops == 0 && c->pods > 1))
    return refuse(r, "hosts that no switch connects: there must be at least one of each");
  if (c->hosts > NET_MAX_HOSTS || c->leaves > NET_MAX_SWITCHES || c->spines > NET_MAX_SWITCHES || c->pods > NET_MAX_SWITCHES ||
      c->tops > NET_MAX_SWITCHES || c->hosts * c->leaves * c->pods > NET_MAX_HOSTS)
    return refuse(r, "more than %d hosts or %d switches", NET_MAX_HOSTS, NET_MAX_SWITCHES);
  const unsigned long switches = c->pods * pod_switches + c->tops * c->spines;
  unsigned long hosts = c->hosts * c->leaves * c->pods;
  const unsigned long cables = hosts + c->pods * c->spines * (c->leaves + c->tops);
  if (switches > NET_MAX_SWITCHES || cables > NET_MAX_CABLES)
    return refuse(r, "more than %d switches or %d cables", NET_MAX_SWITCHES, NET_MAX_CABLES);
  const unsigned long nodes = v->nodes ? c->pods * (c->leaves + (c->spines > 0)) + (c->pods > 1) : 0;
  hosts += nodes;
  begin(n, (uint32_t)hosts, (uint32_t)switches);
  n->nodes = (uint32_t)nodes;
  for (uint32_t p = 0; p < c->pods; p++) {
    const uint32_t leaves = (uint32_t)(hosts + p * pod_switches), spines = leaves + (uint32_t)c->leaves;
    for (uint32_t l = 0; l < c->leaves; l++) {
      n->tiers[leaves + l - hosts] = 1;
      for (uint32_t h = 0; h < c->hosts; h++)
        put_cable(n, (uint32_t)((p * c->leaves + l) * c->hosts + h), leaves + l, v->host, v->delay_ps[0]);
      for (uint32_t s = 0; s < c->spines; s++) put_cable(n, leaves + l, spines + s, v->leaf, v->delay_ps[1]);
    }
    for (uint32_t s = 0; s < c->spines; s++) {
      n->tiers[spines + s - hosts] = 2;
      for (uint32_t t = 0; t < c->tops; t++)
        put_cable(n, spines + s, (uint32_t)(hosts + c->pods * pod_switches + s * c->tops + t), v->spine, v->delay_ps[2]);
    }
  }
  for (unsigned long t = c->pods * pod_switches; t < switches; t++) n->tiers[t] = 3;
  if (v->nodes) put_nodes(n, c, v);
  finish(n);
  return 0;
}

static int read_clos(const struct reading *r, const char *text, const struct net_speeds *speeds) {
  struct clos c = {.pods = 1};
  int end = 0;
  sscanf(text, "%lux%lux%lu%n,%lux%lu%n", &c.hosts, &c.leaves, &c.spines, &end, &c.pods, &c.tops, &end);
  if (end == 0 || text[end] != '\0' || strspn(text, "0123456789x,") != strlen(text))
    return refuse(r,
                  "must be clos:HxLxS (hosts of a leaf, leaves, spines) or clos:HxLxS,PxA (and pods, switches above each spine)");
  return make_clos(r, &c, speeds);
}

// A machine is a leaf: its accelerators are hosts on an inner switch, which has one cable to the rack's (NetReduce 3.4).
static int read_machines(const struct reading *r, const char *text, const struct net_speeds *v) {
  struct clos c = {.spines = 1, .pods = 1};
  int end = 0;
  sscanf(text, "%lux%lu%n", &c.leaves, &c.hosts, &end);
  if (end == 0 || text[end] != '\0' || strspn(text, "0123456789x") != strlen(text))
    return refuse(r, "must be machines:MxN (machines, accelerators in each)");
  struct net_speeds inner = *v;
  inner.host = v->inner;
  inner.leaf = v->host;
  inner.delay_ps[1] = v->delay_ps[0];
  return make_clos(r, &c, &inner);
}

// --- JSON ---

// "h3", "s0": an end.
static bool read_end(const struct net *n, const json_t *value, uint32_t *end) {
  const char *text = json_string_value(value);
  if (text == NULL || (text[0] != 'h' && text[0] != 's') || text[1] < '0' || text[1] > '9') return false;
  char *behind;
  const unsigned long number = strtoul(text + 1, &behind, 10);
  if (*behind != '\0' || number >= (text[0] == 'h' ? n->hosts : n->switches)) return false;
  *end = (uint32_t)number + (text[0] == 's' ? n->hosts : 0);
  return true;
}

static int read_cable(const struct reading *r, size_t index, const json_t *cable) {
  struct net *n = r->net;
  uint32_t a, b;
  if (!read_end(n, json_array_get(cable, 0), &a) || !read_end(n, json_array_get(cable, 1), &b) || a == b)
    return refuse(r, "cable %zu: must be two ends like \"h0\" and \"s3\" that are there, Gb/s, and nanoseconds", index);
  const double gbps = json_number_value(json_array_get(cable, 2)), ns = json_number_value(json_array_get(cable, 3));
  if (!(gbps >= 0.1 && gbps <= 10000)) return refuse(r, "cable %zu: a rate of %g Gb/s; it must be 0.1 to 10000", index, gbps);
  if (!(ns >= 0.001 && ns <= 1e7)) return refuse(r, "cable %zu: a delay of %g ns; it must be 0.001 to 10000000", index, ns);
  if (a < n->hosts && b < n->hosts) return refuse(r, "cable %zu is between two hosts", index);
  for (unsigned i = 0; i < 2; i++)
    if ((i == 0 ? a : b) < n->hosts && n->port_count[i == 0 ? a : b] > 0)
      return refuse(r, "cable %zu: host %u has another cable, and may have one", index, i == 0 ? a : b);
  put_cable(n, a, b, gbps, (uint64_t)(ns * 1e3));
  return 0;
}

static int read_json(const struct reading *r, const json_t *json, bool *cyclic) {
  const json_t *switches = json_object_get(json, "switches"), *cables = json_object_get(json, "cables");
  const json_int_t hosts = json_integer_value(json_object_get(json, "hosts"));
  if (hosts < 1 || hosts > NET_MAX_HOSTS) return refuse(r, "\"hosts\" must be 1 to %d", NET_MAX_HOSTS);
  if (json_array_size(switches) < 1 || json_array_size(switches) > NET_MAX_SWITCHES)
    return refuse(r, "\"switches\" must be an array of 1 to %d tiers", NET_MAX_SWITCHES);
  if (json_array_size(cables) < 1 || json_array_size(cables) > NET_MAX_CABLES)
    return refuse(r, "\"cables\" must be an array of 1 to %d cables", NET_MAX_CABLES);
  begin(r->net, (uint32_t)hosts, (uint32_t)json_array_size(switches));
  for (size_t s = 0; s < json_array_size(switches); s++) {
    const json_int_t tier = json_integer_value(json_array_get(switches, s));
    if (tier < 1 || tier > 8) return refuse(r, "switch %zu: its tier must be 1 to 8", s);
    r->net->tiers[s] = (uint8_t)tier;
  }
  int code = 0;
  for (size_t c = 0; c < json_array_size(cables) && code == 0; c++) code = read_cable(r, c, json_array_get(cables, c));
  *cyclic = json_is_true(json_object_get(json, "cyclic"));
  finish(r->net);
  return code;
}

// Every host hears every other, and packets go up and then down, so that no circle of full buffers can be.
static int check(const struct reading *r, bool cyclic) {
  const struct net *n = r->net;
  char a[16], b[16];
  for (uint32_t h = 0; h < n->hosts; h++)
    if (n->leaf[h] == NET_NOWHERE) return refuse(r, "host %u has no cable", h);
  struct routes routes = {0};
  routes_make(&routes, n, NULL);
  const uint32_t first = n->leaf[0];
  int code = 0;
  for (uint32_t h = 1; h < n->hosts && code == 0; h++)
    if (n->leaf[h] != first && routes.ports[routes.groups[first * routes.leaves + n->leaf[h]]] == 0)
      code = refuse(r, "host 0 cannot reach host %u", h);
  uint32_t circle[64];
  const size_t length = code == 0 && !cyclic ? routes_circle(&routes, n, NULL, circle, 64) : 0;
  if (length > 0) {
    const struct net_cable *c = &n->cables[circle[0] & INT32_MAX];
    const unsigned from = circle[0] >> 31;
    code = refuse(r,
                  "no Clos: %zu cables could wait for each other in a circle, beginning with %s to %s; \"cyclic\": true takes it "
                  "nevertheless",
                  length, net_name(n, c->ends[from], a), net_name(n, c->ends[1 - from], b));
  }
  routes_free(&routes);
  return code;
}

int net_read(struct net *net, const char *text, const struct net_speeds *speeds, char *error, size_t size) {
  const struct reading r = {net, error, size};
  *net = (struct net){0};
  if (strncmp(text, "clos:", 5) == 0) return read_clos(&r, text + 5, speeds);
  if (strncmp(text, "machines:", 9) == 0) return read_machines(&r, text + 9, speeds);
  json_error_t wrong;
  json_t *json = text[strspn(text, " \n\t")] == '{' ? json_loads(text, JSON_REJECT_DUPLICATES, &wrong)
                                                    : json_file_read(text, JSON_REJECT_DUPLICATES, &wrong);
  if (json == NULL && wrong.line < 0) return refuse(&r, "%s", wrong.text);
  if (json == NULL) return refuse(&r, "line %d: %s", wrong.line, wrong.text);
  bool cyclic = false;
  int code = read_json(&r, json, &cyclic);
  json_decref(json);
  return code == 0 ? check(&r, cyclic) : code;
}
