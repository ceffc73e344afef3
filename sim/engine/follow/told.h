/// What a device's driver shows of a decision, commit or take, as scoreboard and refinement read it: whoever follows a device,
/// alone or in a tree, has it from here.
#ifndef WEIR_SIM_TOLD_H
#define WEIR_SIM_TOLD_H

#include "drive/drive.h"
#include "model/scoreboard.h"

struct scoreboard_event told_event(const struct drive_state_event *e);

#endif
