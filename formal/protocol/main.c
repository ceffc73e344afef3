#include "formal/protocol/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "formal/protocol/classes/search_classes.h"
#include "formal/protocol/induction/search_induction.h"
#include "formal/protocol/locking/search_locking.h"
#include "formal/protocol/report.h"
#include "formal/protocol/ring.h"
#include "formal/protocol/scenario.h"
#include "formal/protocol/search/search.h"
#include "formal/protocol/tree.h"

static void words(const void *context, uint32_t label, char *text, size_t size) {
  const struct rules *rules = context;
  if (rules->two_level) {
    tree_words(label, text, size);
  } else {
    ring_words(rules, label, text, size);
  }
}

/// The trace as a capture, and what Weir makes of it; nothing if nothing was found.
static bool capture(const struct check_request *q, const uint32_t *labels, size_t length) {
  if (q->capture == NULL || length == 0) return true;
  struct scenario scenario;
  if (!scenario_make(&q->rules, labels, length, &scenario)) {
    fprintf(stderr, "protocol: no capture: Weir's rules do not complete after this trace\n");
    return false;
  }
  if (scenario_write(&q->rules, &scenario, q->capture) != 0) return false;
  if (q->csv) {
    printf(",%zu,%zu,%u,%u,%u,%u,%u,%u", scenario.frames, scenario.of_trace, scenario.results, scenario.stored,
           scenario.duplicates, scenario.stale, scenario.unknown, scenario.passed);
  } else {
    printf("\n%s: %zu frames, the first %zu of the trace\nWeir stores %u, has %u already, drops %u as stale and %u of unknown "
           "messages, "
           "passes %u; %u results\n",
           q->capture, scenario.frames, scenario.of_trace, scenario.stored, scenario.duplicates, scenario.stale, scenario.unknown,
           scenario.passed, scenario.results);
  }
  return true;
}

/// False if a capture was wanted and could not be made.
static bool report(const struct check_request *q, const struct search *s, double seconds) {
  uint32_t *to_wrong, *to_stuck;
  const size_t wrong = search_trace_wrong(s, &to_wrong), stuck = search_trace_stuck(s, &to_stuck);
  report_numbers(s, q->csv, seconds);
  const bool captured = capture(q, wrong > 0 ? to_wrong : to_stuck, wrong > 0 ? wrong : stuck);
  putchar('\n');
  report_traces(s, "a sum that mixes two messages", words, &q->rules);
  free(to_wrong);
  free(to_stuck);
  return captured;
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "locking") == 0) return search_locking(argc - 1, argv + 1);
  if (argc > 1 && strcmp(argv[1], "classes") == 0) return search_classes(argc - 1, argv + 1);
  if (argc > 1 && strcmp(argv[1], "induction") == 0) return search_induction(argc - 1, argv + 1);
  const struct check_request q = options_read(argc, argv);
  const struct rule_model model = q.rules.two_level ? tree_model(&q.rules) : ring_model(&q.rules);
  const double start = clock_seconds();
  struct search *s;
  const bool whole = search_all(&model, q.most, &s);
  const double seconds = clock_seconds() - start;
  int code = 2;
  if (whole) {
    const bool reported = report(&q, s, seconds);
    code = reported ? search_wrong(s) > 0 || search_stuck(s) > 0 : 2;
  } else {
    fprintf(stderr, "protocol: more than %u states, raise --most\n", q.most);
  }
  search_free(s);
  return code;
}
