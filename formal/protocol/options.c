#include "formal/protocol/options.h"

#include <argp.h>
#include <stddef.h>

#include "formal/protocol/argument.h"

enum {
  OPT_RULE = 256,
  OPT_TAG,
  OPT_CLT,
  OPT_REEMIT,
  OPT_EMIT,
  OPT_PLACE,
  OPT_TIMEOUT,
  OPT_HOSTS,
  OPT_WINDOW,
  OPT_MSGLEN,
  OPT_MESSAGES,
  OPT_HOST_WINDOW,
  OPT_FIFO,
  OPT_LOSS,
  OPT_NO_LOSS,
  OPT_REORDER,
  OPT_DUPLICATE,
  OPT_TREE,
  OPT_LEAF,
  OPT_MOST,
  OPT_CSV,
  OPT_CAPTURE
};

static const struct argp_option options[] = {
    {"rule", OPT_RULE, "RULE", 0, "When a slot falls free: any-packet, own-bit, first-completion, lazy", 0},
    {"tag", OPT_TAG, "TAG", 0, "How a slot tells messages apart: none, epoch, full", 0},
    {"clt", OPT_CLT, "TABLE", 0, "Connection table: ideal, single, overwrite, monotone, base", 0},
    {"reemit", OPT_REEMIT, "WHO", 0, "Who gets a repeated result: own, all; with --two-level also merged", 0},
    {"emit", OPT_EMIT, "HOW", 0, "Results leave together (with the packet that completes) or one-by-one (later)", 0},
    {"place", OPT_PLACE, "WHOSE", 0,
     "Packets that are not summed yet stand in a place of their column (own), or of the two columns N messages apart: shared, or "
     "unguarded "
     "(who comes writes)",
     0},
    {"timeout", OPT_TIMEOUT, "WHEN", 0,
     "Requesters go back: idle (never in vain), quiet (nothing is in flight), any (at any time)", 0},
    {"hosts", OPT_HOSTS, "H", 0, "Hosts of the ring", 1},
    {"window", OPT_WINDOW, "N", 0, "The device's window in messages", 1},
    {"host-window", OPT_HOST_WINDOW, "N", 0, "The hosts' window (default: the device's)", 1},
    {"msglen", OPT_MSGLEN, "L", 0, "Packets of a message", 1},
    {"messages", OPT_MESSAGES, "M", 0, "Messages that each host sends", 1},
    {"fifo", OPT_FIFO, "D", 0, "Packets that a hop holds", 2},
    {"loss", OPT_LOSS, NULL, 0, "Every hop may lose packets (default)", 2},
    {"no-loss", OPT_NO_LOSS, NULL, 0, "None is lost", 2},
    {"reorder", OPT_REORDER, NULL, 0, "Hops deliver in any order", 2},
    {"duplicate", OPT_DUPLICATE, NULL, 0, "Hops may deliver a packet more than once", 2},
    {"two-level", OPT_TREE, NULL, 0, "Two leaves with a worker each below a spine", 3},
    {"leaf", OPT_LEAF, "RULE", 0, "A leaf frees its slot on: local (its own completion), parent (the parent's result passes)", 3},
    {"most", OPT_MOST, "STATES", 0, "Give up beyond so many states (default 30000000)", 4},
    {"csv", OPT_CSV, NULL, 0,
     "The first line is: states,complete,wrong,stuck,events to the first wrong step,to a stuck state,seconds", 4},
    {"capture", OPT_CAPTURE, "NAME", 0,
     "Write what the device gets in the trace, and then until all is complete: NAME.in.pcapng; and the results: NAME.out.pcapng",
     4},
    {0}};

static error_t parse(int key, char *text, struct argp_state *state) {
  static const char *const leaf_names[] = {"parent", "local", NULL};
  struct check_request *q = state->input;
  struct rules *r = &q->rules;
  switch (key) {
    case OPT_RULE: r->free = argument_choice(free_names, text, state); return 0;
    case OPT_TAG: r->tag = argument_choice(tag_names, text, state); return 0;
    case OPT_CLT: r->clt = argument_choice(clt_names, text, state); return 0;
    case OPT_REEMIT: r->reemit = argument_choice(reemit_names, text, state); return 0;
    case OPT_EMIT: r->emit = argument_choice(emit_names, text, state); return 0;
    case OPT_PLACE: r->place = argument_choice(place_names, text, state); return 0;
    case OPT_TIMEOUT: r->timeout = argument_choice(timeout_names, text, state); return 0;
    case OPT_HOSTS: r->hosts = argument_number(text, state); return 0;
    case OPT_WINDOW: r->window = argument_number(text, state); return 0;
    case OPT_HOST_WINDOW: r->host_window = argument_number(text, state); return 0;
    case OPT_MSGLEN: r->msglen = argument_number(text, state); return 0;
    case OPT_MESSAGES: r->messages = argument_number(text, state); return 0;
    case OPT_FIFO: r->fifo = argument_number(text, state); return 0;
    case OPT_LOSS: r->loss = true; return 0;
    case OPT_NO_LOSS: r->loss = false; return 0;
    case OPT_REORDER: r->reorder = true; return 0;
    case OPT_DUPLICATE: r->duplicate = true; return 0;
    case OPT_TREE: r->two_level = true; return 0;
    case OPT_LEAF: r->leaf_frees_early = argument_choice(leaf_names, text, state) == 1; return 0;
    case OPT_MOST: q->most = argument_number(text, state); return 0;
    case OPT_CSV: q->csv = true; return 0;
    case OPT_CAPTURE: q->capture = text; return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

struct check_request options_read(int argc, char **argv) {
  static const struct argp argp = {
      .options = options,
      .parser = parse,
      .doc = "Searches every state of hosts, links and slots for wrong sums and for states that cannot complete."
             "\vExit code: 0 neither was found, 1 one was, 2 bad usage or too many states."};
  struct check_request q = {.rules = {.free = FREE_COMPLETION,
                                      .tag = TAG_FULL,
                                      .clt = CLT_IDEAL,
                                      .timeout = TIMEOUT_ANY,
                                      .hosts = 2,
                                      .window = 1,
                                      .msglen = 1,
                                      .messages = 3,
                                      .fifo = 1,
                                      .loss = true},
                            .most = 30000000};
  argp_err_exit_status = 2;
  argp_parse(&argp, argc, argv, 0, NULL, &q);
  if (q.rules.host_window == 0) q.rules.host_window = q.rules.window;
  const char *fault = rules_fault(&q.rules);
  if (fault == NULL && q.capture != NULL && q.rules.two_level) fault = "capture: of one device only";
  argument_fault(fault);
  return q;
}
