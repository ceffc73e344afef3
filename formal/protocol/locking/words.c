// Steps of the search in words.
#include <stdio.h>

#include "formal/protocol/locking/model.h"
#include "formal/protocol/locking/state.h"

static const char *const verdicts[] = {"ok", "lock failed", "denied", "no tree", "time-out", "lost"};
static const char *const operations[] = {"lock", "unlock", "sum", "end"};
static const char *const trees[] = {"both trees", "the streaming tree"};

static const char *name_of(const struct locking_rules *rules, unsigned node, char text[16]) {
  if (node == 0) return rules->shape == SHAPE_ALONE ? "the node" : "the root";
  snprintf(text, 16, "leaf %u", node);
  return text;
}

static const char *neighbour(const struct locking_rules *rules, unsigned who, char text[16]) {
  const int hop = hop_of(rules, who >> 3, who & 7);
  if ((who & 7) == TOP) return "the root";
  snprintf(text, 16, hop < LOCKING_HOSTS ? "h%d" : "leaf %d", hop < LOCKING_HOSTS ? hop : hop - LOCKING_HOSTS + 1);
  return text;
}

static void say_outcome(unsigned how, char text[64]) {
  const char *verdict = verdicts[how & 7];
  switch ((enum outcome_of_node)(how >> 3)) {
    case JOINS: snprintf(text, 64, "waits for others"); return;
    case ASKS: snprintf(text, 64, "asks above"); return;
    case SAYS_ABOVE: snprintf(text, 64, "says above: %s", verdict); return;
    case ANSWERS: snprintf(text, 64, "answers %s", verdict); return;
    case REFUSES: snprintf(text, 64, "refuses it: %s", verdict); return;
    case DROPS: snprintf(text, 64, "drops it"); return;
    default: snprintf(text, 64, "ends the tree");
  }
}

static void say_host(const struct locking_rules *rules, uint32_t label, char *text, size_t size) {
  const unsigned h = label >> 16 & 255, what = label >> 8 & 255;
  const struct locking_message m = {.what = (uint8_t)what};
  switch (label >> 24) {
    case HOST_BEGINS:
      if ((label & 255) != VERDICT_OK) {
        snprintf(text, size, "h%u of g%u finds that there is no tree", h, group_of(rules, h));
      } else if (what == 's' || what == 'u' || what == 'b') {
        snprintf(text, size, "h%u of g%u %s", h, group_of(rules, h),
                 what == 's'   ? "streams"
                 : what == 'u' ? "unlocks"
                               : "sends for a sum");
      } else if (what == 'l') {
        snprintf(text, size, "h%u of g%u asks for a lock without end", h, group_of(rules, h));
      } else {
        snprintf(text, size, "h%u of g%u asks for a lock for %u", h, group_of(rules, h), lock_count((char)what));
      }
      return;
    case HOST_POSTS: snprintf(text, size, "h%u sends its second packet", h); return;
    case HOST_HEARS:
      snprintf(text, size, "h%u hears of its %s (operation %u): %s", h, operations[operation_of(m)], sequence_in(m),
               verdicts[label & 255]);
      return;
    case HOST_HEARS_STREAM:
      if ((label & 255) == VERDICT_OK) {
        snprintf(text, size, "h%u receives packet %u of the sum", h, (what - 1) >> 2 & 1);
      } else {
        snprintf(text, size, "h%u hears of its stream: denied", h);
      }
      return;
    case HOST_HEARS_END: snprintf(text, size, "h%u hears that %s ended", h, trees[what]); return;
    case HOST_GIVES_UP: snprintf(text, size, "h%u gives %s up", h, trees[what]); return;
    default: snprintf(text, size, "h%u dies", h);
  }
}

void locking_words(const struct locking_rules *rules, uint32_t label, char *text, size_t size) {
  const unsigned who = label >> 16 & 255, what = label >> 8 & 255, how = label & 255;
  const struct locking_message m = {.what = (uint8_t)what};
  const enum event event = (enum event)(label >> 24);
  char node_text[16], other_text[16], outcome[64];
  if (event <= HOST_DIES) {
    say_host(rules, label, text, size);
    return;
  }
  const char *node = name_of(rules, who >> 3, node_text), *other = neighbour(rules, who, other_text);
  say_outcome(how, outcome);
  switch (event) {
    case CABLE_BREAKS: snprintf(text, size, "the cable between leaf 2 and the root breaks"); return;
    case CONNECTION_FAILS:
      snprintf(text, size, "leaf 2's streaming connection fails at the root, which ends the streaming tree");
      return;
    case NODE_TAKES:
      snprintf(text, size, "%s gets the %s of g%u from %s and %s", node, operations[operation_of(m)], group_in(m), other,
               outcome);
      return;
    case NODE_HEARS:
      snprintf(text, size, "%s hears from the root of g%u's %s and %s", node, group_in(m), operations[operation_of(m)], outcome);
      return;
    case NODE_HEARS_END: snprintf(text, size, "%s hears from %s that %s ended", node, other, trees[group_in(m)]); return;
    case NODE_EXPIRES:
      snprintf(text, size, "%s waits no longer for %s of g%u and %s", node, (who & 7) == TOP ? "the root's answer" : "others",
               what, outcome);
      return;
    case NODE_TELLS: snprintf(text, size, "%s tells %s", node, other); return;
    case NODE_LOSES:
      snprintf(text, size, "%s finds that %s takes nothing any more and ends %s", node, other, trees[what == STREAM_DOWN]);
      return;
    case NODE_LOOKS:
      snprintf(text, size, "%s gets a packet of g%u from %s and %s", node, (what - 1) >> 1 & 1, other,
               (how >> 3) == JOINS ? "looks for those of others" : outcome);
      return;
    case NODE_ADDS:
      snprintf(text, size,
               (how >> 3) == ENDS ? "%s finds that packets do not fit and ends the streaming tree" : "%s adds packets of g%u",
               node, (what - 1) >> 1 & 1);
      return;
    case NODE_PASSES:
      snprintf(text, size,
               (how >> 3) == ENDS ? "%s gets a packet that it did not ask for and ends the streaming tree"
                                  : "%s replicates the sum",
               node);
      return;
    default: snprintf(text, size, "%s waits no longer for packets of g%u and ends the streaming tree", node, what);
  }
}
