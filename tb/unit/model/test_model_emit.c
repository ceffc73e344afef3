// What the golden model does with packets in place: commits, dues, results (docs/protocol.md). How slots fall free is in test_model_slots.c.
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/model.h"
#include "unit/gradient.h"
#include "unit/model/model_bench.h"
#include "wire/bytes.h"

enum { H = 3, EVERYONE = 7 };

static struct gradient packet(unsigned rank, uint32_t msgid, unsigned offset) { return bench_packet(H, rank, msgid, offset); }

/// A result must be `g` with `tensor` in place of its own, no UDP checksum and an ICRC that fits.
static void same_result(const struct model_frame *f, const struct gradient *g, const uint8_t *tensor) {
  struct gradient want = *g;
  uint8_t frame[GRADIENT_ROOM];
  memcpy(want.tensor, tensor, want.len);
  want.build.udp_checksum = 0;
  size_t len = gradient_frame(&want, frame);
  assert_int_equal(f->len, len);
  assert_memory_equal(f->data, frame, len);
  assert_int_equal(f->psn, (g->psn0 + g->offset) & 0xFFFFFF);
}

// --- results ---

static void result_wears_its_own_headers(void **state) {
  struct bench *b = *state;
  struct gradient g[H];
  for (unsigned rank = 0; rank < H; rank++) {
    g[rank] = packet(rank, 0, 0);
    g[rank].ina.kind = INA_BF16;
    g[rank].len = 6;
    g[rank].build.pad_fill = (uint8_t)(0xA0 + rank);
    memset(g[rank].tensor, 0, 6);
    put_le16(g[rank].tensor + 2, 0x3F80);
  }
  g[0].build.vlan = true;
  g[0].build.vlan_pcp = 0xB;
  g[0].build.key.vlan = 0xEEF;
  g[1].build.key.v6 = true;
  g[1].build.traffic_class = 0x5A;
  g[2].build.opcode = ROCE_SEND_ONLY_IMM;
  memcpy(g[2].build.imm, "imm!", 4);

  // Each rank behind a port of its own, the last one's frame with bytes behind the IP length.
  bench_store(b, 2, &g[0]);
  bench_store(b, 0, &g[1]);
  uint8_t frame[GRADIENT_ROOM + 9];
  size_t len = gradient_frame(&g[2], frame);
  memset(frame + len, 0xEE, 9);
  bench_frame(b, 1, frame, len + 9, FATE_STORED);
  assert_true(b->v.completes);
  assert_int_equal(model_owed(b->m), 0);   // not before its bytes are in place
  assert_true(bench_commit(b, 1));
  assert_int_equal(model_owed(b->m), H);

  const uint8_t sum[6] = {0, 0, 0x40, 0x40, 0, 0};   // 1 + 1 + 1 = 3
  const unsigned port[H] = {2, 0, 1};
  bench_take(b, 0, 0, EVERYONE, H);
  for (unsigned rank = 0; rank < H; rank++) {
    assert_int_equal(b->frames[rank].rank, rank);
    assert_int_equal(b->frames[rank].port, port[rank]);
    same_result(&b->frames[rank], &g[rank], sum);
  }
  assert_int_equal(model_owed(b->m), 0);
}

static void reduces_as_the_header_says(void **state) {
  struct bench *b = *state;
  const struct {
    uint8_t kind;
    uint32_t second;   // of the ranks' 1.0, 2.0, 3.0 in the second element
  } cases[] = {{INA_FP32, 0x40C00000}, {INA_MIN << 4, 0x3F800000}, {INA_MAX << 4, 0x40400000}, {INA_INT32, 0xBFC00000}};
  for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    for (unsigned rank = 0; rank < H; rank++) {
      struct gradient g = packet(rank, i, 0);
      g.ina.kind = cases[i].kind;
      bench_store(b, 0, &g);
    }
    bench_take(b, i, 0, EVERYONE, H);
    struct roce_packet at;
    roce_parse(b->frames[0].data, b->frames[0].len, &at);
    assert_int_equal(at.class, ROCE_CANDIDATE);
    assert_int_equal(get_le32(b->frames[0].data + at.header + 4), cases[i].second);
  }
}

static void lengths_from_nothing_to_a_slot(void **state) {
  struct bench *b = *state;
  const size_t lens[] = {0, 4, BENCH_SLOT};
  for (uint32_t i = 0; i < 3; i++) {
    struct gradient g[H];
    for (unsigned rank = 0; rank < H; rank++) {
      g[rank] = packet(rank, i, 0);
      g[rank].len = lens[i];
      memset(g[rank].tensor, 0, GRADIENT_TENSOR);
      bench_store(b, 0, &g[rank]);
    }
    bench_take(b, i, 0, EVERYONE, H);
    for (unsigned rank = 0; rank < H; rank++) same_result(&b->frames[rank], &g[rank], g[rank].tensor);
  }
}

// --- duplicates ---

static void duplicate_renews_headers_only(void **state) {
  struct bench *b = *state;
  struct gradient first = packet(0, 0, 0), again = first;
  bench_store(b, 0, &first);
  again.build.ip_id ^= 0xFFFF;
  again.build.ttl--;
  memset(again.tensor, 0x55, again.len);
  bench_rx(b, 2, &again, FATE_DUPLICATE);
  assert_false(b->v.completes);
  assert_false(bench_commit(b, 2));
  assert_int_equal(model_owed(b->m), 0);   // the column is not complete
  bench_add(b, 1, 0, 0);
  bench_add(b, 2, 0, 0);
  uint8_t sum[8];
  put_le32(sum, 0x40400000);       // 3.0
  put_le32(sum + 4, 0x40C00000);   // 6.0
  bench_take(b, 0, 0, 1, 1);
  assert_int_equal(b->frames[0].port, 2);
  same_result(&b->frames[0], &again, sum);
  // Once more, after its result has left.
  again.build.ip_id++;
  bench_rx(b, 1, &again, FATE_DUPLICATE);
  assert_false(b->v.completes);
  assert_int_equal(model_owed(b->m), 2);
  assert_false(bench_commit(b, 1));
  bench_take(b, 0, 0, EVERYONE, H);
  assert_int_equal(b->frames[0].port, 1);
  same_result(&b->frames[0], &again, sum);
}

static void dues_merge(void **state) {
  struct bench *b = *state;
  bench_complete(b, 0, 0);
  for (int i = 0; i < 3; i++) bench_repeat(b, 1, 0);
  assert_int_equal(model_owed(b->m), H);   // it is owed one already
  bench_take(b, 0, 0, EVERYONE, H);
  for (int i = 0; i < 3; i++) bench_repeat(b, 1, 0);
  bench_repeat(b, 2, 0);
  assert_int_equal(model_owed(b->m), 2);
  bench_take(b, 0, 0, 1u << 0, -EPROTO);
  bench_take(b, 0, 0, 1u << 1 | 1u << 2, 2);
  assert_int_equal(b->frames[0].rank, 1);
  assert_int_equal(b->frames[1].rank, 2);
  assert_int_equal(model_owed(b->m), 0);
}

static void duplicate_decided_before_completion(void **state) {
  struct bench *b = *state;
  bench_add(b, 0, 0, 0);
  bench_add(b, 1, 0, 0);
  bench_decide(b, 0, 0, 0, FATE_DUPLICATE);   // waits on port 0
  struct gradient last = packet(2, 0, 0);
  bench_store(b, 1, &last);
  bench_take(b, 0, 0, EVERYONE, H);
  assert_false(bench_commit(b, 0));   // the column is complete by now
  assert_int_equal(model_owed(b->m), 1);
  bench_take(b, 0, 0, 1, 1);
}

// --- commits ---

static void ports_commit_in_their_own_order(void **state) {
  struct bench *b = *state;
  bool unexpected;
  assert_false(model_commit(b->m, 0, &unexpected));
  assert_true(unexpected);
  // Port 0: rank 0 of columns 0 and 1; port 1: everybody else.
  for (unsigned offset = 0; offset < 2; offset++) {
    bench_decide(b, 0, 0, offset, FATE_STORED);
    for (unsigned rank = 1; rank < H; rank++) {
      struct gradient g = packet(rank, 0, offset);
      bench_rx(b, 1, &g, FATE_STORED);
    }
  }
  for (int i = 0; i < 4; i++) assert_false(bench_commit(b, 1));
  assert_true(bench_commit(b, 0));
  bench_take(b, 0, 1, 1, -EPROTO);   // column 1 has still to wait
  assert_int_equal(model_owed(b->m), H);
  assert_true(bench_commit(b, 0));
  assert_int_equal(model_owed(b->m), 2 * H);
  for (unsigned port = 0; port < 3; port++) {
    assert_false(model_commit(b->m, port, &unexpected));
    assert_true(unexpected);
  }
}

static void commit_of_another_message_does_nothing(void **state) {
  struct bench *b = *state;   // N = 2
  bench_complete(b, 0, 0);
  bench_take(b, 0, 0, EVERYONE, H);
  bench_decide(b, 0, 0, 0, FATE_DUPLICATE);   // not in place yet
  for (unsigned rank = 0; rank < H; rank++) {
    struct gradient g = packet(rank, 2, 0);
    bench_store(b, 1, &g);
  }
  bench_take(b, 2, 0, EVERYONE, H);   // frees the slot of message 0 for message 4
  assert_false(bench_commit(b, 0));
  assert_int_equal(model_owed(b->m), 0);
  bench_complete(b, 4, 0);
  bench_take(b, 4, 0, EVERYONE, H);
  // Nor is it one of the message that has the slot by now.
  bench_decide(b, 0, 4, 0, FATE_DUPLICATE);
  for (unsigned rank = 0; rank < H; rank++) {
    struct gradient g = packet(rank, 8, 0);
    bench_store(b, 1, &g);
  }
  bench_take(b, 8, 0, EVERYONE, H);
  assert_false(bench_commit(b, 0));
  assert_int_equal(model_owed(b->m), 0);
}

static void commit_after_flush_does_nothing(void **state) {
  struct bench *b = *state;
  bench_add(b, 1, 0, 0);
  bench_add(b, 2, 0, 0);
  bench_decide(b, 0, 0, 0, FATE_STORED);
  model_flush(b->m, 0);
  assert_false(bench_commit(b, 0));
  assert_int_equal(model_owed(b->m), 0);
  bench_take(b, 0, 0, 1, -EPROTO);
  // Nor if the message has come anew: only its new packet completes the column.
  bench_decide(b, 0, 0, 0, FATE_STORED);
  model_flush(b->m, 0);
  for (unsigned rank = 1; rank < H; rank++) {
    struct gradient g = packet(rank, 0, 0);
    bench_store(b, 1, &g);
  }
  bench_decide(b, 0, 0, 0, FATE_STORED);
  assert_false(bench_commit(b, 0));
  assert_int_equal(model_owed(b->m), 0);
  assert_true(bench_commit(b, 0));
}

// --- takes ---

static void takes_are_checked(void **state) {
  struct bench *b = *state;
  bench_take(b, 0, 0, 1, -EPROTO);   // an empty ring owes nothing
  bench_complete(b, 0, 0);
  bench_take(b, 0, BENCH_STRIDE, 1, -EPROTO);
  bench_take(b, 3, BENCH_STRIDE, 1, -EPROTO);   // behind the last column
  bench_take(b, 0, 1, 1, -EPROTO);
  bench_take(b, 4, 0, 1, -EPROTO);   // the slot's, but not its message
  bench_take(b, 0, 0, 0, -EPROTO);
  bench_take(b, 0, 0, EVERYONE + 1, -EPROTO);
  assert_int_equal(model_take(b->m, 1, 0, 0, 1, b->frames), -EPROTO);
  assert_int_equal(model_take(b->m, 3, 0, 0, 1, b->frames), -EPROTO);
  assert_int_equal(model_take(b->m, 1000, 0, 0, 1, b->frames), -EPROTO);
  assert_int_equal(model_owed(b->m), H);   // nothing was lost by that
  bench_take(b, 0, 0, EVERYONE, H);
  bench_take(b, 0, 0, EVERYONE, -EPROTO);
}

static int fresh(void **state) { return bench_fresh(state, H, 2); }

#define CASE(name) cmocka_unit_test_setup_teardown(name, fresh, bench_done)

int main(void) {
  const struct CMUnitTest tests[] = {
      CASE(result_wears_its_own_headers),
      CASE(reduces_as_the_header_says),
      CASE(lengths_from_nothing_to_a_slot),
      CASE(duplicate_renews_headers_only),
      CASE(dues_merge),
      CASE(duplicate_decided_before_completion),
      CASE(ports_commit_in_their_own_order),
      CASE(commit_of_another_message_does_nothing),
      CASE(commit_after_flush_does_nothing),
      CASE(takes_are_checked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
