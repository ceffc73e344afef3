// `weir <command> [options]`: finds the command and leaves the rest of the line to it.
#include <argp.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/command.h"
#include "version.h"

static const struct {
  const char *name, *sentence;
  int (*run)(int argc, char **argv);
} commands[] = {
    {"replay", "runs a capture through the device and checks what comes out", replay_command},
    {"ring", "lets hosts reduce tensors through the device, in closed loop", ring_command},
    {"gather", "lets nodes fetch what a sparse product needs, through concatenation and caches", gather_command},
    {"live", "lets Linux hosts with real RDMA drivers reduce tensors through the device", live_command},
    {"info", "shows what is in a capture: ports, connections, rings", info_command},
    {"bench", "takes the standing measurements: rate, latency, window, speed", measure_command},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

/// What the command line says in front of the command's own part.
struct request {
  int first;      // index of the command in argv, 0 if there is none
  bool refused;   // and said why
};

enum { OPT_HELP = 256, OPT_VERSION };

static const struct argp_option option_list[] = {
    {"help", OPT_HELP, NULL, 0, "Show this help", 0},
    {"version", OPT_VERSION, NULL, 0, "Show the program's version", 0},
    {0},
};

/// Puts the table of commands behind the options.
static char *add_commands(int key, const char *text, void *input) {
  (void)input;
  if (key != ARGP_KEY_HELP_POST_DOC) return (char *)text;
  char *out = NULL;
  size_t size;
  FILE *f = open_memstream(&out, &size);
  if (f == NULL) return NULL;
  fprintf(f, "Commands:\n");
  for (size_t i = 0; i < COMMANDS; i++) fprintf(f, "  %-8s %s\n", commands[i].name, commands[i].sentence);
  fprintf(f, "\n`weir COMMAND --help' tells more. Exit code: 0 all checks passed, 1 a check failed, 2 bad usage or bad input.");
  fclose(f);
  return out;
}

static error_t parse_option(int key, char *value, struct argp_state *state);
static const struct argp parser = {
    .options = option_list,
    .parser = parse_option,
    .args_doc = "COMMAND [OPTION..]",
    .doc = "Weir: in-network computing for RoCEv2, simulated cycle by cycle.\v",
    .help_filter = add_commands,
};

static void help(void) { argp_help(&parser, stdout, ARGP_HELP_STD_HELP, "weir"); }

static error_t parse_option(int key, char *value, struct argp_state *state) {
  struct request *r = state->input;
  (void)value;
  switch (key) {
    case OPT_HELP: help(); exit(0);
    case OPT_VERSION: printf("weir %s\n", WEIR_VERSION); exit(0);
    case ARGP_KEY_ARG:
      r->first = state->next - 1;
      state->next = state->argc;   // the rest is the command's
      return 0;
    case ARGP_KEY_NO_ARGS:
      if (!r->refused) fprintf(stderr, "weir: no command; see weir --help\n");
      r->refused = true;
      return EINVAL;
    case ARGP_KEY_ERROR:
      if (!r->refused) fprintf(stderr, "weir: %s: unknown option; see weir --help\n", state->argv[state->next - 1]);
      r->refused = true;
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

static int run(int argc, char **argv) {
  for (size_t i = 0; i < COMMANDS; i++) {
    if (strcmp(commands[i].name, argv[0]) == 0) return commands[i].run(argc, argv);
  }
  fprintf(stderr, "weir: %s: unknown command; there are", argv[0]);
  for (size_t i = 0; i < COMMANDS; i++) fprintf(stderr, "%s %s", i > 0 ? "," : "", commands[i].name);
  fprintf(stderr, "\n");
  return COMMAND_UNUSABLE;
}

/// `weir help` and `weir help COMMAND`.
static int run_help(int argc, char **argv) {
  char option[] = "--help";
  if (argc > 1) return run(2, (char *[]){argv[1], option, NULL});
  help();
  return 0;
}

int main(int argc, char **argv) {
  struct request r = {0};
  if (argp_parse(&parser, argc, argv, ARGP_NO_ERRS | ARGP_NO_HELP | ARGP_NO_EXIT | ARGP_IN_ORDER, NULL, &r) != 0)
    return COMMAND_UNUSABLE;
  argc -= r.first;
  argv += r.first;
  int code = strcmp(argv[0], "help") == 0 ? run_help(argc, argv) : run(argc, argv);
  if (fflush(stdout) != 0 || ferror(stdout)) {
    fprintf(stderr, "weir: cannot write to standard output: %s\n", strerror(errno));
    if (code == 0) code = COMMAND_UNUSABLE;
  }
  return code;
}
