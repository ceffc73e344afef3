// Which nodes of weir tree are devices, and what those can be.
#include "sim/tree/tree_options.h"

#include <string.h>

#include "base/text.h"
#include "sim/engine/tree/tree_wiring.h"

static bool whole_us(double us, double most) { return us >= 1 && us <= most && us == (double)(uint64_t)us; }

/// Which nodes are devices, into `is_device`.
static int read_devices(struct tree_options *o) {
  const unsigned nodes = o->topology.count;
  const bool all = strcmp(o->devices, "rtl") == 0;
  if (strcmp(o->devices, "model") == 0) return 0;
  o->run.network.devices = o->is_device;
  for (unsigned n = 0; n < nodes && all; n++) o->is_device[n] = true;
  for (const char *at = o->devices; !all;) {
    const size_t len = strcspn(at, ",");
    char text[16] = "";
    uint64_t number;
    if (len < sizeof text) memcpy(text, at, len);
    if (!text_whole(text, 0, nodes - 1, &number))
      return tree_refuse("--devices %s: must be model, rtl, or nodes from 0 to %u with commas between them", o->devices,
                         nodes - 1);
    o->is_device[number] = true;
    if (at[len] == '\0') return 0;
    at += len + 1;
  }
  return 0;
}

/// A device's times are whole microseconds in registers of 24 bits.
static int check_times(const struct tree_options *o) {
  const double most = 0xFFFFFF, waits = o->patience_us * (2 * o->topology.levels + 1);
  if (!whole_us(o->timeout_us, most)) return tree_refuse("--timeout %g: a device counts whole microseconds", o->timeout_us);
  if (!whole_us(o->patience_us, most) || waits > most)
    return tree_refuse("--patience %g: a device counts whole microseconds; in this tree up to %.0f", o->patience_us,
                       most / (2 * o->topology.levels + 1));
  return 0;
}

/// Groups that a node has to know.
static unsigned groups_at(const struct tree_net_options *n, unsigned node) {
  unsigned count = 0;
  for (unsigned g = 0; g < n->groups; g++) count += tree_wiring_knows(n, node, g);
  return count;
}

static int check_device(const struct tree_options *o, unsigned node) {
  const struct tree_net_options *n = &o->run.network;
  const struct node_config *built = tree_wiring_built(n, node), *largest = node_config_largest();
  if (built == NULL && n->corrected)
    return tree_refuse("--flips and --lose-memory: node %u needs more ports than any device with corrected memories has", node);
  if (built == NULL)
    return tree_refuse("--devices %s: node %u needs more than the %u ports of %s; give it fewer children, or leave it a model",
                       o->devices, node, largest->ports, largest->name);
  if (groups_at(n, node) > TREE_CONTROL_GROUPS)
    return tree_refuse("--groups %u: node %u would be in %u of them, a device is in %d at most", n->groups, node,
                       groups_at(n, node), TREE_CONTROL_GROUPS);
  if (n->credits > built->queue_room)
    return tree_refuse("--credits %u: %s has room for %u packets of a connection; --credits must not be more", n->credits,
                       built->name, built->queue_room);
  if (n->mtu > 64 * built->rows)
    return tree_refuse("--mtu %u: packets of %s have up to %u bytes", n->mtu, built->name, 64 * built->rows);
  return 0;
}

/// Memories that flip, or lose words.
static int check_memories(struct tree_options *o) {
  struct tree_net_options *n = &o->run.network;
  uint64_t number;
  n->spoilt_node = TREE_NET_NOBODY;
  n->corrected = n->flips > 0 || o->lose_memory != NULL;
  if (n->flips > 0 && n->devices == NULL)
    return tree_refuse("--flips %u: nodes are models, without memories; --devices rtl", n->flips);
  if (o->lose_memory == NULL) return 0;
  char who[TREE_EVENT];
  if (!tree_options_event(o->lose_memory, who, &n->spoilt_ps) || !text_whole(who, 0, o->topology.count - 1, &number) ||
      !o->is_device[number])
    return tree_refuse("--lose-memory %s: must be a node that is a device, @, and microseconds", o->lose_memory);
  n->spoilt_node = (unsigned)number;
  return 0;
}

int tree_options_check_devices(struct tree_options *o) {
  const struct tree_net_options *n = &o->run.network;
  int code = read_devices(o);
  if (code == 0) code = check_memories(o);
  if (code != 0 || n->devices == NULL) return code;
  if (n->pairs > 1) return tree_refuse("--trees %u: a device has one pair of trees; --trees 1 will do", n->pairs);
  if (n->lock_cells != TREE_CONTROL_CELLS)
    return tree_refuse("--cells %u: a device has %d lock cells; --cells %d will do", n->lock_cells, TREE_CONTROL_CELLS,
                       TREE_CONTROL_CELLS);
  code = check_times(o);
  for (unsigned node = 0; node < o->topology.count && code == 0; node++)
    if (o->is_device[node]) code = check_device(o, node);
  return code;
}
