#include "drive/tree/tree_control.h"

#include "wire/bytes.h"

enum { CYCLE_PS = 4000 };
#define US UINT64_C(1000000)   // in picoseconds

static void set(const struct tree_bus *bus, unsigned address, uint32_t value) { bus->write(bus->user, address, value); }
static uint32_t get(const struct tree_bus *bus, unsigned address) { return bus->read(bus->user, address); }

const char *tree_error_text(enum tree_error error) {
  static const char *const texts[TREE_ERRORS] = {
      "nothing",
      "the trees are open",
      "no such port, group or connection",
      "the MTU",
      "its neighbours: no child, a parent that is a child, or a port that is not there",
      "both trees have one number",
      "a group without a child, with one that is none, or with the number of another",
      "patience",
      "a connection of a neighbour is not stored",
      "a connection that cannot be",
      "something is under way",
  };
  return error < TREE_ERRORS ? texts[error] : "something unknown";
}

struct tree_control_state tree_control_state(const struct tree_bus *bus) {
  const uint32_t word = get(bus, TREE_REG(TREE_COMMAND));
  return (struct tree_control_state){.is_open = (word & TREE_CSR__TREE_COMMAND__IS_OPEN_bm) != 0,
                                     .low_down = (word & TREE_CSR__TREE_COMMAND__LOW_DOWN_bm) != 0,
                                     .streaming_down = (word & TREE_CSR__TREE_COMMAND__STREAMING_DOWN_bm) != 0,
                                     .pending = (word & TREE_CSR__TREE_COMMAND__PENDING_bm) != 0,
                                     .error = (enum tree_error)((word & TREE_CSR__TREE_COMMAND__ERROR_bm) >>
                                                                TREE_CSR__TREE_COMMAND__ERROR_bp)};
}

// --- setting it up ---

/// An address in four registers, its last 32 bits in the first.
static void set_address(const struct tree_bus *bus, unsigned at, const uint8_t *bytes, bool v6) {
  for (unsigned i = 0; i < 4; i++) set(bus, at + 4 * i, v6 ? get_be32(bytes + 12 - 4 * i) : i == 0 ? get_be32(bytes) : 0);
}

static void set_mac(const struct tree_bus *bus, unsigned at, const uint8_t mac[6]) {
  set(bus, at, get_be32(mac + 2));
  set(bus, at + 4, get_be16(mac));
}

static uint32_t microseconds(uint64_t ps) { return (uint32_t)((ps + US - 1) / US); }

enum tree_error tree_control_store_end(const struct tree_bus *bus, unsigned port, bool streaming,
                                       const struct rc_end_config *end) {
  unsigned log2 = 0;
  while (1u << log2 < end->request.ack_every) log2++;
  set_mac(bus, TREE_REG(CONN_LOCAL_MAC_LOW), end->local_mac);
  set_mac(bus, TREE_REG(CONN_PEER_MAC_LOW), end->peer_mac);
  set_address(bus, TREE_REG(CONN_LOCAL_IP_0), end->out.src, end->out.v6);
  set_address(bus, TREE_REG(CONN_PEER_IP_0), end->out.dst, end->out.v6);
  set(bus, TREE_REG(CONN_VLAN), end->out.vlan | (uint32_t)end->out.v6 << TREE_CSR__CONN_VLAN__V6_bp);
  set(bus, TREE_REG(CONN_LOCAL_QPN), end->in.qpn);
  set(bus, TREE_REG(CONN_PEER_QPN), end->out.qpn);
  set(bus, TREE_REG(CONN_UDP_SOURCE), end->udp_source);
  set(bus, TREE_REG(CONN_PSN_OUT), end->psn_out);
  set(bus, TREE_REG(CONN_PSN_IN), end->psn_in);
  set(bus, TREE_REG(CONN_REQUEST),
      log2 | (uint32_t)end->request.retries << TREE_CSR__CONN_REQUEST__RETRIES_bp |
          (uint32_t)end->request.rnr_retries << TREE_CSR__CONN_REQUEST__RNR_RETRIES_bp);
  set(bus, TREE_REG(CONN_TIMEOUT), microseconds(end->request.timeout_ps));
  set(bus, TREE_REG(CONN_RESPOND),
      end->respond.coalesce | (uint32_t)(end->respond.ack_delay_ps / CYCLE_PS) << TREE_CSR__CONN_RESPOND__ACK_DELAY_bp |
          (uint32_t)end->respond.rnr_timer << TREE_CSR__CONN_RESPOND__RNR_TIMER_bp |
          (uint32_t)end->respond.no_credits << TREE_CSR__CONN_RESPOND__NO_CREDITS_bp);
  set(bus, TREE_REG(CONN_COMMAND),
      port | (uint32_t)streaming << TREE_CSR__CONN_COMMAND__STREAMING_bp | TREE_CSR__CONN_COMMAND__STORE_bm);
  return tree_control_state(bus).error;
}

static enum tree_error store_group(const struct tree_bus *bus, uint32_t index, const struct group_of_node *group) {
  if (group != NULL) set(bus, TREE_REG(GROUP), group->id | (uint32_t)group->children << TREE_CSR__GROUP__CHILDREN_bp);
  set(bus, TREE_REG(GROUP_COMMAND),
      index | (group != NULL ? TREE_CSR__GROUP_COMMAND__THERE_bm : 0) |
          (group != NULL && group->up ? TREE_CSR__GROUP_COMMAND__UP_bm : 0) | TREE_CSR__GROUP_COMMAND__STORE_bm);
  return tree_control_state(bus).error;
}

enum tree_error tree_control_store_trees(const struct tree_bus *bus, const struct tree_node_config *node) {
  const struct tree_of_node *low = &node->trees[0], *sat = &node->trees[1];
  const bool root = low->parent == TREE_NO_PORT;
  const uint64_t children = low->neighbours & ~(root ? 0 : UINT64_C(1) << low->parent);
  const unsigned first = (unsigned)__builtin_ctzll(low->neighbours | UINT64_C(1) << 63);
  set(bus, TREE_REG(TREE_IDS), low->id | (uint32_t)sat->id << TREE_CSR__TREE_IDS__STREAMING_bp);
  set(bus, TREE_REG(TREE_NODE), node->id | (uint32_t)low->ends[first].mtu << TREE_CSR__TREE_NODE__MTU_bp);
  set(bus, TREE_REG(TREE_PORTS),
      (uint32_t)children | (root ? 0 : low->parent << TREE_CSR__TREE_PORTS__PARENT_bp | TREE_CSR__TREE_PORTS__HAS_PARENT_bm));
  set(bus, TREE_REG(TREE_CASTS), (uint32_t)low->casts | (low->listens ? TREE_CSR__TREE_CASTS__LISTENS_bm : 0));
  set(bus, TREE_REG(PATIENCE), microseconds(node->patience_ps));
  set(bus, TREE_REG(PATIENCE_UP), microseconds(node->patience_up_ps));
  for (uint32_t g = 0; g < TREE_CONTROL_GROUPS || g < node->group_count; g++) {
    const enum tree_error error = store_group(bus, g, g < node->group_count ? &node->groups[g] : NULL);
    if (error != TREE_ERROR_NONE) return error;
  }
  return TREE_ERROR_NONE;
}

static enum tree_error command(const struct tree_bus *bus, uint32_t what) {
  set(bus, TREE_REG(TREE_COMMAND), what);
  return tree_control_state(bus).error;
}

enum tree_error tree_control_open(const struct tree_bus *bus) { return command(bus, TREE_CSR__TREE_COMMAND__OPEN_bm); }
enum tree_error tree_control_close(const struct tree_bus *bus) { return command(bus, TREE_CSR__TREE_COMMAND__CLOSE_bm); }

/// The error of a change, once it has taken effect or is refused.
static enum tree_error settled(const struct tree_bus *bus) {
  struct tree_control_state s = tree_control_state(bus);
  while (s.pending) s = tree_control_state(bus);
  return s.error;
}

enum tree_error tree_control_change_group(const struct tree_bus *bus, unsigned index, const struct group_of_node *group) {
  store_group(bus, index, group);
  return settled(bus);
}

enum tree_error tree_control_open_streaming(const struct tree_bus *bus) {
  set(bus, TREE_REG(TREE_COMMAND), TREE_CSR__TREE_COMMAND__OPEN_STREAMING_bm);
  return settled(bus);
}

enum tree_error tree_control_set_up(const struct tree_bus *bus, const struct tree_node_config *node) {
  enum tree_error error = TREE_ERROR_NONE;
  for (unsigned i = 0; i < 2 * node->ports && error == TREE_ERROR_NONE; i++)
    if (node->trees[i % 2].neighbours >> i / 2 & 1)
      error = tree_control_store_end(bus, i / 2, i % 2 == 1, &node->trees[i % 2].ends[i / 2]);
  if (error == TREE_ERROR_NONE) error = tree_control_store_trees(bus, node);
  return error == TREE_ERROR_NONE ? tree_control_open(bus) : error;
}

// --- asking it ---

struct tree_control_end tree_control_end(const struct tree_bus *bus, unsigned port, bool streaming) {
  set(bus, TREE_REG(CONN_COMMAND), port | (uint32_t)streaming << TREE_CSR__CONN_COMMAND__STREAMING_bp);
  const uint32_t word = get(bus, TREE_REG(CONN_COMMAND));
  return (struct tree_control_end){.idle = (word & TREE_CSR__CONN_COMMAND__IDLE_bm) != 0,
                                   .fault = (enum rc_fault)((word & TREE_CSR__CONN_COMMAND__FAULT_bm) >>
                                                            TREE_CSR__CONN_COMMAND__FAULT_bp)};
}

struct tree_lock tree_control_cell(const struct tree_bus *bus, unsigned cell) {
  set(bus, TREE_REG(LOCK_SELECT), cell);
  const uint32_t state = get(bus, TREE_REG(LOCK_STATE)), owner = get(bus, TREE_REG(LOCK_OWNER));
  return (struct tree_lock){.used = (state & TREE_CSR__LOCK_STATE__USED_bm) != 0,
                            .kept = (state & TREE_CSR__LOCK_STATE__KEPT_bm) != 0,
                            .tree = (uint16_t)owner,
                            .group = (uint16_t)(owner >> TREE_CSR__LOCK_OWNER__GROUP_bp),
                            .left = get(bus, TREE_REG(LOCK_LEFT))};
}

uint32_t tree_control_counter(const struct tree_bus *bus, enum tree_scope scope, unsigned port, unsigned which) {
  set(bus, TREE_REG(COUNTER_SELECT),
      which | port << TREE_CSR__COUNTER_SELECT__PORT_NO_bp | (uint32_t)scope << TREE_CSR__COUNTER_SELECT__SCOPE_bp);
  return get(bus, TREE_REG(COUNTER_VALUE));
}

bool tree_control_adds_up(const struct tree_bus *bus, unsigned port) {
  uint32_t settled = tree_control_counter(bus, TREE_OF_PORT, port, TREE_PORT_CASTS_IN);
  uint32_t sent = tree_control_counter(bus, TREE_OF_PORT, port, TREE_PORT_CASTS);
  for (unsigned which = TREE_PORT_IN_ERROR; which <= TREE_PORT_STRAY; which++)
    settled += tree_control_counter(bus, TREE_OF_PORT, port, which);
  for (enum tree_scope scope = TREE_OF_LOW; scope <= TREE_OF_STREAMING; scope++) {
    for (unsigned which = TREE_CONN_TAKEN; which <= TREE_CONN_CLOSED; which++)
      settled += tree_control_counter(bus, scope, port, which);
    settled += tree_control_counter(bus, scope, port, TREE_CONN_ACKS_IN);
    sent += tree_control_counter(bus, scope, port, TREE_CONN_SENT) + tree_control_counter(bus, scope, port, TREE_CONN_ACKS_OUT);
  }
  return tree_control_counter(bus, TREE_OF_PORT, port, TREE_PORT_RX) == settled &&
         tree_control_counter(bus, TREE_OF_PORT, port, TREE_PORT_SENT) == sent;
}
