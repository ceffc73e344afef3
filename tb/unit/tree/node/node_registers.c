#include "unit/tree/node/node_registers.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "unit/axil.h"
#include "wire/bytes.h"

static void tick_bus(void *user) { node_tick(user); }

static struct axil bus_of(struct node_bench *b) { return (struct axil){.d = b->d, .tick = tick_bus, .user = b}; }

void node_write(struct node_bench *b, unsigned address, uint32_t data) {
  const struct axil bus = bus_of(b);
  assert_int_equal(axil_write(&bus, address, data, 0xF), AXIL_OKAY);
}

uint32_t node_read(struct node_bench *b, unsigned address) {
  const struct axil bus = bus_of(b);
  uint32_t data = 0;
  assert_int_equal(axil_read(&bus, address, &data), AXIL_OKAY);
  return data;
}

/// An address in four registers, its last 32 bits in the first.
static void write_address(struct node_bench *b, unsigned at, const uint8_t *bytes, bool v6) {
  for (unsigned i = 0; i < 4; i++) node_write(b, at + 4 * i, v6 ? get_be32(bytes + 12 - 4 * i) : i == 0 ? get_be32(bytes) : 0);
}

static void write_mac(struct node_bench *b, unsigned at, const uint8_t mac[6]) {
  node_write(b, at, get_be32(mac + 2));
  node_write(b, at + 4, get_be16(mac));
}

static void store_end(struct node_bench *b, unsigned port, bool streaming, const struct rc_end_config *g) {
  unsigned log2 = 0;
  while (1u << log2 < g->request.ack_every) log2++;
  write_mac(b, NODE_REG(CONN_LOCAL_MAC_LOW), g->local_mac);
  write_mac(b, NODE_REG(CONN_PEER_MAC_LOW), g->peer_mac);
  write_address(b, NODE_REG(CONN_LOCAL_IP_0), g->out.src, g->out.v6);
  write_address(b, NODE_REG(CONN_PEER_IP_0), g->out.dst, g->out.v6);
  node_write(b, NODE_REG(CONN_VLAN), g->out.vlan | (uint32_t)g->out.v6 << TREE_CSR__CONN_VLAN__V6_bp);
  node_write(b, NODE_REG(CONN_LOCAL_QPN), g->in.qpn);
  node_write(b, NODE_REG(CONN_PEER_QPN), g->out.qpn);
  node_write(b, NODE_REG(CONN_UDP_SOURCE), g->udp_source);
  node_write(b, NODE_REG(CONN_PSN_OUT), g->psn_out);
  node_write(b, NODE_REG(CONN_PSN_IN), g->psn_in);
  node_write(b, NODE_REG(CONN_REQUEST),
             log2 | (uint32_t)g->request.retries << TREE_CSR__CONN_REQUEST__RETRIES_bp |
                 (uint32_t)g->request.rnr_retries << TREE_CSR__CONN_REQUEST__RNR_RETRIES_bp);
  node_write(b, NODE_REG(CONN_TIMEOUT), (uint32_t)(g->request.timeout_ps / UINT64_C(1000000)));
  node_write(b, NODE_REG(CONN_RESPOND),
             g->respond.coalesce | (uint32_t)g->respond.rnr_timer << TREE_CSR__CONN_RESPOND__RNR_TIMER_bp |
                 (uint32_t)g->respond.no_credits << TREE_CSR__CONN_RESPOND__NO_CREDITS_bp);
  node_write(b, NODE_REG(CONN_COMMAND),
             port | (uint32_t)streaming << TREE_CSR__CONN_COMMAND__STREAMING_bp | TREE_CSR__CONN_COMMAND__STORE_bm);
}

void node_store_ends(struct node_bench *b, unsigned port, const struct rc_end_config g[2]) {
  for (unsigned c = 0; c < 2; c++) store_end(b, port, c == 1, &g[c]);
}

void node_store_trees(struct node_bench *b) {
  const uint64_t below = (UINT64_C(1) << b->ports) - 1;
  const uint32_t children = (uint32_t)((b->members[0] | b->members[1]) & below);
  const bool root = b->parent == b->ports;
  node_write(b, NODE_REG(TREE_IDS), NODE_LOW | NODE_SAT << TREE_CSR__TREE_IDS__STREAMING_bp);
  node_write(b, NODE_REG(TREE_NODE), NODE_ID | b->mtu << TREE_CSR__TREE_NODE__MTU_bp);
  node_write(b, NODE_REG(TREE_PORTS),
             children | (root ? 0 : b->parent << TREE_CSR__TREE_PORTS__PARENT_bp | TREE_CSR__TREE_PORTS__HAS_PARENT_bm));
  node_write(b, NODE_REG(PATIENCE), 5000);
  node_write(b, NODE_REG(PATIENCE_UP), 10000);
  for (uint32_t g = 0; g < NODE_GROUPS; g++) {
    node_write(b, NODE_REG(GROUP), (7 + g) | (uint32_t)(b->members[g] & below) << TREE_CSR__GROUP__CHILDREN_bp);
    node_write(b, NODE_REG(GROUP_COMMAND),
               g | (b->members[g] ? TREE_CSR__GROUP_COMMAND__THERE_bm : 0) |
                   (b->members[g] >> b->ports & 1 ? TREE_CSR__GROUP_COMMAND__UP_bm : 0) | TREE_CSR__GROUP_COMMAND__STORE_bm);
  }
}

unsigned node_command(struct node_bench *b, uint32_t command) {
  node_write(b, NODE_REG(TREE_COMMAND), command);
  return (node_read(b, NODE_REG(TREE_COMMAND)) & TREE_CSR__TREE_COMMAND__ERROR_bm) >> TREE_CSR__TREE_COMMAND__ERROR_bp;
}

uint32_t node_counter(struct node_bench *b, unsigned scope, unsigned port, unsigned which) {
  node_write(b, NODE_REG(COUNTER_SELECT),
             which | port << TREE_CSR__COUNTER_SELECT__PORT_NO_bp | scope << TREE_CSR__COUNTER_SELECT__SCOPE_bp);
  return node_read(b, NODE_REG(COUNTER_VALUE));
}
