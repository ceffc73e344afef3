// Signals that ask a program to stop, in children that do as they are told, or not.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/stop.h"
#include "base/target.h"

enum { GOOD = 42, TOGETHER_MS = 250 };

static char folder[] = "/tmp/test_stop.XXXXXX";

static struct target *volatile left_open;   // of a child

static void doze(long ms) { nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL); }

static int enter(void **state) {
  (void)state;
  strcpy(folder + sizeof folder - 7, "XXXXXX");
  return mkdtemp(folder) == NULL || chdir(folder) != 0 ? -1 : 0;
}

static int leave(void **state) {
  (void)state;
  unlink("pipe");
  return chdir("/") != 0 || rmdir(folder) != 0 ? -1 : 0;   // fails if anything else is left
}

/// Runs `work` in a child with a target that is open. Returns when it is; `work` says by its exit code what it saw.
static pid_t start(void (*work)(void)) {
  int ready[2];
  char word = 0;
  assert_int_equal(pipe(ready), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    char error[256];
    // A shell that began us in the background, or nohup, has some of these ignored.
    const int ignored[] = {SIGINT, SIGQUIT, SIGHUP};
    for (unsigned i = 0; i < 3; i++) signal(ignored[i], SIG_DFL);
    stop_catch(target_remove_all);
    left_open = target_open("file", true, error, sizeof error);
    if (left_open == NULL || write(ready[1], "", 1) != 1) _exit(1);
    work();
    exit(GOOD);
  }
  close(ready[1]);
  assert_int_equal(read(ready[0], &word, 1), 1);
  close(ready[0]);
  return pid;
}

static void ends(pid_t pid, int code, int number) {
  int status;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  if (number != 0)
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == number);
  else
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == code);
}

static void await(void) {
  while (stop_asked() == 0) doze(1);
}

static void await_and_end(void) {
  await();
  stop_end();
}

static void never(void) {
  for (;;) doze(1);
}

static void nothing(void) {}

static void cannot_go_on(void) { abort(); }

/// From the moment when the signal has come: the call is told of it all the same.
static void open_too_late(void) {
  await();
  const int fd = open("pipe", O_RDONLY);
  if (fd >= 0 || errno != EINTR) exit(1);
}

static void forgets(void) {
  await();
  stop_forget();
  if (stop_asked() != 0) exit(1);
}

static void the_first_only_asks(void **state) {
  (void)state;
  const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
  for (size_t i = 0; i < 3; i++) {
    pid_t pid = start(await);
    kill(pid, numbers[i]);
    ends(pid, GOOD, 0);
    pid = start(await_and_end);
    kill(pid, numbers[i]);
    ends(pid, 0, numbers[i]);
  }
}

static void the_second_ends_it(void **state) {
  (void)state;
  const pid_t pid = start(never);
  kill(pid, SIGINT);
  doze(2 * TOGETHER_MS);
  assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
  kill(pid, SIGTERM);
  ends(pid, 0, SIGTERM);
}

/// What `timeout` sends to a program and to its group is one.
static void two_at_once_are_one(void **state) {
  (void)state;
  const pid_t pid = start(await);
  kill(pid, SIGTERM);
  kill(pid, SIGTERM);
  ends(pid, GOOD, 0);
}

static void other_ends_leave_nothing_either(void **state) {
  (void)state;
  ends(start(nothing), GOOD, 0);   // exit() without closing
  ends(start(cannot_go_on), 0, SIGABRT);
  const int numbers[] = {SIGPIPE, SIGQUIT};
  for (size_t i = 0; i < 2; i++) {
    const pid_t pid = start(never);
    kill(pid, numbers[i]);
    ends(pid, 0, numbers[i]);
  }
}

static void nobody_waits_for_ever(void **state) {
  (void)state;
  assert_int_equal(mkfifo("pipe", 0600), 0);
  const pid_t pid = start(open_too_late);
  kill(pid, SIGINT);
  ends(pid, GOOD, 0);
}

static void a_signal_can_be_forgotten(void **state) {
  (void)state;
  const pid_t pid = start(forgets);
  kill(pid, SIGINT);
  ends(pid, GOOD, 0);
}

int main(void) {
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter, leave)
  const struct CMUnitTest tests[] = {
      IN_FOLDER(the_first_only_asks),   IN_FOLDER(the_second_ends_it),
      IN_FOLDER(two_at_once_are_one),   IN_FOLDER(other_ends_leave_nothing_either),
      IN_FOLDER(nobody_waits_for_ever), IN_FOLDER(a_signal_can_be_forgotten),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
