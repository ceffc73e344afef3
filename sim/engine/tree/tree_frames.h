/// Frames that a golden model sends, to be found again by what names them: connection, PSN, and, between devices, message.
#ifndef WEIR_SIM_TREE_FRAMES_H
#define WEIR_SIM_TREE_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tree_frames;

/// `damage`: only what an ICRC covers is compared. NULL if out of memory.
struct tree_frames *tree_frames_new(bool damage);
void tree_frames_free(struct tree_frames *t);

/// The model sends this. False for what has no such name: no data packet of RoCEv2.
bool tree_frames_expect(struct tree_frames *t, const uint8_t *frame, size_t len);
/// The device sends this. Sets `known` if the model has sent it; otherwise it is kept until it does. False as above.
bool tree_frames_check(struct tree_frames *t, const uint8_t *frame, size_t len, bool *known);
/// Frames that the device sent and the model has not.
size_t tree_frames_unknown(const struct tree_frames *t);
/// Those of the latest `versions` frames of one name are known.
enum { TREE_FRAMES_VERSIONS = 4 };

#endif
