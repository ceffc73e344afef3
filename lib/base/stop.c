#include "base/stop.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"

#define TOGETHER_NS UINT64_C(250000000)
enum { AGAIN_SECONDS = 1 };

static const int asking[] = {SIGINT, SIGTERM, SIGHUP};
static const int ending[] = {SIGQUIT, SIGPIPE, SIGABRT, SIGXCPU, SIGXFSZ};
#define COUNT(table) (sizeof(table) / sizeof(table)[0])

// Signals belong to the process, so what is known of them does.
static volatile sig_atomic_t asked;
static uint64_t asked_ns;   // when; written and read by handlers only, which exclude each other
static void (*clean)(void);
static bool at_once;   // clean up at the first signal
static pid_t owner;    // a child between fork and exec has the handlers, too

static void clean_once(void) {
  if (getpid() == owner) clean();
}

/// Its default action is due as soon as the handler returns.
static void on_ending(int number) {
  clean_once();
  signal(number, SIG_DFL);
  raise(number);
}

static void on_asking(int number) {
  const int before = errno;
  if (asked == 0) {
    asked = number;
    asked_ns = clock_monotonic_ns();
    if (at_once) clean_once();
    alarm(AGAIN_SECONDS);
  } else if (clock_monotonic_ns() - asked_ns > TOGETHER_NS) {
    on_ending(number);
  }
  errno = before;
}

/// Who began to wait just after the signal came, and has not seen it, is woken.
static void on_alarm(int number) {
  (void)number;
  if (asked != 0) alarm(AGAIN_SECONDS);
}

static void handle(int number, void (*handler)(int)) {
  struct sigaction now, action = {.sa_handler = handler};   // without SA_RESTART
  for (size_t i = 0; i < COUNT(asking); i++) sigaddset(&action.sa_mask, asking[i]);
  if (sigaction(number, NULL, &now) == 0 && now.sa_handler != SIG_IGN) sigaction(number, &action, NULL);
}

void stop_catch(void (*clean_up)(void)) {
  clean = clean_up;
  owner = getpid();
  atexit(clean_once);
  handle(SIGALRM, on_alarm);
  for (size_t i = 0; i < COUNT(ending); i++) handle(ending[i], on_ending);
  for (size_t i = 0; i < COUNT(asking); i++) handle(asking[i], on_asking);
}

void stop_clean_at_once(void) { at_once = true; }

int stop_asked(void) { return asked; }

void stop_forget(void) {
  asked = 0;
  alarm(0);
}

void stop_end(void) {
  const int number = asked;
  if (number == 0) return;
  clean_once();
  signal(number, SIG_DFL);
  raise(number);
}
