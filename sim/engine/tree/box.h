/// A device without a clock: the golden model of a relay, whose frames leave a fixed time after what caused them came in.
#ifndef WEIR_SIM_BOX_H
#define WEIR_SIM_BOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/relay.h"

struct box;

/// `delay_ps`: from the end of a frame to the beginning of what it causes. NULL on the conditions of relay_new.
struct box *box_new(const struct relay_config *config, uint64_t delay_ps, relay_send_fn *send, void *user);
void box_free(struct box *b);
/// A whole frame came in. `error`: its MAC saw that it is damaged.
void box_receive(struct box *b, uint64_t now, unsigned port, const uint8_t *frame, size_t len, bool error);
/// When the next frame leaves, or UINT64_MAX; sends what is due.
uint64_t box_next(const struct box *b);
void box_step(struct box *b, uint64_t now);
struct relay *box_relay(struct box *b);
/// Switched off and on again: what was inside is lost, and what was learned.
void box_reboot(struct box *b);

#endif
