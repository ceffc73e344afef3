#include "formal/protocol/locking/search_locking.h"

#include <stdio.h>

#include "base/clock.h"
#include "formal/protocol/locking/model.h"
#include "formal/protocol/locking/options.h"
#include "formal/protocol/report.h"

static void words(const void *rules, uint32_t label, char *text, size_t size) { locking_words(rules, label, text, size); }

int search_locking(int argc, char **argv) {
  const struct locking_request q = locking_options(argc, argv);
  const struct rule_model model = locking_model(&q.rules);
  const double start = clock_seconds();
  struct search *s;
  const bool whole = search_all(&model, q.most, &s);
  if (whole) {
    report_numbers(s, q.csv, clock_seconds() - start);
    putchar('\n');
    report_traces(s, "what must never be", words, &q.rules);
  } else {
    fprintf(stderr, "protocol: more than %u states, raise --most\n", q.most);
  }
  const int code = whole ? search_wrong(s) > 0 || search_stuck(s) > 0 : 2;
  search_free(s);
  return code;
}
