#include "formal/protocol/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "formal/protocol/ring.h"
#include "formal/protocol/search.h"
#include "formal/protocol/tree.h"

static void print_trace(const struct rules *rules, const char *what, const uint32_t *labels, size_t length) {
  char text[160];
  printf("\nShortest way to %s, %zu events:\n", what, length);
  for (size_t i = 0; i < length; i++) {
    if (rules->two_level) {
      tree_words(labels[i], text, sizeof text);
    } else {
      ring_words(rules, labels[i], text, sizeof text);
    }
    printf("%4zu  %s\n", i + 1, text);
  }
}

static void report(const struct request *q, const struct search *s, double seconds) {
  uint32_t *to_wrong, *to_stuck;
  const size_t wrong = search_trace_wrong(s, &to_wrong), stuck = search_trace_stuck(s, &to_stuck);
  if (q->csv) {
    printf("%u,%llu,%u,%zu,%zu,%.1f\n", search_states(s), (unsigned long long)search_wrong(s), search_stuck(s), wrong, stuck,
           seconds);
  } else {
    printf("states %u, of them complete %u; wrong steps %llu; stuck states %u; %.1f s\n", search_states(s), search_complete(s),
           (unsigned long long)search_wrong(s), search_stuck(s), seconds);
    if (wrong > 0) print_trace(&q->rules, "a sum that mixes two messages", to_wrong, wrong);
    if (search_stuck(s) > 0) print_trace(&q->rules, "a state from which no continuation completes", to_stuck, stuck);
  }
  free(to_wrong);
  free(to_stuck);
}

int main(int argc, char **argv) {
  const struct request q = options_read(argc, argv);
  const struct model model = q.rules.two_level ? tree_model(&q.rules) : ring_model(&q.rules);
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  struct search *s;
  const bool whole = search_all(&model, q.most, &s);
  clock_gettime(CLOCK_MONOTONIC, &end);
  int code = 2;
  if (whole) {
    report(&q, s, (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9);
    code = search_wrong(s) > 0 || search_stuck(s) > 0;
  } else {
    fprintf(stderr, "protocol: more than %u states, raise --most\n", q.most);
  }
  search_free(s);
  return code;
}
