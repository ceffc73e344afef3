/// One device of a tree, as a model to be searched. Below it are children of which no more is known than what a child is bound to; above it a parent of which no more is
/// known either, and hosts elsewhere; or it is the root. What is searched is whether the device is such a child itself: then, by induction, trees of any depth are right.
///
/// What a child is bound to, towards its parent (a host is such a child):
///
/// - **One.** What it sends for message m is m, one contribution. Any number of copies may come, at any time.
/// - **Window.** It sends m only if all its hosts hold the results of all messages up to m - N.
/// - **Asks.** Let m be the oldest message whose result some host of the tree lacks. If there is no result of m yet, each child can send m. If there is one, some child can, whichever:
///   it has the sender of the connection whose receiver lacks the result.
/// - **Passes.** If it gets the result of m, all its hosts can hold it.
///
/// What a parent is bound to: a result that it sends is of a message that this device has sent, and for which the hosts elsewhere hold all results up to m - N; it can send that of the oldest
/// message when it has been asked. It may send any result that there is at any time, too.
#ifndef WEIR_PROTOCOL_INDUCTION_MODEL_H
#define WEIR_PROTOCOL_INDUCTION_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formal/protocol/search/search.h"

enum { INDUCTION_CHILDREN = 3, INDUCTION_WINDOW = 2, INDUCTION_MESSAGES = 7 };

struct induction_rules {
  bool parent;        ///< the device is below one; else it is the root
  bool frees_early;   ///< with a parent: a slot falls free on the device's own completion, not when the parent's result passes
  bool answers_one;   ///< root: a repeat is answered to the child that asked, and to no other
  unsigned children, window,
      messages;   ///< at most as above; all slots are used twice if there are more messages than 2 * window
};

/// `rules` must live as long as the model. Wrong is a sum or a result that is not of one message, a packet up that breaks the window, and a column that goes although
/// somebody lacks its result. The search lets a state settle at any time: from then on everybody does only what it is bound to do, and complete is when
/// the device has asked for the oldest message and all below have it; from then on stuck means that the device is no such child.
struct rule_model induction_model(const struct induction_rules *rules);
/// Writes a step of such a model in words.
void induction_words(uint32_t label, char *text, size_t size);

#endif
