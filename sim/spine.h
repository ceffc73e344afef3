/// The root of a tree in RTL: a Verilated aggregator that is a spine (docs/relay.md), with the golden model beside it. Each frame that leaves
/// must be one that the model makes of what went in, byte by byte; when it leaves is the device's business. The device sends a child's
/// headers back as they came: where cables damage bits that no ICRC covers, these are not compared.
#ifndef WEIR_SIM_SPINE_H
#define WEIR_SIM_SPINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drive/config.h"
#include "hosts/fabric.h"
#include "model/relay.h"

struct spine;

/// The smallest configuration with room for these rings of a root. NULL and one line in `error` if there is none.
const struct drive_config *spine_config(const struct relay_config *relay, char *error, size_t size);
/// `relay`: of the model; its rings have devices for children and no parent. `damage`: cables flip bits. Beside `fabric`'s switch, at its device's ports. NULL and a line in
/// `error` on failure.
struct spine *spine_open(const struct relay_config *relay, struct fabric *fabric, bool damage, uint64_t seed, char *error,
                         size_t size);
void spine_close(struct spine *s);

/// One clock cycle: takes what has arrived, and sends.
void spine_step(struct spine *s, uint64_t now);
/// True if nothing is inside: it need not be clocked until a frame comes.
bool spine_quiet(const struct spine *s);

/// What it did, of the device and not of the model.
const struct relay_counts *spine_counts(const struct spine *s);
bool spine_waiting(const struct spine *s, unsigned ring, struct model_waiting *out);
/// What was wrong first, in words; NULL if nothing was. Frames that left and that the model does not know are wrong.
const char *spine_fault(const struct spine *s);
/// Frames that left and were compared with the model's.
uint64_t spine_compared(const struct spine *s);

#endif
