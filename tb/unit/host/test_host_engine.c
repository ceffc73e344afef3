// The host library's messages: chunks, the window, and what happens when something goes wrong. Engines of a whole ring in one process; between
// them a device that sums (or none), which can lose, hold and damage.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "host/chunk.h"
#include "host/engine.h"
#include "host/plain.h"
#include "unit/host/net/fake_ring.h"
#include "wire/bytes.h"
#include "wire/reduce.h"
#include "wire/roce.h"

// --- chunks ---

static void chunks_cover_the_tensor(void **state) {
  (void)state;
  const struct chunk_shape shapes[] = {{256, 1, 0}, {256, 1, 4}, {256, 4, 0}, {1024, 170, 4}, {4096, 3, 0}};
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
    const size_t most = chunk_most(&shapes[s]);
    const size_t sizes[] = {2, 4, 6, most - 2, most, most + 2, 3 * most, 3 * most + 4};
    assert_int_equal(most % 4, 0);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
      size_t covered = 0;
      const size_t count = chunk_count(&shapes[s], sizes[i]);
      for (size_t c = 0; c < count; c++) {
        const struct chunk chunk = chunk_at(&shapes[s], sizes[i], c);
        assert_int_equal(chunk.offset, covered);
        assert_true(chunk.bytes > 0);
        assert_in_range(chunk.packets, 1, shapes[s].msglen);
        assert_in_range(chunk.total, INA_BYTES + chunk.bytes + shapes[s].trailer,
                        INA_BYTES + chunk.bytes + shapes[s].trailer + 3);
        assert_int_equal(chunk.packets, (chunk.total + shapes[s].mtu - 1) / shapes[s].mtu);
        if (shapes[s].trailer > 0) assert_int_equal(chunk.total % 4, 0);
        covered += chunk.bytes;
      }
      assert_int_equal(covered, sizes[i]);
    }
    assert_int_equal(chunk_count(&shapes[s], 0), 0);
  }
  const struct chunk_shape none = {16, 1, 0};
  assert_int_equal(chunk_most(&none), 0);
}

/// Whatever the reduction, the word that is polled is not 0.
static void seals_survive(void **state) {
  (void)state;
  for (unsigned kind = 0; kind < 12; kind++) {
    const uint8_t code = (uint8_t)(kind % 4 + 16 * (kind / 4));
    uint8_t one[4], sum[4];
    const uint8_t *rows[8];
    chunk_seal(one, 4, code);
    for (unsigned r = 0; r < 8; r++) rows[r] = one;
    assert_int_equal(ina_reduce(code, rows, 8, 4, sum), 0);
    assert_int_not_equal(get_le32(sum), 0);
  }
}

// --- whole tensors ---

static void every_type_size_and_way(void **state) {
  (void)state;
  for (unsigned i = 0; i < 12 * 4; i++) {
    const uint8_t kind = (uint8_t)(i % 4 + 16 * (i / 4 % 3));
    struct fake_ring *f = fake_open(2 + i % 4, 1 + i % 3, i / 12 % 2 == 1, i >= 24 ? FAKE_NO_DEVICE : FAKE_DEVICE);
    const size_t sizes[] = {4, 1000, FAKE_MOST - 4, FAKE_MOST, FAKE_MOST + 4, 5 * FAKE_MOST + 100};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
      fake_reduce(f, kind, ina_element_size(kind) == 2 ? sizes[s] - 2 : sizes[s], i % 2 == 0, i % 3 == 0);
      assert_int_equal(fake_run(f), 0);
      fake_check(f);
    }
    fake_close(f);
  }
}

/// Many at once, and an empty one among them; no more than there is room for.
static void requests_queue(void **state) {
  (void)state;
  struct fake_ring *f = fake_open(3, 2, false, FAKE_DEVICE);
  for (unsigned i = 0; i < ENGINE_REQUESTS; i++) assert_int_equal(fake_start(f, 0, INA_INT32, 400 * (i + 1)), 0);
  assert_int_equal(fake_start(f, 0, INA_INT32, 4), -EAGAIN);
  assert_int_equal(fake_start(f, 0, INA_INT32, 5), -EINVAL);
  assert_int_equal(fake_start(f, 0, 0x37, 4), -EINVAL);
  assert_int_equal(fake_start(f, 1, INA_INT32, 0), 0);
  assert_true(engine_done(&f->hosts[1].engine, 0, true));
  for (unsigned host = 1; host < 3; host++)
    for (unsigned i = 0; i < ENGINE_REQUESTS; i++) assert_int_equal(fake_start(f, host, INA_INT32, 400 * (i + 1)), 0);
  assert_int_equal(fake_run(f), 0);
  assert_int_equal(f->hosts[0].engine.pending, 0);
  fake_close(f);
}

/// A host never has more than a window of messages without result, and is at that limit while another is late.
static void window_moves_by_results(void **state) {
  (void)state;
  for (unsigned window = 1; window <= 3; window++) {
    struct fake_ring *f = fake_open(3, window, false, FAKE_DEVICE);
    f->held_back = 2;   // its messages do not get to the device yet
    fake_reduce(f, INA_FP32, 9 * FAKE_MOST, false, false);
    for (unsigned i = 0; i < 50; i++) fake_step(f);
    assert_int_equal(f->hosts[0].engine.sent, window);
    assert_int_equal(f->hosts[0].engine.held, 0);
    f->held_back = FAKE_NOBODY;
    assert_int_equal(fake_run(f), 0);
    assert_int_equal(f->most_open, window);
    fake_check(f);
    fake_close(f);
  }
}

/// What may have to be sent again stays where it is: results alone free no staging slot.
static void slots_wait_for_acknowledgements(void **state) {
  (void)state;
  struct fake_ring *f = fake_open(2, 2, false, FAKE_DEVICE);
  f->unacknowledged = 0;
  fake_reduce(f, INA_FP32, 9 * FAKE_MOST, false, true);
  for (unsigned i = 0; i < 50; i++) fake_step(f);
  assert_int_equal(f->hosts[0].engine.sent, 4);
  assert_int_equal(f->hosts[0].engine.held, 4);
  f->unacknowledged = FAKE_NOBODY;
  assert_int_equal(fake_run(f), 0);
  fake_check(f);
  f->unacknowledged = 0;
  fake_reduce(f, INA_FP32, 4, false, true);
  for (unsigned i = 0; i < 50; i++) fake_step(f);
  assert_true(engine_done(&f->hosts[0].engine, f->hosts[0].request, false));
  assert_false(engine_done(&f->hosts[0].engine, f->hosts[0].request, true));
  fake_close(f);
}

// --- errors ---

static void expect_error(int wanted, enum fake_fault fault) {
  struct fake_ring *f = fake_open(3, 2, false, FAKE_DEVICE);
  f->fault = fault;
  f->fault_at = 3;
  fake_reduce(f, INA_FP32, 9 * FAKE_MOST, false, false);
  assert_int_equal(fake_run(f), wanted);
  struct engine *e = &f->hosts[1].engine;
  assert_int_equal(e->failure.code, wanted);
  assert_true(e->failure.text[0] != 0);
  // It stays failed, and says the same again.
  assert_int_equal(engine_progress(e, f->now), wanted);
  assert_int_equal(fake_start(f, 1, INA_FP32, 4), wanted);
  fake_close(f);
}

static void wrong_answers(void **state) {
  (void)state;
  expect_error(-EPROTO, FAKE_WRONG_HEADER);
  expect_error(-EPROTO, FAKE_WRONG_LENGTH);
  expect_error(-EPROTO, FAKE_UNASKED);
}

/// Hosts that want marks take marked results, in messages of one packet and of several, and nothing that is raw or of two epochs. Others mind no mark.
static void marks(void **state) {
  (void)state;
  static const struct {
    uint8_t epoch;
    bool wanted;
    enum fake_fault fault;
    int result;
  } cases[] = {
      {255, true, FAKE_FINE, 0},
      {7, false, FAKE_FINE, 0},
      {0, false, FAKE_FINE, 0},
      {0, true, FAKE_FINE, -EBADMSG},
      {7, true, FAKE_RAW, -EBADMSG},
      {7, true, FAKE_RAW_END, -EBADMSG},
      {7, true, FAKE_TWO_EPOCHS, -EBADMSG},
      {7, false, FAKE_TWO_EPOCHS, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct fake_ring *f = fake_open(4, 2, false, FAKE_DEVICE);
    fake_marks(f, cases[i].epoch, cases[i].wanted);
    f->fault = cases[i].fault;
    f->fault_at = 2;
    fake_reduce(f, INA_FP32, 5 * FAKE_MOST + 100, false, i % 2 == 0);   // the last message has one packet
    assert_int_equal(fake_run(f), cases[i].result);
    if (cases[i].result == 0)
      fake_check(f);
    else
      assert_true(cases[i].fault == FAKE_FINE || f->hosts[1].engine.held == 2);   // nothing of it is in the result
    fake_close(f);
  }
}

static void broken_connections(void **state) {
  (void)state;
  expect_error(-EHOSTUNREACH, FAKE_UNREACHABLE);
  expect_error(-ECONNRESET, FAKE_NO_SEND);
  expect_error(-ENOMEM, FAKE_NO_SLOT);
}

/// Time-outs count from the last progress, not from the start.
static void silence_is_an_error(void **state) {
  (void)state;
  struct fake_ring *f = fake_open(2, 2, false, FAKE_DEVICE);
  struct engine *e = &f->hosts[0].engine;
  f->now = 5 * FAKE_TIMEOUT;
  assert_int_equal(engine_progress(e, f->now), 0);   // nothing waits
  fake_reduce(f, INA_FP32, 14 * FAKE_MOST, false, false);
  for (unsigned i = 0; i < 5; i++) {
    fake_step(f);
    f->now += FAKE_TIMEOUT - 1000;
  }
  assert_int_equal(e->failure.code, 0);
  f->held_back = 1;
  for (unsigned i = 0; i < 20 && e->failure.code == 0; i++) {
    fake_step(f);
    f->now += FAKE_TIMEOUT / 4;
  }
  assert_int_equal(e->failure.code, -ETIMEDOUT);
  assert_non_null(strstr(e->failure.text, "no progress"));
  fake_close(f);
}

/// Without a device hosts see for themselves that they do different things: the odd one and the one behind it, and both name both.
static void hosts_that_do_different_things(void **state) {
  static const struct {
    uint8_t kind;
    size_t bytes;
    const char *texts[2];   ///< at the odd one, host 1, and at host 2
  } cases[] = {
      {INA_INT32,
       400,
       {"rank 0 does an all-reduce of fp32, sum, and rank 1 an all-reduce of int32, sum",
        "rank 1 does an all-reduce of int32, sum, and rank 2 an all-reduce of fp32, sum"}},
      {INA_MAX << 4 | INA_FP32, 400, {"of fp32, sum, and rank 1 an all-reduce of fp32, max", "of fp32, max, and rank 2"}},
      {INA_FP32,
       402 * 4,
       {"rank 0 does an all-reduce of another length than the 1608 bytes of rank 1", "the 400 bytes of rank 2"}},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct fake_ring *f = fake_open(4, 2, false, FAKE_NO_DEVICE);
    for (unsigned host = 0; host < 4; host++)
      assert_int_equal(fake_start(f, host, host == 1 ? cases[i].kind : INA_FP32, host == 1 ? cases[i].bytes : 400), 0);
    for (unsigned step = 0; step < 10; step++) fake_step(f);
    for (unsigned host = 1; host <= 2; host++) {
      assert_int_equal(f->hosts[host].plain.failure.code, -EINVAL);
      assert_non_null(strstr(f->hosts[host].plain.failure.text, cases[i].texts[host - 1]));
    }
    fake_close(f);
  }
}

static void unsound_configurations(void **state) {
  (void)state;
  struct fake_ring *f = fake_open(2, 2, false, FAKE_DEVICE);
  const struct engine_config good = f->hosts[0].engine.config;
  struct engine e;
  struct engine_config c = good;
  assert_int_equal(engine_init(&e, &c), 0);
  c.window = 0;
  assert_int_equal(engine_init(&e, &c), -EINVAL);
  c = good;
  c.window = 3;   // more than half of the slots
  assert_int_equal(engine_init(&e, &c), -EINVAL);
  c = good;
  c.rank = 2;
  assert_int_equal(engine_init(&e, &c), -EINVAL);
  c = good;
  c.shape.msglen *= 2;   // longer than a slot
  assert_int_equal(engine_init(&e, &c), -EINVAL);
  c = good;
  c.transport.polled = true;   // and no trailer to poll
  assert_int_equal(engine_init(&e, &c), -EINVAL);
  fake_close(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chunks_cover_the_tensor),
      cmocka_unit_test(seals_survive),
      cmocka_unit_test(every_type_size_and_way),
      cmocka_unit_test(requests_queue),
      cmocka_unit_test(window_moves_by_results),
      cmocka_unit_test(slots_wait_for_acknowledgements),
      cmocka_unit_test(wrong_answers),
      cmocka_unit_test(marks),
      cmocka_unit_test(broken_connections),
      cmocka_unit_test(silence_is_an_error),
      cmocka_unit_test(hosts_that_do_different_things),
      cmocka_unit_test(unsound_configurations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
