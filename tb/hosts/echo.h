/// What a sender sent lately, to be sent again and again: a NIC whose clock for ACKs has gone mad.
#ifndef WEIR_HOSTS_ECHO_H
#define WEIR_HOSTS_ECHO_H

#include <stddef.h>
#include <stdint.h>

struct echo;

/// Keeps the latest `frames` (1 or more) frames of up to `bytes` each. NULL if out of memory. The caller frees it.
struct echo *echo_new(size_t frames, size_t bytes);
void echo_free(struct echo *e);
/// A frame was sent.
void echo_note(struct echo *e, const uint8_t *frame, size_t len);
/// The next copy: oldest first, then over again. Its bytes, 0 if nothing was sent yet or `size` is too small.
size_t echo_next(struct echo *e, uint8_t *frame, size_t size);

#endif
