// Runs of programs as users start them, in processes of their own.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/stop.h"
#include "sim/bench/measure.h"

enum { WORDS = 32 };

extern char **environ;

// The exit code of a program that says nothing, or -1.
static int run(const char *program, char *const words[]) {
  posix_spawn_file_actions_t actions;
  pid_t pid;
  int status;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  const int refused = posix_spawnp(&pid, program, &actions, NULL, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (refused != 0) return -1;
  while (waitpid(pid, &status, 0) != pid) {
    if (errno != EINTR) return -1;
    if (stop_asked() != 0) kill(pid, SIGTERM);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

json_t *measure_summary(struct measure *m, const char *program, const char *const words[]) {
  char json[] = "/tmp/weir-bench-XXXXXX", *all[WORDS + 3];
  const int file = mkstemp(json);
  size_t count = 0;
  if (file < 0) {
    measure_fail(m, "%s: %s", json, strerror(errno));
    return NULL;
  }
  close(file);
  for (; words[count] != NULL && count < WORDS; count++) all[count] = (char *)words[count];
  all[count++] = "--json";
  all[count++] = json;
  all[count] = NULL;
  const int code = run(program, all);
  json_t *root = code == 0 ? json_load_file(json, 0, NULL) : NULL;
  unlink(json);
  if (root == NULL) measure_fail(m, "%s %s %s: ends with code %d, or without a summary", words[0], words[1], words[2], code);
  return root;
}
