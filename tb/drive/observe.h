/// What the device's observation ports show, told to the bench. Private to tb/drive.
#ifndef WEIR_DRIVE_OBSERVE_H
#define WEIR_DRIVE_OBSERVE_H

#include <stdint.h>

#include "drive/drive.h"
#include "drive/pins.h"

/// Calls whoever wants to hear of it, before the rising edge of `cycle`: state first, then flushes, then results.
void observe(const struct pins *pins, const struct drive_calls *calls, unsigned ports, uint64_t cycle);

#endif
