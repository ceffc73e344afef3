// The tree node as a device: set up by registers, it does what tree_node does; what cannot be is refused with its reason and changes nothing; locks, ends and
// counters are what registers say.
// DUT: weir_tree_node -GNumPorts=4 -GQueueRoom=64 -GSendRoom=64 -GMaxRows=16
// DUT: tree_node_flips
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/tree/node/node_ops.h"
#include "unit/tree/node/node_registers.h"
#include "wire/roce.h"
#include "wire/tree_cast.h"

static struct node_bench *b;

static uint64_t bit(unsigned port) { return UINT64_C(1) << port; }

/// Ports 1 to 3 have hosts, of both groups in turn; port 0 has the parent, or also a host.
static void open_two(bool parent, unsigned loss) {
  const uint64_t members[NODE_GROUPS] = {bit(1) | bit(3) | (parent ? bit(b->ports) : bit(0)), bit(2)};
  node_open(b, parent ? 0 : b->ports, members, 1024, loss);
}

static uint32_t state_of_trees(void) { return node_read(b, TREE_REG(TREE_COMMAND)); }

static enum tree_error command(enum tree_error (*what)(const struct tree_bus *bus)) {
  const struct tree_bus bus = node_bus(b);
  return what(&bus);
}

static uint32_t counter(enum tree_scope scope, unsigned port, unsigned which) {
  const struct tree_bus bus = node_bus(b);
  return tree_control_counter(&bus, scope, port, which);
}

/// Says what it is.
static void identity(void **state) {
  (void)state;
  assert_int_equal(node_read(b, TREE_REG(ID)), TREE_CSR__ID__MAGIC_reset);
  assert_int_equal(node_read(b, TREE_REG(CAP_SHAPE)), 4 | 4 << 8 | 2 << 16);
  assert_int_equal(node_read(b, TREE_REG(CAP_ROOM)), 64 | 64 << 8 | 1024 << 16);
  assert_int_equal(node_read(b, TREE_REG(CAP_FEATURES)) & ~(uint32_t)TREE_CSR__CAP_FEATURES__ECC_bm, 0);
}

/// Operations of both kinds, with and without a parent; locks are shown while they are held, and each operation is counted.
static void operations(void **state) {
  (void)state;
  uint32_t low = 0, sat = 0;
  for (unsigned round = 0; round < 4; round++) {
    open_two(round % 2, round < 2 ? 0 : 10);
    assert_int_equal(node_run(b, 0, TREE_LOCK, false, 0, 2).verdict, TREE_OK);
    assert_int_equal(node_cells(b), 1);
    node_write(b, TREE_REG(LOCK_SELECT), 0);
    assert_int_equal(node_read(b, TREE_REG(LOCK_STATE)), TREE_CSR__LOCK_STATE__USED_bm | TREE_CSR__LOCK_STATE__KEPT_bm);
    assert_int_equal(node_read(b, TREE_REG(LOCK_OWNER)), NODE_SAT | 7 << 16);
    for (uint32_t left = 2; left > 0; left--) {
      assert_int_equal(node_read(b, TREE_REG(LOCK_LEFT)), left);
      assert_int_equal(node_run(b, 0, TREE_ALL_REDUCE, true, 5000, 0).verdict, TREE_OK);
    }
    assert_int_equal(node_cells(b), 0);
    assert_int_equal(node_run(b, 1, TREE_BARRIER, false, 0, 0).verdict, TREE_OK);
    assert_int_equal(node_run(b, 0, TREE_ALL_REDUCE, false, 1024, 0).verdict, TREE_OK);
    for (unsigned i = 0; !node_idle(b); i++) assert_true(i < 4000);
    low += 3;
    sat += 2;
    assert_int_equal(counter(TREE_OF_TREES, 0, TREE_PAIR_LOW_DONE), low);
    assert_int_equal(counter(TREE_OF_TREES, 0, TREE_PAIR_LOW_FAILED), 0);
    assert_int_equal(counter(TREE_OF_TREES, 0, TREE_PAIR_STREAM_DONE), sat);
    assert_int_equal(state_of_trees(), TREE_CSR__TREE_COMMAND__IS_OPEN_bm);
  }
}

/// Each frame of a port is in one counter of what became of it, and those that leave are packets and ACKs.
static void accounts(void **state) {
  (void)state;
  open_two(false, 20);
  for (unsigned i = 0; i < 6; i++) assert_int_equal(node_run(b, i % 2, TREE_ALL_REDUCE, false, 1024, 0).verdict, TREE_OK);
  for (unsigned i = 0; !node_idle(b); i++) assert_true(i < 4000);
  for (unsigned i = 0; i < 200; i++) node_tick(b);
  const struct tree_bus bus = node_bus(b);
  for (unsigned p = 0; p < b->ports; p++) {
    assert_true(tree_control_adds_up(&bus, p));
    assert_true(counter(TREE_OF_PORT, p, TREE_PORT_RX) > 0 && counter(TREE_OF_PORT, p, TREE_PORT_SENT) > 0);
    // No such counter, no such port.
    assert_int_equal(counter(TREE_OF_PORT, p, TREE_PORT_COUNTERS) | counter(TREE_OF_LOW, p, 15), 0);
    assert_int_equal(counter(TREE_OF_PORT, p + b->ports, 0) | counter(TREE_OF_STREAMING, 15, 0), 0);
  }
}

/// Results are multicast to hosts that listen, frame by frame as the model does, in front of the reliable messages; without loss each host takes its
/// result from there, and the reliable copy says the same.
static void multicasts(void **state) {
  (void)state;
  b->in_step = true;
  b->casts = bit(1) | bit(2);
  for (unsigned round = 0; round < 4; round++) {
    const unsigned loss = round < 2 ? 0 : 30;
    open_two(round % 2, loss);
    const uint32_t before = counter(TREE_OF_PORT, 1, TREE_PORT_CASTS);
    assert_int_equal(node_run(b, 0, TREE_BARRIER, false, 0, 0).verdict, TREE_OK);
    for (unsigned i = 0; i < 4; i++) {
      assert_int_equal(node_run(b, i % 2, TREE_ALL_REDUCE, false, i < 2 ? 900 : 1000, 0).verdict, TREE_OK);
      assert_int_equal(node_run(b, i % 2, TREE_BARRIER, false, 0, 0).verdict, TREE_OK);
    }
    assert_int_equal(node_run(b, 1, TREE_UNLOCK, false, 0, 0).verdict, TREE_DENIED);
    node_compared(b);
    // 1,000 bytes do not fit one packet with their header, and a refusal is told once.
    assert_int_equal(counter(TREE_OF_PORT, 1, TREE_PORT_CASTS) - before, 1 + 1 + 2);
    assert_int_equal(counter(TREE_OF_PORT, 3, TREE_PORT_CASTS), 0);
    const struct tree_host_counts heard = tree_host_counts(node_host(b, 1));
    assert_int_equal(heard.wrong, 0);
    assert_true(loss > 0 ? heard.casts <= 4 : heard.casts == 4 && heard.copies == 4);
  }
}

/// A device takes its parent's multicasts, whichever group's, and hands them on at once; the reliable copies, which come later, are none's. Its model beside
/// it does the same. What it takes is counted.
static void listens(void **state) {
  (void)state;
  b->in_step = true;
  b->listens = true;
  b->casts = bit(1) | bit(3);
  uint32_t taken = 0;
  for (unsigned round = 0; round < 4; round++) {
    b->deaf = round == 2 ? 120 : 0;
    open_two(true, round == 3 ? 30 : 0);
    const uint32_t before = counter(TREE_OF_TREES, 0, TREE_PAIR_CASTS_TAKEN);
    for (unsigned i = 0; i < 24; i++) {
      assert_int_equal(node_run(b, 0, TREE_ALL_REDUCE, false, 4 + 4 * (unsigned)rand() % 248, 0).verdict, TREE_OK);
      assert_int_equal(node_run(b, 0, TREE_BARRIER, false, 0, 0).verdict, TREE_OK);
      if (i % 6 == 5) assert_int_equal(node_run(b, 0, TREE_ALL_REDUCE, false, 1024, 0).verdict, TREE_OK);   // two packets
    }
    assert_int_equal(node_run(b, 0, TREE_LOCK, false, 0, 1).verdict, TREE_OK);
    assert_int_equal(node_run(b, 0, TREE_ALL_REDUCE, true, 5000, 0).verdict, TREE_OK);
    node_compared(b);
    taken = counter(TREE_OF_TREES, 0, TREE_PAIR_CASTS_TAKEN) - before;
    // While the copies of seven are missing, it waits for the reliable one.
    if (round < 2) assert_int_equal(taken, 49);
    assert_true(taken > 40 && taken <= counter(TREE_OF_PORT, 0, TREE_PORT_CASTS_IN));
    assert_int_equal(counter(TREE_OF_TREES, 0, TREE_PAIR_LOW_REFUSED), 0);
    const struct tree_bus bus = node_bus(b);
    for (unsigned p = 0; p < b->ports; p++) assert_true(tree_control_adds_up(&bus, p));
  }
  b->deaf = 0;
}

/// The parent's multicast with a message, as it would be with what differs.
static size_t cast_of_parent(uint8_t frame[CABLES_FRAME], size_t bytes, uint32_t qpn_off, uint16_t tree_off, bool other_source) {
  static uint8_t message[2048];
  const struct rc_end_config *end = &b->ends[0][0];
  const struct tree_header h = {.kind = TREE_DOWN, .operation = TREE_BARRIER, .tree = NODE_LOW, .group = 7, .sequence = 1};
  struct tree_cast from = {.v6 = end->in.v6,
                           .vlan = end->in.vlan,
                           .udp_source = end->udp_source,
                           .qpn = end->out.qpn ^ qpn_off,
                           .psn = 1,
                           .tree = (uint16_t)(NODE_LOW ^ tree_off)};
  memcpy(from.mac, end->peer_mac, sizeof from.mac);
  memcpy(from.ip, end->in.src, sizeof from.ip);
  from.ip[3] ^= other_source;
  tree_put(message, &h);
  return tree_cast_build(&from, message, bytes, frame, CABLES_FRAME);
}

/// Puts it on the parent's cable, and waits until the device has told what it is.
static void put(size_t len) {
  while (b->cables.at[0].in_len > 0) node_tick(b);
  b->cables.at[0].in_len = len;
  tree_twin_in(b->twin, 0, b->cables.at[0].in, len, false);
  while (b->cables.at[0].in_len > 0) node_tick(b);
  for (unsigned i = 0; i < 300; i++) node_tick(b);
}

/// What is not quite the parent's multicast is a stray; what is, but is old or too long, is nothing. More of them than there is room for do no harm.
static void strangers(void **state) {
  (void)state;
  b->in_step = true;
  b->listens = true;
  for (unsigned round = 0; round < 8; round++) {
    b->v6 = round % 2;
    b->vlan = round / 2 % 2 ? 100 : 0;
    open_two(true, 0);
    uint8_t *frame = b->cables.at[0].in;
    for (unsigned i = 0; i < 2; i++) assert_int_equal(node_run(b, 0, TREE_BARRIER, false, 0, 0).verdict, TREE_OK);
    while (!node_idle(b)) node_tick(b);
    const uint32_t in = counter(TREE_OF_PORT, 0, TREE_PORT_CASTS_IN), strays = counter(TREE_OF_PORT, 0, TREE_PORT_STRAY),
                   taken = counter(TREE_OF_TREES, 0, TREE_PAIR_CASTS_TAKEN);
    put(cast_of_parent(frame, TREE_BYTES, 1, 0, false));
    put(cast_of_parent(frame, TREE_BYTES, 0x10000, 0, false));
    put(cast_of_parent(frame, TREE_BYTES, 0, 1, false));
    put(cast_of_parent(frame, TREE_BYTES, 0, 0, true));
    const size_t len = cast_of_parent(frame, TREE_BYTES, 0, 0, false);
    struct roce_packet p;
    roce_parse(frame, len, &p);
    frame[p.bth + 12 + round % 4] ^= 1;   // its key
    icrc_put(frame, &p);
    put(len);
    assert_int_equal(counter(TREE_OF_PORT, 0, TREE_PORT_CASTS_IN), in);
    assert_int_equal(counter(TREE_OF_PORT, 0, TREE_PORT_STRAY) - strays, 5);
    put(cast_of_parent(frame, TREE_BYTES, 0, 0, false));
    for (unsigned i = 0; i < 6; i++) put(cast_of_parent(frame, i % 2 == 0 ? 2048 : 8, 0, 0, false));
    assert_int_equal(counter(TREE_OF_PORT, 0, TREE_PORT_CASTS_IN) - in, 7);
    assert_int_equal(counter(TREE_OF_TREES, 0, TREE_PAIR_CASTS_TAKEN), taken);
    assert_int_equal(node_run(b, 0, TREE_ALL_REDUCE, false, 512, 0).verdict, TREE_OK);
    assert_int_equal(counter(TREE_OF_TREES, 0, TREE_PAIR_CASTS_TAKEN), taken + 1);
    assert_int_equal(counter(TREE_OF_TREES, 0, TREE_PAIR_LOW_REFUSED), 0);
    node_compared(b);
  }
  b->v6 = b->vlan = 0;
}

/// A mistake, the error that it gets, and what was there before.
struct mistake {
  unsigned address;
  uint32_t value;
  unsigned error;
};

/// Trees that cannot be are not opened; nothing that stands is changed while they are open.
static void refuses(void **state) {
  (void)state;
  assert_int_equal(command(tree_control_open), TREE_ERROR_PORTS);   // from reset on
  open_two(false, 0);
  assert_int_equal(command(tree_control_open), TREE_ERROR_IS_OPEN);
  const struct mistake mistakes[] = {
      {TREE_REG(TREE_NODE), NODE_ID | 1000 << 16, TREE_ERROR_MTU},
      {TREE_REG(TREE_NODE), NODE_ID | 128 << 16, TREE_ERROR_MTU},
      {TREE_REG(TREE_NODE), NODE_ID | 2048 << 16, TREE_ERROR_MTU},
      {TREE_REG(TREE_NODE), NODE_ID, TREE_ERROR_MTU},
      {TREE_REG(TREE_PORTS), 0, TREE_ERROR_PORTS},
      {TREE_REG(TREE_PORTS), 0x1F, TREE_ERROR_PORTS},
      {TREE_REG(TREE_PORTS), 0xF | 1 << 24, TREE_ERROR_PORTS},
      {TREE_REG(TREE_PORTS), 0xE | 9 << 16 | 1 << 24, TREE_ERROR_PORTS},
      {TREE_REG(TREE_IDS), NODE_LOW | NODE_LOW << 16, TREE_ERROR_SAME},
      {TREE_REG(TREE_PORTS), 0x7, TREE_ERROR_GROUP},
      {TREE_REG(PATIENCE), 0, TREE_ERROR_PATIENCE},
      {TREE_REG(PATIENCE_UP), 0, TREE_ERROR_PATIENCE},
  };
  assert_int_equal(command(tree_control_close), 0);
  assert_int_equal(state_of_trees(), 0);
  for (unsigned i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
    const uint32_t before = node_read(b, mistakes[i].address);
    node_write(b, mistakes[i].address, mistakes[i].value);
    if (command(tree_control_open) != mistakes[i].error) fail_msg("mistake %u", i);
    assert_int_equal(state_of_trees() & TREE_CSR__TREE_COMMAND__IS_OPEN_bm, 0);
    node_write(b, mistakes[i].address, before);
  }
  // A group, a port that are not there; a connection that cannot be, or has the queue pair of the port's other one.
  const uint32_t error = TREE_CSR__TREE_COMMAND__ERROR_bm;
  const unsigned shift = TREE_CSR__TREE_COMMAND__ERROR_bp;
  node_write(b, TREE_REG(GROUP_COMMAND), 4 | TREE_CSR__GROUP_COMMAND__STORE_bm);
  assert_int_equal((state_of_trees() & error) >> shift, TREE_ERROR_NOT_THERE);
  node_write(b, TREE_REG(CONN_COMMAND), 4 | TREE_CSR__CONN_COMMAND__STORE_bm);
  assert_int_equal((state_of_trees() & error) >> shift, TREE_ERROR_NOT_THERE);
  const uint32_t timeout = node_read(b, TREE_REG(CONN_TIMEOUT)), respond = node_read(b, TREE_REG(CONN_RESPOND)),
                 request = node_read(b, TREE_REG(CONN_REQUEST));
  const struct mistake bad[] = {{TREE_REG(CONN_TIMEOUT), 0, TREE_ERROR_CONN},
                                {TREE_REG(CONN_RESPOND), respond & ~UINT32_C(0xFF), TREE_ERROR_CONN},
                                {TREE_REG(CONN_REQUEST), request | 0xF, TREE_ERROR_CONN}};
  const uint32_t good[] = {timeout, respond, request};
  for (unsigned i = 0; i < 3; i++) {
    node_write(b, bad[i].address, bad[i].value);
    node_write(b, TREE_REG(CONN_COMMAND), 0 | TREE_CSR__CONN_COMMAND__STORE_bm);
    assert_int_equal((state_of_trees() & error) >> shift, TREE_ERROR_CONN);
    node_write(b, bad[i].address, good[i]);
  }
  assert_int_equal(command(tree_control_open), 0);   // nothing has changed
  node_write(b, TREE_REG(CONN_COMMAND), 0 | TREE_CSR__CONN_COMMAND__STORE_bm);
  assert_int_equal((state_of_trees() & error) >> shift, TREE_ERROR_IS_OPEN);
  assert_int_equal(command(tree_control_close), 0);
  // What the staging registers have is the last connection stored, of port 3; both of port 0 get its queue pair.
  for (unsigned c = 0; c < 2; c++)
    node_write(b, TREE_REG(CONN_COMMAND), c << TREE_CSR__CONN_COMMAND__STREAMING_bp | TREE_CSR__CONN_COMMAND__STORE_bm);
  assert_int_equal(command(tree_control_open), TREE_ERROR_CONN);
  dut_reset(b->d);
  node_store_trees(b);
  assert_int_equal(command(tree_control_open), TREE_ERROR_NOT_STORED);
}

/// The interrupt line is up while a cause that is enabled has come and is not cleared.
static void interrupts(uint32_t causes) {
  assert_int_equal(node_read(b, TREE_REG(IRQ_CAUSE)), causes);
  assert_int_equal(dut_get(b->d, "irq_o"), 0);
  for (uint32_t cause = 1; cause < 16; cause <<= 1) {
    node_write(b, TREE_REG(IRQ_ENABLE), cause);
    node_tick(b);
    assert_int_equal(dut_get(b->d, "irq_o"), (causes & cause) != 0);
  }
  node_write(b, TREE_REG(IRQ_ENABLE), 0xF);
  node_write(b, TREE_REG(IRQ_CAUSE), causes);
  node_tick(b);
  assert_int_equal(node_read(b, TREE_REG(IRQ_CAUSE)), 0);
  assert_int_equal(dut_get(b->d, "irq_o"), 0);
  node_write(b, TREE_REG(IRQ_ENABLE), 0);
}

/// What would leave at a port that is down is dropped, and counted; who is behind it is lost in time, whatever his MAC takes. Up again, all is right.
static void link_down(void **state) {
  (void)state;
  b->timeout = 20;
  open_two(false, 0);
  assert_int_equal(node_run(b, 0, TREE_BARRIER, false, 0, 0).verdict, TREE_OK);
  dut_set(b->d, "pause_storm_i", 2);
  node_tick(b);
  dut_set(b->d, "pause_storm_i", 0);
  interrupts(TREE_CSR__IRQ_CAUSE__PAUSE_STORM_bm);
  struct node_op o;
  node_begin(b, &o, 0, TREE_ALL_REDUCE, false, node_any_type(), 1024, 0);
  b->cables.stuck = bit(3);
  for (unsigned i = 0; i < 600; i++) node_tick(b);
  node_write(b, TREE_REG(PORT_DOWN), 1 << 3);
  b->at[3].silent = true;
  o.members &= ~bit(3);
  free(o.input[3]);
  free(o.output[3]);
  node_end(b, &o);
  for (unsigned i = 0; (state_of_trees() & TREE_CSR__TREE_COMMAND__LOW_DOWN_bm) == 0; i++) assert_true(i < 20000);
  for (unsigned i = 0; i < 4000; i++) node_tick(b);
  const struct tree_bus bus = node_bus(b);
  for (unsigned p = 0; p < b->ports; p++) assert_true(tree_control_adds_up(&bus, p));
  assert_true(counter(TREE_OF_PORT, 3, TREE_PORT_UNSENT) > 2);
  assert_int_equal(counter(TREE_OF_PORT, 2, TREE_PORT_UNSENT), 0);
  interrupts(TREE_CSR__IRQ_CAUSE__TORN_DOWN_bm | TREE_CSR__IRQ_CAUSE__CONNECTION_bm);
  b->cables.stuck = 0;
  node_write(b, TREE_REG(PORT_DOWN), 0);
  b->timeout = 100;
  open_two(false, 0);
  for (unsigned i = 0; i < 2; i++) assert_int_equal(node_run(b, i, TREE_ALL_REDUCE, false, 64, 0).verdict, TREE_OK);
  assert_true(b->cables.broken <= 1);
}

/// A host dies: registers say which trees are no more and whose connection has failed; opened anew, they are right.
static void dies(void **state) {
  (void)state;
  b->timeout = 20;
  open_two(false, 0);
  assert_int_equal(node_run(b, 0, TREE_LOCK, false, 0, 0).verdict, TREE_OK);
  struct node_op o;
  node_begin(b, &o, 0, TREE_ALL_REDUCE, true, node_any_type(), 100000, 0);
  for (unsigned i = 0; i < 600; i++) node_tick(b);
  b->at[3].silent = true;
  o.members &= ~bit(3);
  free(o.input[3]);
  free(o.output[3]);
  assert_int_equal(node_end(b, &o).verdict, TREE_LOST);
  assert_int_equal(state_of_trees(), TREE_CSR__TREE_COMMAND__IS_OPEN_bm | TREE_CSR__TREE_COMMAND__STREAMING_DOWN_bm);
  assert_int_equal(node_cells(b), 0);
  assert_int_equal(counter(TREE_OF_TREES, 0, TREE_PAIR_TEARDOWNS), 1);
  interrupts(TREE_CSR__IRQ_CAUSE__TORN_DOWN_bm | TREE_CSR__IRQ_CAUSE__CONNECTION_bm);
  b->timeout = 100;
  open_two(false, 0);
  assert_int_equal(state_of_trees(), TREE_CSR__TREE_COMMAND__IS_OPEN_bm);
  assert_int_equal(node_run(b, 0, TREE_ALL_REDUCE, false, 64, 0).verdict, TREE_OK);
}

#define CASE(name) cmocka_unit_test_prestate_setup_teardown(name, node_setup, node_teardown, &b)

int main(void) {
  srand(1);
  const struct CMUnitTest tests[] = {
      CASE(identity),  CASE(operations), CASE(accounts),  CASE(refuses), CASE(multicasts),
      CASE(link_down), CASE(listens),    CASE(strangers), CASE(dies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
