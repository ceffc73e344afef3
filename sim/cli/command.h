/// The commands of `weir`. Each has a folder of its own.
#ifndef WEIR_SIM_COMMAND_H
#define WEIR_SIM_COMMAND_H

#include "sim/cli/options.h"

extern const struct command_line replay_command_line, ring_command_line, gather_command_line, tree_command_line,
    fabric_command_line, live_command_line, info_command_line, measure_command_line;

/// Each takes its own name as argv[0] and its options behind it, and returns an exit code.
int replay_command(int argc, char **argv);
int ring_command(int argc, char **argv);
int live_command(int argc, char **argv);
int gather_command(int argc, char **argv);
int tree_command(int argc, char **argv);
int fabric_command(int argc, char **argv);
int info_command(int argc, char **argv);
int measure_command(int argc, char **argv);

#endif
