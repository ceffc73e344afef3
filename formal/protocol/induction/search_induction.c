#include "formal/protocol/induction/search_induction.h"

#include <argp.h>

#include "formal/protocol/argument.h"
#include "formal/protocol/induction/model.h"
#include "formal/protocol/report.h"

enum { OPT_PARENT = 256, OPT_CHILDREN, OPT_WINDOW, OPT_MESSAGES, OPT_FREES, OPT_ANSWERS, OPT_MOST, OPT_CSV };

struct induction_request {
  struct induction_rules rules;
  unsigned most;   ///< states
  bool csv;
};

static const struct argp_option options[] = {
    {"parent", OPT_PARENT, NULL, 0, "The device is below a parent (default: it is the root)", 0},
    {"children", OPT_CHILDREN, "N", 0, "Of the device, 2 or 3", 0},
    {"window", OPT_WINDOW, "N", 0, "In messages, 1 or 2", 0},
    {"messages", OPT_MESSAGES, "N", 0, "Of each host, 1 to 7", 0},
    {"frees", OPT_FREES, "WHEN", 0,
     "With a parent, slots fall free on: result (the parent's result passes), sum (the device's own completion)", 0},
    {"answers", OPT_ANSWERS, "WHOM", 0, "A root answers a repeat to: all, one (the child that asked)", 0},
    {"most", OPT_MOST, "STATES", 0, "Give up beyond so many states (default 30000000)", 1},
    {"csv", OPT_CSV, NULL, 0,
     "The first line is: states,complete,wrong,stuck,events to the first wrong step,to a stuck state,seconds", 1},
    {0}};

static error_t parse(int key, char *text, struct argp_state *state) {
  static const char *const frees_names[] = {"result", "sum", NULL}, *const answers_names[] = {"all", "one", NULL};
  struct induction_request *q = state->input;
  switch (key) {
    case OPT_PARENT: q->rules.parent = true; return 0;
    case OPT_CHILDREN: q->rules.children = argument_number(text, state); return 0;
    case OPT_WINDOW: q->rules.window = argument_number(text, state); return 0;
    case OPT_MESSAGES: q->rules.messages = argument_number(text, state); return 0;
    case OPT_FREES: q->rules.frees_early = argument_choice(frees_names, text, state) == 1; return 0;
    case OPT_ANSWERS: q->rules.answers_one = argument_choice(answers_names, text, state) == 1; return 0;
    case OPT_MOST: q->most = argument_number(text, state); return 0;
    case OPT_CSV: q->csv = true; return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

/// What is wrong with the rules, or NULL.
static const char *fault_of(const struct induction_rules *r) {
  if (r->children < 2 || r->children > INDUCTION_CHILDREN) return "--children is 2 or 3";
  if (r->window < 1 || r->window > INDUCTION_WINDOW) return "--window is 1 or 2";
  if (r->messages < 1 || r->messages > INDUCTION_MESSAGES) return "--messages is 1 to 7";
  if (r->frees_early && !r->parent) return "--frees is of a device below a parent";
  return r->answers_one && r->parent ? "--answers is of a root" : NULL;
}

static void words(const void *rules, uint32_t label, char *text, size_t size) {
  (void)rules;
  induction_words(label, text, size);
}

int search_induction(int argc, char **argv) {
  static const struct argp argp = {
      .options = options,
      .parser = parse,
      .doc = "Searches every state of a device between children and a parent of which nothing is known but what "
             "they are bound to, for steps and states in which it is not bound to the same."
             "\vExit code: 0 there are none, 1 there are, 2 bad usage or too many states."};
  struct induction_request q = {.rules = {.children = 2, .window = 1, .messages = 4}, .most = 30000000};
  argp_err_exit_status = 2;
  argp_parse(&argp, argc, argv, 0, NULL, &q);
  argument_fault(fault_of(&q.rules));
  const struct rule_model model = induction_model(&q.rules);
  return report_search(&model, q.most, q.csv, words, &q.rules);
}
