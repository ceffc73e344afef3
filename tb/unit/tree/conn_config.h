/// How a connection of a tree node is set up, in the device's struct rc_conn_cfg_t.
#ifndef WEIR_UNIT_TREE_CONN_CONFIG_H
#define WEIR_UNIT_TREE_CONN_CONFIG_H

#include <stddef.h>
#include <stdint.h>

#include "model/tree/rc_end.h"

/// The settings of an end, from bit `at` of `words` on. Of times only whole microseconds count; the delay of ACKs is taken for cycles.
void conn_config_put(uint32_t *words, size_t at, const struct rc_end_config *end);
/// MAC addresses of both sides, and the addresses of frames that come in, IPv6 as `in.v6` says.
void conn_config_draw(struct rc_end_config *end);
/// The same frames the other way: the addresses of `key` change places.
struct conn_key conn_config_back(struct conn_key key);
/// The other end of the cable: addresses and PSNs change places, all else is the same.
struct rc_end_config conn_config_peer(const struct rc_end_config *end);

#endif
