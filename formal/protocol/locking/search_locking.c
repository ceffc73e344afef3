#include "formal/protocol/locking/search_locking.h"

#include "formal/protocol/locking/model.h"
#include "formal/protocol/locking/options.h"
#include "formal/protocol/report.h"

static void words(const void *rules, uint32_t label, char *text, size_t size) { locking_words(rules, label, text, size); }

int search_locking(int argc, char **argv) {
  const struct locking_request q = locking_options(argc, argv);
  const struct rule_model model = locking_model(&q.rules);
  return report_search(&model, q.most, q.csv, words, &q.rules);
}
