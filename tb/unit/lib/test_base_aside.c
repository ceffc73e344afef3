// Work for a second thread: all of it is done, once, in order; whoever waits sees it done.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/aside.h"
#include "base/rng.h"

enum { PIECES = 100000, LONGEST = 200000 };

struct piece {
  uint64_t number;
  size_t bytes;
  uint8_t rest[];
};

struct seen {
  uint64_t next, bytes;
  bool wrong;
};

static void look(void *user, const void *what) {
  struct seen *s = user;
  const struct piece *p = what;
  s->wrong |= p->number != s->next++;
  for (size_t i = 0; i < p->bytes; i++) s->wrong |= p->rest[i] != (uint8_t)(p->number + i);
  s->bytes += p->bytes;
}

static void put(struct aside *a, uint64_t number, size_t bytes) {
  struct piece *p = aside_put(a, sizeof *p + bytes);
  *p = (struct piece){.number = number, .bytes = bytes};
  for (size_t i = 0; i < bytes; i++) p->rest[i] = (uint8_t)(number + i);
}

static void test_in_order(void **state) {
  (void)state;
  struct rng rng = rng_for(1, 0);
  struct seen seen = {0};
  struct aside *a = aside_start(look, &seen);
  uint64_t bytes = 0;
  assert_non_null(a);
  for (uint64_t i = 0; i < PIECES; i++) {
    // Of a batch there are many, or it is one that is larger than a batch.
    const size_t length = i % 5000 == 1 ? LONGEST : rng_below(&rng, 40);
    put(a, i, length);
    bytes += length;
    if (i % 777 != 0) continue;
    aside_wait(a);
    assert_int_equal(seen.next, i + 1);
    assert_int_equal(seen.bytes, bytes);
  }
  aside_end(a);
  assert_int_equal(seen.next, PIECES);
  assert_int_equal(seen.bytes, bytes);
  assert_false(seen.wrong);
}

static void test_nothing_to_do(void **state) {
  (void)state;
  struct seen seen = {0};
  struct aside *a = aside_start(look, &seen);
  assert_non_null(a);
  aside_wait(a);
  aside_wait(a);
  aside_end(a);
  assert_int_equal(seen.next, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_in_order), cmocka_unit_test(test_nothing_to_do)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
