/// A ring of hosts around one device, as a model to be searched.
///
/// Rank r sends to rank r + 1 through the device: packets of connection r go up a FIFO to the device, results of connection r
/// down a FIFO to rank r + 1. An acknowledgement tells the sender any count its receiver had at some time since the last one,
/// which is what cumulative acknowledgements do that are late, lost, or overtaken.
#ifndef WEIR_PROTOCOL_RING_H
#define WEIR_PROTOCOL_RING_H

#include <stddef.h>
#include <stdint.h>

#include "formal/protocol/rules.h"
#include "formal/protocol/search/search.h"

/// Contributions of one (message, offset) at the device.
struct rule_column {
  uint8_t tag;   ///< full tag: 1 + MsgID, 0 = never used; epoch: the bit
  uint8_t held
      [HOSTS_MOST];   ///< by rank: 1 + message the contribution really is of (the device sees only that it is there), 0 = none
  uint8_t due;        ///< one by one: bit set of ranks whose result is still to leave
  uint8_t summed;     ///< place not its own: a result has left
  uint8_t away;       ///< place shared: the other column of the pair has it
};

struct ring_state {
  uint8_t una[HOSTS_MOST];             ///< requester: packets acknowledged
  uint8_t nxt[HOSTS_MOST];             ///< next packet to send
  uint8_t rcv[HOSTS_MOST];             ///< responder of connection r (at rank r + 1): packets accepted
  uint8_t up[HOSTS_MOST][FIFO_MOST];   ///< 1 + packet, the oldest first; 0 = empty
  uint8_t down[HOSTS_MOST][FIFO_MOST];
  uint8_t history[HOSTS_MOST][HISTORY_MOST];   ///< connection table: 1 + MsgID, 0 = empty
  struct rule_column column[COLUMNS_MOST];
};

/// Steps of the model. A label is the event, the rank of the connection, the packet and its outcome, a byte each from the top.
enum ring_event { SENDS, GOES_BACK, LEARNS, DEVICE_TAKES, DEVICE_EMITS, UP_LOST, RECEIVES, DOWN_LOST };

/// `rules` must live as long as the model.
struct rule_model ring_model(const struct rules *rules);
/// Writes a step of such a model in words.
void ring_words(const struct rules *rules, uint32_t label, char *text, size_t size);

#endif
