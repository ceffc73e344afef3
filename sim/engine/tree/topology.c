#include "sim/engine/tree/topology.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "sim/engine/tree/json_file.h"
#include "wire/reduce.h"
#include "wire/roce.h"

/// What is wrong, for one line.
struct fault {
  char *text;
  size_t size;
  const struct topology_limits *limits;
};

static int fail(const struct fault *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int fail(const struct fault *f, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(f->text, f->size, format, arguments);
  va_end(arguments);
  return -1;
}

// --- building ---

static int add_node(struct topology *t, unsigned parent, unsigned child, const struct fault *f) {
  if (t->count == f->limits->nodes) return fail(f, "more than %u switches", f->limits->nodes);
  const unsigned depth = parent == TOPOLOGY_NOBODY ? 0 : t->nodes[parent].depth + 1;
  t->nodes[t->count] = (struct topology_node){.parent = parent, .child = child, .depth = depth, .first_host = t->hosts};
  for (unsigned i = 0; i < TOPOLOGY_MAX_CHILDREN; i++) t->nodes[t->count].at[i] = (uint8_t)i;
  if (depth + 1 > t->levels) t->levels = depth + 1;
  return (int)t->count++;
}

static int add_hosts(struct topology *t, unsigned node, uint64_t hosts, const struct fault *f) {
  if (hosts < 1 || hosts > f->limits->children) return fail(f, "a leaf has 1 to %u hosts", f->limits->children);
  if (t->hosts + hosts > f->limits->hosts) return fail(f, "more than %u hosts", f->limits->hosts);
  t->nodes[node].leaf = true;
  t->nodes[node].children = (unsigned)hosts;
  t->hosts += (unsigned)hosts;
  return 0;
}

/// What every tree must be; counts the hosts below each switch.
static int finish(struct topology *t, const struct fault *f) {
  if (t->hosts < 2) return fail(f, "fewer than 2 hosts");
  for (unsigned n = t->count; n-- > 0;) {
    struct topology_node *node = &t->nodes[n];
    if (node->leaf) node->hosts = node->children;
    if (node->parent != TOPOLOGY_NOBODY) t->nodes[node->parent].hosts += node->hosts;
  }
  return 0;
}

// --- reading ---

static int read_leaf_spine(struct topology *t, const char *text, const struct fault *f) {
  char leaves[8] = "";
  const char *x = strchr(text, 'x');
  uint64_t l, h;
  if (x == NULL || (size_t)(x - text) >= sizeof leaves) return fail(f, "leaf-spine:LxH wants two numbers");
  memcpy(leaves, text, (size_t)(x - text));
  if (!text_whole(leaves, 1, f->limits->children, &l) || !text_whole(x + 1, 1, f->limits->children, &h))
    return fail(f, "leaf-spine:LxH wants 1 to %u leaves with 1 to %u hosts each", f->limits->children, f->limits->children);
  add_node(t, TOPOLOGY_NOBODY, 0, f);
  t->nodes[0].children = (unsigned)l;
  for (unsigned leaf = 0; leaf < l; leaf++) {
    const int node = add_node(t, 0, leaf, f);
    if (node < 0 || add_hosts(t, (unsigned)node, h, f) != 0) return -1;
  }
  return 0;
}

enum { MOST_LEVELS = 8 };

// NOLINTNEXTLINE(misc-no-recursion): as deep as the text has numbers.
static int grow(struct topology *t, const uint64_t *numbers, unsigned levels, unsigned parent, unsigned child,
                const struct fault *f) {
  const int node = add_node(t, parent, child, f);
  if (node < 0) return -1;
  if (levels == 1) return add_hosts(t, (unsigned)node, numbers[0], f);
  t->nodes[node].children = (unsigned)numbers[0];
  for (unsigned i = 0; i < numbers[0]; i++)
    if (grow(t, numbers + 1, levels - 1, (unsigned)node, i, f) != 0) return -1;
  return 0;
}

/// "AxBxH": a root with A switches below it, each with B, each of which has H hosts. "H": hosts below one switch.
static int read_fat_tree(struct topology *t, const char *text, const struct fault *f) {
  uint64_t numbers[MOST_LEVELS];
  unsigned levels = 0;
  for (const char *end = text; end != NULL; text = end + 1) {
    char number[8] = "";
    end = strchr(text, 'x');
    const size_t len = end != NULL ? (size_t)(end - text) : strlen(text);
    if (levels == MOST_LEVELS || len >= sizeof number)
      return fail(f, "fat-tree:AxBxH wants one to eight numbers of 1 to %u", f->limits->children);
    memcpy(number, text, len);
    if (!text_whole(number, 1, f->limits->children, &numbers[levels++]))
      return fail(f, "fat-tree:AxBxH wants one to eight numbers of 1 to %u", f->limits->children);
    if (end == NULL) break;
  }
  return grow(t, numbers, levels, TOPOLOGY_NOBODY, 0, f);
}

/// "radix" and "ports" of a switch whose children are known.
static int read_ports(struct topology_node *node, const json_t *radix, const json_t *ports, const struct fault *f) {
  const bool root = node->parent == TOPOLOGY_NOBODY;
  uint64_t taken = 0;
  if (f->limits->radix == 0) return fail(f, "\"radix\" and \"ports\" are for nodes of weir tree");
  const json_int_t most = json_integer_value(radix);
  if (!json_is_integer(radix) || most < 2 || most > f->limits->radix || most % 2 != 0)
    return fail(f, "\"radix\" must be an even number up to %u, beside \"ports\"", f->limits->radix);
  if (!json_is_array(ports) || json_array_size(ports) != node->children)
    return fail(f, "\"ports\" must be a list of %u, one a child", node->children);
  for (unsigned i = 0; i < node->children; i++) {
    const json_t *one = json_array_get(ports, i);
    const json_int_t port = json_integer_value(one);
    if (!json_is_integer(one) || port < 0 || port >= most - !root || (taken >> port & 1) != 0)
      return fail(f, "\"ports\" must differ, and be below %d%s", (int)most - !root,
                  root ? "" : ": the last one is for the parent");
    taken |= UINT64_C(1) << port;
    node->at[i] = (uint8_t)port;
  }
  node->radix = (unsigned)most;
  return 0;
}

// NOLINTNEXTLINE(misc-no-recursion): a tree; jansson limits how deep.
static int read_node(struct topology *t, const json_t *json, unsigned parent, unsigned child, const struct fault *f) {
  const json_t *hosts = json_object_get(json, "hosts"), *children = json_object_get(json, "children");
  const json_t *radix = json_object_get(json, "radix"), *ports = json_object_get(json, "ports");
  const bool named = radix != NULL || ports != NULL;
  if (json_object_size(json) != 1u + (radix != NULL) + (ports != NULL) || (hosts == NULL) == (children == NULL))
    return fail(f, "a switch is {\"hosts\": NUMBER} or {\"children\": [..]}");
  const int node = add_node(t, parent, child, f);
  if (node < 0) return -1;
  if (hosts != NULL) {
    if (!json_is_integer(hosts)) return fail(f, "\"hosts\" must be a number");
    const int code = add_hosts(t, (unsigned)node, (uint64_t)json_integer_value(hosts), f);
    return code == 0 && named ? read_ports(&t->nodes[node], radix, ports, f) : code;
  }
  if (!json_is_array(children) || json_array_size(children) < 1 || json_array_size(children) > f->limits->children)
    return fail(f, "\"children\" must be a list of 1 to %u switches", f->limits->children);
  t->nodes[node].children = (unsigned)json_array_size(children);
  if (named && read_ports(&t->nodes[node], radix, ports, f) != 0) return -1;
  for (unsigned i = 0; i < t->nodes[node].children; i++)
    if (read_node(t, json_array_get(children, i), (unsigned)node, i, f) != 0) return -1;
  return 0;
}

static int read_json(struct topology *t, const char *text, const struct fault *f) {
  json_error_t wrong;
  json_t *json =
      *text == '{' ? json_loads(text, JSON_REJECT_DUPLICATES, &wrong) : json_file_read(text, JSON_REJECT_DUPLICATES, &wrong);
  if (json == NULL) {
    if (wrong.line > 0)
      snprintf(f->text, f->size, "line %d: %s", wrong.line, wrong.text);
    else
      snprintf(f->text, f->size, "%s", wrong.text);
    text_make_printable(f->text);
    return -1;
  }
  const int code = read_node(t, json, TOPOLOGY_NOBODY, 0, f);
  json_decref(json);
  return code;
}

int topology_read(struct topology *t, const char *text, const struct topology_limits *limits, char *error, size_t size) {
  static const char name[] = "leaf-spine:", fat[] = "fat-tree:";
  const struct fault f = {error, size, limits};
  memset(t, 0, sizeof *t);
  const bool named = strncmp(text, name, sizeof name - 1) == 0;
  int code;
  if (named)
    code = read_leaf_spine(t, text + sizeof name - 1, &f);
  else if (strncmp(text, fat, sizeof fat - 1) == 0)
    code = read_fat_tree(t, text + sizeof fat - 1, &f);
  else
    code = read_json(t, text, &f);
  return code == 0 ? finish(t, &f) : code;
}

// --- looking at it ---

unsigned topology_child(const struct topology *t, unsigned node, unsigned index) {
  unsigned n = node + 1;
  while (t->nodes[n].parent != node || t->nodes[n].child != index) n++;
  return n;
}

unsigned topology_at(const struct topology_node *node, unsigned port) {
  unsigned i = 0;
  while (i < node->children && node->at[i] != port) i++;
  return i;
}

unsigned topology_leaf(const struct topology *t, unsigned host) {
  unsigned n = 0;
  while (!t->nodes[n].leaf || host - t->nodes[n].first_host >= t->nodes[n].hosts) n++;
  return n;
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the tree.
int topology_reduce(const struct topology *t, unsigned node, uint8_t kind, const uint8_t *const rows[], size_t len,
                    uint8_t *out) {
  const struct topology_node *n = &t->nodes[node];
  if (n->leaf) return ina_reduce(kind, rows + n->first_host, n->hosts, len, out);
  const uint8_t *sums[TOPOLOGY_MAX_CHILDREN];
  uint8_t *room = need(malloc((size_t)n->children * len));
  int code = 0;
  for (unsigned i = 0; i < n->children && code == 0; i++) {
    sums[i] = room + i * len;
    code = topology_reduce(t, topology_child(t, node, i), kind, rows, len, room + i * len);
  }
  if (code == 0) code = ina_reduce(kind, sums, n->children, len, out);
  free(room);
  return code;
}
