#include "formal/protocol/classes/search_classes.h"

#include <argp.h>

#include "formal/protocol/argument.h"
#include "formal/protocol/classes/model.h"
#include "formal/protocol/report.h"

enum { OPT_CLASSES = 256, OPT_READS, OPT_PIPES, OPT_HITS, OPT_MOST, OPT_CSV };

struct classes_request {
  struct classes_rules rules;
  unsigned most;   ///< states
  bool csv;
};

static const struct argp_option options[] = {
    {"classes", OPT_CLASSES, "N", 0, "Reads and responses share buffers (1) or have their own (2)", 0},
    {"reads", OPT_READS, "N", 0, "Of each node, 1 to 7", 0},
    {"pipes", OPT_PIPES, "RULE", 0,
     "What shares the place in a switch: apart (nothing), turns (up and down, of a class), one (all)", 0},
    {"hits", OPT_HITS, "RULE", 0, "A read that hits: room (turns around if its response has room), wait (waits for it), none", 0},
    {"most", OPT_MOST, "STATES", 0, "Give up beyond so many states (default 30000000)", 1},
    {"csv", OPT_CSV, NULL, 0,
     "The first line is: states,complete,wrong,stuck,events to the first wrong step,to a stuck state,seconds", 1},
    {0}};

static error_t parse(int key, char *text, struct argp_state *state) {
  struct classes_request *q = state->input;
  switch (key) {
    case OPT_CLASSES: q->rules.classes = argument_number(text, state); return 0;
    case OPT_READS: q->rules.reads = argument_number(text, state); return 0;
    case OPT_PIPES: q->rules.pipes = argument_choice(classes_pipes_names, text, state); return 0;
    case OPT_HITS: q->rules.hits = argument_choice(classes_hits_names, text, state); return 0;
    case OPT_MOST: q->most = argument_number(text, state); return 0;
    case OPT_CSV: q->csv = true; return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

/// What is wrong with the rules, or NULL.
static const char *fault_of(const struct classes_rules *r) {
  if (r->classes < 1 || r->classes > 2) return "--classes is 1 or 2";
  return r->reads < 1 || r->reads > CLASSES_READS ? "--reads is 1 to 7" : NULL;
}

static void words(const void *rules, uint32_t label, char *text, size_t size) {
  (void)rules;
  classes_words(label, text, size);
}

int search_classes(int argc, char **argv) {
  static const struct argp argp = {.options = options,
                                   .parser = parse,
                                   .doc = "Searches every state of two nodes that read from each other through two switches and "
                                          "a spine that push back, for states from which "
                                          "not all reads are answered."
                                          "\vExit code: 0 there are none, 1 there are, 2 bad usage or too many states."};
  struct classes_request q = {.rules = {.classes = 2, .reads = 4}, .most = 30000000};
  argp_err_exit_status = 2;
  argp_parse(&argp, argc, argv, 0, NULL, &q);
  argument_fault(fault_of(&q.rules));
  const struct rule_model model = classes_model(&q.rules);
  return report_search(&model, q.most, q.csv, words, &q.rules);
}
