// A tree node with corrected memories: a flipped bit in a word of packets, messages and sums is corrected and counted, and no sum is another; two of them, or
// one in a smaller memory, are found, and from then on no frame leaves: no host gets a wrong sum, all hear an end in time, and trees that are opened anew
// are right.
// DUT: tree_node_flips
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/tree/node/node_ops.h"
#include "unit/tree/node/node_registers.h"

enum {
  WORD = 576,
  MOST_WORDS = 1024,
  CORRECTED = 4,
  MEMORIES = 13,
  ROUNDS = 24,
  FLIPS = 10000,
  WAITING_SUMS = 9,
  FIRST_CAST = 10,
  LONG = 200000,
  ONE_PACKET = 512
};

/// Whose a memory is (MEMORY_LAST.scope).
enum { PORT, LOW, STREAMING, TREES };

/// The memories of tree_node_flips.sv: words, and bits of one; number, scope and port of MEMORY_LAST. Of the first ones a bit is corrected. From FIRST_CAST on
/// they are of the parent's multicasts.
static const struct {
  unsigned words, bits, memory, scope, port;
  const char *name;
} memories[MEMORIES] = {{1024, 576, 0, STREAMING, 1, "lost: a queue"},
                        {1024, 576, 2, STREAMING, 1, "lost: a send buffer"},
                        {256, 576, 4, PORT, 1, "lost: an inbox"},
                        {128, 576, 7, TREES, 0, "lost: sums"},
                        {64, 260, 1, LOW, 1, "lost: heads of packets"},
                        {64, 17, 3, LOW, 1, "lost: what is kept of packets"},
                        {16, 260, 5, TREES, 0, "lost: headers"},
                        {64, 520, 6, TREES, 0, "lost: sums so far"},
                        {64, 22, 1, STREAMING, 1, "lost: how long packets are"},
                        {256, 522, 8, TREES, 0, "lost: sums behind the half rings"},
                        {128, 576, 0, TREES, 0, "lost: multicasts"},
                        {4, 260, 1, TREES, 0, "lost: heads of multicasts"},
                        {256, 576, 4, TREES, 0, "lost: an inbox of multicasts"}};

static struct node_bench *b;

static uint64_t bit(unsigned port) { return UINT64_C(1) << port; }

/// A host behind each port; or at port 0 a parent that multicasts, with a host below it.
static void open_all(bool casts) {
  const uint64_t members[NODE_GROUPS] = {bit(1) | bit(2) | bit(3) | (casts ? bit(b->ports) : bit(0))};
  b->listens = casts;
  node_open(b, casts ? 0 : b->ports, members, 1024, 0);
}

/// Whether it is one that a bit in a word is corrected of.
static bool is_corrected(unsigned which) { return which < CORRECTED || which == FIRST_CAST || which == MEMORIES - 1; }

/// These bits of a word flip with the next cycle.
static void flips(unsigned which, unsigned at, const unsigned *bits, unsigned count) {
  uint32_t word[WORD / 32] = {0};
  for (unsigned i = 0; i < count; i++) word[bits[i] / 32] ^= UINT32_C(1) << bits[i] % 32;
  dut_set(b->d, "flip_which_i", which);
  dut_set(b->d, "flip_at_i", at);
  dut_set_words(b->d, "flip_bits_i", word, WORD / 32);
  dut_set(b->d, "flip_i", 1);
}

/// Words that lose so many bits, one after the other: of four one.
static struct { unsigned which, at, bits; } losing;
enum { OF_FOUR = 2 };

static void lose_on(struct node_bench *bench) {
  static const unsigned of_one_code_word[] = {1, 2};
  (void)bench;
  // Of what waits for long, no word twice: it would be right again.
  const bool rarely = losing.which == WAITING_SUMS, few = memories[losing.which].words == 4;
  if (rarely) losing.at = (unsigned)rand();
  flips(losing.which, (losing.at++ * 4 + OF_FOUR) % memories[losing.which].words, of_one_code_word, losing.bits);
  if ((rarely && rand() % 8 != 0) || (few && rand() % 2 != 0)) dut_set(b->d, "flip_i", 0);
}

static uint32_t counter(enum tree_pair_counter which) {
  const struct tree_bus bus = node_bus(b);
  return tree_control_counter(&bus, TREE_OF_TREES, 0, which);
}

static uint32_t memory_lost(void) { return node_read(b, TREE_REG(TREE_COMMAND)) & TREE_CSR__TREE_COMMAND__MEMORY_LOST_bm; }

/// A field of MEMORY_LAST.
#define LAST(field)                                                                                                              \
  (node_read(b, TREE_REG(MEMORY_LAST)) >> TREE_CSR__MEMORY_LAST__##field##_bp & ((1u << TREE_CSR__MEMORY_LAST__##field##_bw) - 1))

/// The last word that had flipped is one of this memory; its address.
static unsigned told_of(unsigned which, bool lost) {
  assert_int_equal(LAST(SOME), 1);
  assert_int_equal(LAST(LOST), lost);
  assert_int_equal(LAST(MEMORY), memories[which].memory);
  assert_int_equal(LAST(SCOPE), memories[which].scope);
  assert_int_equal(LAST(PORT_NO), memories[which].port);
  const unsigned at = LAST(AT);
  assert_true(at < memories[which].words);
  return at;
}

static bool any_waits(const struct node_op *o) {
  for (unsigned m = 0; m < b->ports; m++)
    if ((o->members >> m & 1) && !tree_host_done(node_host(b, m))) return true;
  return false;
}

/// Vectors of both trees, while bits flip in their memories every few cycles, in no word two.
static void corrected(void **state) {
  (void)state;
  static bool flipped[CORRECTED][MOST_WORDS];
  uint32_t of[2] = {0}, count = 0;
  for (unsigned round = 0; round < ROUNDS; round++) {
    const bool streams = round % 2 == 0;
    const uint32_t before = counter(TREE_PAIR_CORRECTED);
    open_all(false);
    memset(flipped, 0, sizeof flipped);
    if (streams) assert_int_equal(node_run(b, 0, TREE_LOCK, false, 0, 1).verdict, TREE_OK);
    struct node_op o;
    node_begin(b, &o, 0, TREE_ALL_REDUCE, streams, node_any_type(), streams ? 60000 : 1024, 0);
    while (any_waits(&o)) {
      const unsigned which = (unsigned)rand() % 2 + (streams ? 0 : 2), at = (unsigned)rand() % memories[which].words;
      const unsigned one = (unsigned)rand() % memories[which].bits;
      if (!flipped[which][at]) flips(which, at, &one, 1);
      count += !flipped[which][at];
      flipped[which][at] = true;
      node_tick(b);
      dut_set(b->d, "flip_i", 0);
    }
    assert_int_equal(node_end(b, &o).verdict, TREE_OK);
    of[streams] += counter(TREE_PAIR_CORRECTED) - before;
    if (counter(TREE_PAIR_CORRECTED) == before) continue;
    const unsigned first = streams ? 0 : 2, which = LAST(MEMORY) == memories[first].memory ? first : first + 1;
    assert_true(flipped[which][told_of(which, false)]);
  }
  assert_true(of[0] > 0 && of[1] > ROUNDS && count >= FLIPS);
  assert_int_equal(counter(TREE_PAIR_LOST), 0);
  assert_int_equal(node_read(b, TREE_REG(IRQ_CAUSE)) & TREE_CSR__IRQ_CAUSE__MEMORY_bm, 0);
  assert_int_equal(memory_lost(), 0);
}

/// Port 0's vector goes to all, one of whom takes nothing for a while: what was to leave waits behind the half rings.
static void to_who_is_slow(void) {
  static uint8_t vector[LONG], out[NODE_PORTS][LONG];
  for (size_t i = 0; i < LONG; i++) vector[i] = (uint8_t)(i * 7);
  for (unsigned p = 0; p < b->ports; p++)
    tree_host_begin(node_host(b, p), node_now(b),
                    &(struct tree_host_order){.operation = TREE_BROADCAST,
                                              .streams = true,
                                              .special = p == 0,
                                              .type = INA_INT32,
                                              .length = LONG,
                                              .input = p == 0 ? vector : NULL,
                                              .output = p == 0 ? NULL : out[p]});
  for (unsigned i = 0; i < 4000; i++) {
    b->cables.stuck = i > 800 ? bit(2) : 0;
    node_tick(b);
  }
  b->cables.stuck = 0;
  node_await(b, bit(0) | bit(1) | bit(2) | bit(3));
  for (unsigned p = 1; p < b->ports; p++)
    if (tree_host_answer(node_host(b, p))->verdict == TREE_OK) assert_memory_equal(out[p], vector, LONG);
}

/// Words of a memory lose so many bits while a vector is under way. Whoever hears that it is done has the right sum.
static void lose(unsigned which, unsigned bits) {
  const bool casts = which >= FIRST_CAST, streams = which < 2 || (which >= 8 && !casts);
  b->timeout = 20;
  b->patience = 400;   // of who waits for an answer, and has nothing to repeat
  open_all(casts);
  if (streams) assert_int_equal(node_run(b, 0, TREE_LOCK, false, 0, 0).verdict, TREE_OK);
  struct node_op o;
  // Of short vectors one after the other, until a word is read that has flipped.
  losing.which = which;
  losing.bits = bits;
  b->each = lose_on;
  for (unsigned runs = 0; !memory_lost(); runs++) {
    if (runs > 50) fail_msg("nothing was read that had flipped");
    if (which == WAITING_SUMS) {
      to_who_is_slow();
      continue;
    }
    node_begin(b, &o, 0, TREE_ALL_REDUCE, streams, INA_INT32, streams ? LONG : casts ? ONE_PACKET : 1024, 0);
    node_await(b, o.members);
    for (unsigned m = 0; m <= b->ports; m++) {
      if (!(o.members >> m & 1)) continue;
      const bool good = tree_host_answer(node_host(b, m))->verdict == TREE_OK;
      if (good) assert_memory_equal(o.output[m], o.due, o.order.length);
      free(o.input[m]);
      free(o.output[m]);
    }
    free(o.due);
  }
  b->each = NULL;
  dut_set(b->d, "flip_i", 0);
  assert_true(counter(TREE_PAIR_LOST) > 0);
  assert_int_equal(told_of(which, true) % 4, OF_FOUR);
  // Nothing leaves any more.
  for (unsigned i = 0; i < 3000; i++) {
    node_tick(b);
    assert_int_equal(dut_get(b->d, "m_axis_tvalid"), 0);
  }
  b->timeout = 100;
  b->patience = 20000;
  open_all(false);
  for (unsigned i = 0; memory_lost(); i++) assert_true(i < 200);
  node_write(b, TREE_REG(IRQ_CAUSE), TREE_CSR__IRQ_CAUSE__MEMORY_bm);
  assert_int_equal(node_run(b, 0, TREE_ALL_REDUCE, false, 1024, 0).verdict, TREE_OK);
  assert_int_equal(node_run(b, 0, TREE_LOCK, false, 0, 1).verdict, TREE_OK);
  assert_int_equal(node_run(b, 0, TREE_ALL_REDUCE, true, 20000, 0).verdict, TREE_OK);
  assert_int_equal(dut_get(b->d, "irq_o"), 0);
}

static void lost(void **state) {
  const unsigned *which = *state;
  node_write(b, TREE_REG(IRQ_ENABLE), TREE_CSR__IRQ_CAUSE__MEMORY_bm);
  lose(*which, is_corrected(*which) ? 2 : 1);
}

static int open(void **state) {
  (void)state;
  b = node_new();
  return 0;
}

static int close(void **state) {
  (void)state;
  node_free(b);
  return 0;
}

int main(void) {
  srand(1);
  static unsigned of[MEMORIES];
  struct CMUnitTest tests[1 + MEMORIES] = {cmocka_unit_test_setup_teardown(corrected, open, close)};
  for (unsigned i = 0; i < MEMORIES; i++) {
    of[i] = i;
    tests[1 + i] = (struct CMUnitTest){memories[i].name, lost, open, close, &of[i]};
  }
  return cmocka_run_group_tests(tests, NULL, NULL);
}
