/// The commands of `weir`, and what they have in common. Each has a file of its own.
#ifndef WEIR_SIM_COMMAND_H
#define WEIR_SIM_COMMAND_H

/// Exit code for bad usage and for input that cannot be used, after one line on stderr.
enum { COMMAND_UNUSABLE = 2 };

/// Each takes its own name as argv[0] and its options behind it, and returns an exit code.
int replay_command(int argc, char **argv);
int ring_command(int argc, char **argv);
int live_command(int argc, char **argv);
int gather_command(int argc, char **argv);
int info_command(int argc, char **argv);
int measure_command(int argc, char **argv);

#endif
