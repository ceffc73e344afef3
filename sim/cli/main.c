// `weir <command> [options]`: finds the command and leaves the rest of the line to it.
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/command.h"
#include "sim/cli/pages.h"
#include "sim/engine/world/ranks.h"
#include "version.h"

static int (*const commands[])(int argc, char **argv) = {replay_command, ring_command, gather_command, tree_command,
                                                         fabric_command, live_command, info_command,   measure_command};
static const struct command_line *const lines[] = {&replay_command_line, &ring_command_line,   &gather_command_line,
                                                   &tree_command_line,   &fabric_command_line, &live_command_line,
                                                   &info_command_line,   &measure_command_line};
enum { COMMANDS = sizeof commands / sizeof *commands };
_Static_assert(COMMANDS == sizeof lines / sizeof *lines, "each command has a line");

static int refuse(const char *word, const char *what) {
  fprintf(stderr, "weir: %s%s; see weir --help\n", word, what);
  return COMMAND_UNUSABLE;
}

static int run(int argc, char **argv) {
  for (size_t i = 0; i < COMMANDS; i++)
    if (strcmp(options_word(lines[i]), argv[0]) == 0) return commands[i](argc, argv);
  fprintf(stderr, "weir: %s: unknown command; there are", argv[0]);
  for (size_t i = 0; i < COMMANDS; i++) fprintf(stderr, "%s %s", i > 0 ? "," : "", options_word(lines[i]));
  fprintf(stderr, "\n");
  return COMMAND_UNUSABLE;
}

/// `weir help` and `weir help COMMAND`.
static int help(int argc, char **argv) {
  char option[] = "--help";
  if (argc > 1) return run(2, (char *[]){argv[1], option, NULL});
  pages_help(stdout, lines, COMMANDS);
  return 0;
}

/// What is asked for in front of a command, or the command.
static int main_command(int argc, char **argv) {
  enum { HELP = 256, VERSION, MANUAL, COMPLETION };
  static const struct option options[] = {{"help", no_argument, NULL, HELP},
                                          {"version", no_argument, NULL, VERSION},
                                          {"man", no_argument, NULL, MANUAL},
                                          {"completion", no_argument, NULL, COMPLETION},
                                          {0}};
  opterr = 0;
  switch (getopt_long(argc, argv, "+", options, NULL)) {
    case -1: break;
    case HELP: return help(1, argv);
    case VERSION: printf("weir %s\n", WEIR_VERSION); return 0;
    case MANUAL: pages_manual(stdout, lines, COMMANDS, WEIR_VERSION); return 0;
    case COMPLETION: pages_completion(stdout, lines, COMMANDS); return 0;
    default: return refuse(argv[optind - 1], ": unknown option");
  }
  if (optind == argc) return refuse("no command", "");
  argc -= optind;
  argv += optind;
  return strcmp(argv[0], "help") == 0 ? help(argc, argv) : run(argc, argv);
}

int main(int argc, char **argv) {
  ranks_begin(&argc, &argv);
  // Of several processes one speaks for all: they read the same command line, and know the same.
  if (ranks_own() > 0 && (freopen("/dev/null", "w", stdout) == NULL || freopen("/dev/null", "w", stderr) == NULL))
    return COMMAND_UNUSABLE;
  int code = main_command(argc, argv);
  if (fflush(stdout) != 0 || ferror(stdout)) {
    fprintf(stderr, "weir: cannot write to standard output: %s\n", strerror(errno));
    if (code == 0) code = COMMAND_UNUSABLE;
  }
  ranks_end();
  return code;
}
