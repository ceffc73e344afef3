#include "formal/protocol/report.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"

void report_numbers(const struct search *s, bool csv, double seconds) {
  uint32_t *to_wrong, *to_stuck;
  const size_t wrong = search_trace_wrong(s, &to_wrong), stuck = search_trace_stuck(s, &to_stuck);
  printf(csv ? "%u,%u,%llu,%u,%zu,%zu,%.1f"
             : "states %u, of them complete %u; wrong steps %llu; stuck states %u; events %zu, %zu; %.1f s",
         search_states(s), search_complete(s), (unsigned long long)search_wrong(s), search_stuck(s), wrong, stuck, seconds);
  free(to_wrong);
  free(to_stuck);
}

static void print_trace(const char *what, const uint32_t *labels, size_t length, report_words *words, const void *context) {
  char text[160];
  printf("\nShortest way to %s, %zu events:\n", what, length);
  for (size_t i = 0; i < length; i++) {
    words(context, labels[i], text, sizeof text);
    printf("%4zu  %s\n", i + 1, text);
  }
}

void report_traces(const struct search *s, const char *wrong, report_words *words, const void *context) {
  uint32_t *to_wrong, *to_stuck;
  const size_t wrong_length = search_trace_wrong(s, &to_wrong), stuck_length = search_trace_stuck(s, &to_stuck);
  if (wrong_length > 0) print_trace(wrong, to_wrong, wrong_length, words, context);
  if (search_stuck(s) > 0) print_trace("a state from which no continuation completes", to_stuck, stuck_length, words, context);
  free(to_wrong);
  free(to_stuck);
}

int report_search(const struct rule_model *model, uint32_t most, bool csv, report_words *words, const void *context) {
  const double start = clock_seconds();
  struct search *s;
  int code = 2;
  if (search_all(model, most, &s)) {
    report_numbers(s, csv, clock_seconds() - start);
    putchar('\n');
    report_traces(s, "what must never be", words, context);
    code = search_wrong(s) > 0 || search_stuck(s) > 0;
  } else {
    fprintf(stderr, "protocol: more than %u states, raise --most\n", most);
  }
  search_free(s);
  return code;
}
