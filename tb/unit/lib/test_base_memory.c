// Memory that must be there, and arrays that grow.
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"

static void what_is_there_is_handed_on(void **state) {
  (void)state;
  int there;
  assert_ptr_equal(need(&there), &there);
}

/// What a child that runs `wrong` writes to stderr, in `text`; its exit status.
static int end_of(void (*wrong)(void), char *text, size_t size) {
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    signal(SIGABRT, SIG_DFL);   // cmocka's own handler would go on
    dup2(ends[1], STDERR_FILENO);
    wrong();
    _exit(0);
  }
  close(ends[1]);
  const ssize_t len = read(ends[0], text, size - 1);
  text[len > 0 ? len : 0] = 0;
  close(ends[0]);
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  return status;
}

static void needs_nothing(void) { need(NULL); }

static void needs_too_much(void) {
  size_t room = 0;
  free(need_room(NULL, &room, SIZE_MAX / 2, 4));
}

static void without_memory_a_program_ends(void **state) {
  (void)state;
  void (*const wrong[])(void) = {needs_nothing, needs_too_much};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char text[200];
    const int status = end_of(wrong[i], text, sizeof text);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
    assert_non_null(strstr(text, ": out of memory\n"));
  }
}

static void arrays_grow_and_keep_what_they_have(void **state) {
  (void)state;
  uint32_t *array = NULL;
  size_t room = 0, moves = 0;
  for (uint32_t i = 0; i < 100000; i++) {
    const size_t before = room;
    array = need_room(array, &room, i + 1, sizeof *array);
    assert_true(room > i);
    moves += room != before;
    array[i] = i;
  }
  for (uint32_t i = 0; i < 100000; i++) assert_int_equal(array[i], i);
  assert_in_range(moves, 2, 12);   // it doubles
  array = need_room(array, &room, 1000000, sizeof *array);
  assert_true(room >= 1000000);
  array[999999] = 1;
  free(array);
}

static void no_elements_are_an_array_too(void **state) {
  (void)state;
  size_t room = 0;
  char *array = need_room(NULL, &room, 0, 1);
  assert_non_null(array);
  free(array);
}

static void what_cannot_grow_stays(void **state) {
  (void)state;
  size_t room = 0;
  char *array = need_room(NULL, &room, 3, 8);
  const size_t before = room;
  memset(array, 7, 24);
  assert_null(try_room(array, &room, SIZE_MAX / 4, 8));
  assert_int_equal(room, before);
  assert_int_equal(array[23], 7);
  room = SIZE_MAX / 2 + 2;   // twice this is more than there are numbers
  assert_null(try_room(array, &room, room + 1, 1));
  assert_int_equal(room, SIZE_MAX / 2 + 2);
  free(array);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_there_is_handed_on),
      cmocka_unit_test(without_memory_a_program_ends),
      cmocka_unit_test(arrays_grow_and_keep_what_they_have),
      cmocka_unit_test(no_elements_are_an_array_too),
      cmocka_unit_test(what_cannot_grow_stays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
