// Jobs as a user writes them: what is taken, what each is then, and what is refused in which words.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/engine/jobs.h"
#include "wire/roce.h"

static const struct job standard = {.kind = INA_FP32, .tensor = 4096};

static void taken(void **state) {
  (void)state;
  char error[256] = "";
  struct jobs jobs;
  assert_int_equal(
      jobs_read(&jobs, "[{\"hosts\": [2, 0]}, {\"tensor\": \"64K\", \"op\": \"max\", \"type\": \"bf16\", \"hosts\": [0, 5, 4]}]",
                &standard, error, sizeof error),
      0);
  assert_int_equal(jobs.count, 2);
  assert_int_equal(jobs.hosts, 6);
  const struct job *a = &jobs.list[0], *b = &jobs.list[1];
  assert_int_equal(a->ranks, 2);
  assert_int_equal(a->kind, INA_FP32);
  assert_int_equal(a->tensor, 4096);
  assert_int_equal(b->ranks, 3);
  assert_int_equal(b->kind, 0x20 | INA_BF16);
  assert_int_equal(b->tensor, 65536);
  assert_int_equal(job_rank(a, 2), 0);
  assert_int_equal(job_rank(a, 0), 1);
  assert_int_equal(job_rank(a, 5), -1);
  assert_int_equal(job_rank(b, 4), 2);
}

/// With what a job does not say.
static void said_before(void **state) {
  (void)state;
  char error[256] = "";
  struct jobs jobs;
  const struct job other = {.kind = 0x10 | INA_INT32, .tensor = 12};
  assert_int_equal(jobs_read(&jobs, "[{\"hosts\": [0, 1], \"op\": \"sum\"}, {\"hosts\": [0, 1], \"type\": \"fp16\"}]", &other,
                             error, sizeof error),
                   0);
  assert_int_equal(jobs.list[0].kind, INA_INT32);
  assert_int_equal(jobs.list[1].kind, 0x10 | INA_FP16);
  assert_int_equal(jobs.list[1].tensor, 12);
}

static void refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *word;
  } cases[] = {
      {"[]", "no job"},
      {"{}", "must be a list"},
      {"[", "line 1"},
      {"[1]", "job 1: must be {"},
      {"[{}]", "job 1: \"hosts\" is missing"},
      {"[{\"hosts\": 3}]", "job 1: \"hosts\" must be a list"},
      {"[{\"hosts\": [3]}]", "job 1: fewer than 2 hosts"},
      {"[{\"hosts\": [0, 1]}, {\"hosts\": [3, 4, 3]}]", "job 2: host 3 is named twice"},
      {"[{\"hosts\": [0, 16]}]", "0 to 15"},
      {"[{\"hosts\": [0, -1]}]", "0 to 15"},
      {"[{\"hosts\": [0, 1.0]}]", "0 to 15"},
      {"[{\"hosts\": [0, 4294967297]}]", "0 to 15"},
      {"[{\"hosts\": [0, 1], \"hosts\": [0, 1]}]", "duplicate"},
      {"[{\"hosts\": [0, 1], \"ring\": 1}]", "unknown member \"ring\""},
      {"[{\"hosts\": [0, 1], \"a\\nb\": 1}]", "unknown member \"a?b\""},
      {"[{\"hosts\": [0, 1], \"type\": \"fp8\"}]", "\"type\" must be"},
      {"[{\"hosts\": [0, 1], \"type\": 0}]", "\"type\" must be"},
      {"[{\"hosts\": [0, 1], \"op\": \"mean\"}]", "\"op\" must be"},
      {"[{\"hosts\": [0, 1], \"tensor\": 0}]", "\"tensor\" must be"},
      {"[{\"hosts\": [0, 1], \"tensor\": -4}]", "\"tensor\" must be"},
      {"[{\"hosts\": [0, 1], \"tensor\": true}]", "\"tensor\" must be"},
      {"[{\"hosts\": [0, 1], \"tensor\": \"4G\"}]", "\"tensor\" must be"},
      {"[{\"hosts\": [0, 1], \"tensor\": \"4097M\"}]", "\"tensor\" must be"},
      {"[{\"hosts\": [0, 1], \"tensor\": 4294967297}]", "\"tensor\" must be"},
      {"/nowhere", "No such file or directory"},
      {"/", "Is a directory"},
      {"/dev/null", "empty file"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char error[256] = "";
    struct jobs jobs;
    assert_int_equal(jobs_read(&jobs, cases[i].text, &standard, error, sizeof error), -1);
    if (strstr(error, cases[i].word) == NULL) fail_msg("%s: \"%s\" does not say %s", cases[i].text, error, cases[i].word);
    assert_null(strchr(error, '\n'));
  }
}

static void at_most(void **state) {
  (void)state;
  char text[2048], error[256] = "";
  struct jobs jobs;
  for (unsigned count = JOBS_MOST; count <= JOBS_MOST + 1; count++) {
    strcpy(text, "[");
    for (unsigned i = 0; i < count; i++) strcat(text, i > 0 ? ", {\"hosts\": [0, 1]}" : "{\"hosts\": [0, 1]}");
    strcat(text, "]");
    assert_int_equal(jobs_read(&jobs, text, &standard, error, sizeof error), count > JOBS_MOST ? -1 : 0);
  }
  assert_non_null(strstr(error, "more than 32 jobs"));
}

static void alike(void **state) {
  (void)state;
  struct jobs jobs;
  unsigned wrong;
  jobs_alike(&jobs, 3, 5, INA_FP16, 10);
  assert_int_equal(jobs.count, 3);
  assert_int_equal(jobs.hosts, 5);
  for (unsigned host = 0; host < 5; host++) assert_int_equal(job_rank(&jobs.list[2], host), host);
  assert_true(jobs_whole(&jobs, &wrong));
  jobs.list[1].kind = INA_FP32;
  assert_false(jobs_whole(&jobs, &wrong));
  assert_int_equal(wrong, 1);
}

static void in_words(void **state) {
  (void)state;
  char text[200];
  const struct job job = {.hosts = {0, 1, 2, 5, 4, 7, 8}, .ranks = 7, .kind = 0x10 | INA_BF16, .tensor = 12};
  FILE *f = fmemopen(text, sizeof text, "w");
  job_print(f, &job);
  fclose(f);
  assert_string_equal(text, "min bf16 of 12 bytes on hosts 0-2, 5, 4, 7-8");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(taken),   cmocka_unit_test(said_before), cmocka_unit_test(refused),
      cmocka_unit_test(at_most), cmocka_unit_test(alike),       cmocka_unit_test(in_words),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
