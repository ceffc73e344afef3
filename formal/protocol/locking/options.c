#include "formal/protocol/locking/options.h"

#include <argp.h>
#include <stddef.h>

#include "formal/protocol/argument.h"

enum {
  OPT_SHAPE = 256,
  OPT_FIRST,
  OPT_SECOND,
  OPT_RETRIES,
  OPT_PACKETS,
  OPT_FAILED,
  OPT_GIVE_BACK,
  OPT_GRANT,
  OPT_SEQUENCE,
  OPT_TEARDOWN,
  OPT_COUNT,
  OPT_LAPSE,
  OPT_PARENT,
  OPT_FAULT,
  OPT_PATIENCE,
  OPT_NO_GATE,
  OPT_ANYBODY,
  OPT_DIES,
  OPT_CUT,
  OPT_GIVES_UP,
  OPT_CONNECTION,
  OPT_MOST,
  OPT_CSV
};

static const struct argp_option options[] = {
    {"shape", OPT_SHAPE, "SHAPE", 0,
     "Who is where: pairs (a host of each group below each of two leaves), alone (one node), local (g1 below one leaf)", 0},
    {"first", OPT_FIRST, "SCRIPT", 0,
     "What hosts of g0 do, a letter each: 1 2 3 lock for so many operations, l lock without end, s stream, u unlock, b "
     "low-latency sum",
     0},
    {"second", OPT_SECOND, "SCRIPT", 0, "The same of g1 (default: nothing)", 0},
    {"retries", OPT_RETRIES, "N", 0, "How often hosts ask again for a lock that failed", 0},
    {"packets", OPT_PACKETS, "N", 0, "Packets of a streamed vector: 1 or 2", 0},
    {"failed", OPT_FAILED, "RULE", 0, "A lock request that finds the tree taken: up (goes on up), at-once (is answered there)",
     1},
    {"give-back", OPT_GIVE_BACK, "RULE", 0,
     "A failed request gives back: request (what was taken for it), any (whatever is locked), nothing", 1},
    {"grant", OPT_GRANT, "RULE", 0,
     "Who grants: top (the node where the group meets), first (each node as soon as it is taken there)", 1},
    {"sequence", OPT_SEQUENCE, "RULE", 0, "Contributions: matched (of this number), ignored (whoever comes)", 1},
    {"teardown", OPT_TEARDOWN, "RULE", 0, "told (neighbours hear), silent, finder (only who found it gives its lock back)", 1},
    {"count", OPT_COUNT, "RULE", 0, "Operations of a lock are counted by: each (node), top", 1},
    {"lapse", OPT_LAPSE, "RULE", 0,
     "An unlock that somebody is missing from: ends (the streaming tree), gives (nodes that took part give back)", 1},
    {"parent", OPT_PARENT, "RULE", 0, "Who waits in vain for its parent: ends (the tree), alone (says so and goes on)", 1},
    {"fault", OPT_FAULT, "RULE", 0, "A failed streaming connection is told to: all, others (not to who is behind it)", 1},
    {"patience", OPT_PATIENCE, "WHEN", 0, "Ends: late (with children at any time, with the parent if no answer can come), any",
     2},
    {"no-gate", OPT_NO_GATE, NULL, 0, "A streaming tree takes packets without a lock", 2},
    {"anybody-unlocks", OPT_ANYBODY, NULL, 0, "A group may give back what is another's", 2},
    {"host-dies", OPT_DIES, NULL, 0, "h0 may die at any time", 3},
    {"cut", OPT_CUT, NULL, 0, "The cable between the second leaf and the root may break", 3},
    {"gives-up", OPT_GIVES_UP, NULL, 0, "h0 may give a tree up while it waits", 3},
    {"connection-fails", OPT_CONNECTION, NULL, 0, "The streaming connection of the second leaf may fail at the root", 3},
    {"most", OPT_MOST, "STATES", 0, "Give up beyond so many states (default 30000000)", 4},
    {"csv", OPT_CSV, NULL, 0,
     "The first line is: states,complete,wrong,stuck,events to the first wrong step,to a stuck state,seconds", 4},
    {0}};

static error_t parse(int key, char *text, struct argp_state *state) {
  struct locking_request *q = state->input;
  struct locking_rules *r = &q->rules;
  switch (key) {
    case OPT_SHAPE: r->shape = argument_choice(shape_names, text, state); return 0;
    case OPT_FIRST: r->script[0] = text; return 0;
    case OPT_SECOND: r->script[1] = text; return 0;
    case OPT_RETRIES: r->retries = argument_number(text, state); return 0;
    case OPT_PACKETS: r->packets = argument_number(text, state); return 0;
    case OPT_FAILED: r->failed = argument_choice(failed_names, text, state); return 0;
    case OPT_GIVE_BACK: r->give_back = argument_choice(give_back_names, text, state); return 0;
    case OPT_GRANT: r->grant = argument_choice(grant_names, text, state); return 0;
    case OPT_SEQUENCE: r->sequence = argument_choice(sequence_names, text, state); return 0;
    case OPT_TEARDOWN: r->teardown = argument_choice(teardown_names, text, state); return 0;
    case OPT_COUNT: r->count = argument_choice(count_names, text, state); return 0;
    case OPT_LAPSE: r->lapse = argument_choice(lapse_names, text, state); return 0;
    case OPT_PARENT: r->parent = argument_choice(parent_names, text, state); return 0;
    case OPT_FAULT: r->fault = argument_choice(fault_names, text, state); return 0;
    case OPT_PATIENCE: r->patience = argument_choice(patience_names, text, state); return 0;
    case OPT_NO_GATE: r->no_gate = true; return 0;
    case OPT_ANYBODY: r->anybody_unlocks = true; return 0;
    case OPT_DIES: r->host_dies = true; return 0;
    case OPT_CUT: r->cut = true; return 0;
    case OPT_GIVES_UP: r->gives_up = true; return 0;
    case OPT_CONNECTION: r->connection_fails = true; return 0;
    case OPT_MOST: q->most = argument_number(text, state); return 0;
    case OPT_CSV: q->csv = true; return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

struct locking_request locking_options(int argc, char **argv) {
  static const struct argp argp = {
      .options = options,
      .parser = parse,
      .doc =
          "Searches every state of an aggregation tree whose streaming half is locked: for two owners, packets without a lock, "
          "sums of two "
          "operations, hosts of which one hears success and one failure; and for states from which not all ends, or a lock stays."
          "\vExit code: 0 neither was found, 1 one was, 2 bad usage or too many states."};
  struct locking_request q = {.rules = {.script = {"", ""}, .packets = 1}, .most = 30000000};
  argp_err_exit_status = 2;
  argp_parse(&argp, argc, argv, 0, NULL, &q);
  argument_fault(locking_fault(&q.rules));
  return q;
}
