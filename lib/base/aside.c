#include "base/aside.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"

/// Bytes of a batch. Large enough that threads seldom wake each other, small enough for the caches of a core.
enum { BATCH = 1 << 18 };

/// Pieces one behind the other, each behind its size.
struct pieces {
  uint8_t *at;
  size_t used, room;
};

struct aside {
  aside_do *work;
  void *user;
  pthread_t thread;
  struct pieces filling;   // the caller's
  pthread_mutex_t lock;    // of all below
  pthread_cond_t moved;
  struct pieces given;   // the thread's while `busy`
  bool busy, ending;
};

bool aside_worth(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 1;
}

static void do_batch(const struct aside *a) {
  for (size_t at = 0; at < a->given.used;) {
    const size_t *bytes = (const void *)(a->given.at + at);
    a->work(a->user, bytes + 1);
    at += *bytes;
  }
}

static void *run(void *user) {
  struct aside *a = user;
  pthread_mutex_lock(&a->lock);
  for (;;) {
    while (!a->busy && !a->ending) pthread_cond_wait(&a->moved, &a->lock);
    if (!a->busy) break;
    pthread_mutex_unlock(&a->lock);
    do_batch(a);
    pthread_mutex_lock(&a->lock);
    a->busy = false;
    pthread_cond_signal(&a->moved);
  }
  pthread_mutex_unlock(&a->lock);
  return NULL;
}

static void release(struct aside *a) {
  free(a->filling.at);
  free(a->given.at);
  pthread_cond_destroy(&a->moved);
  pthread_mutex_destroy(&a->lock);
  free(a);
}

struct aside *aside_start(aside_do *work, void *user) {
  struct aside *a = need(calloc(1, sizeof *a));
  *a = (struct aside){.work = work, .user = user};
  pthread_mutex_init(&a->lock, NULL);
  pthread_cond_init(&a->moved, NULL);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const bool started = pthread_create(&a->thread, NULL, run, a) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (started) return a;
  release(a);
  return NULL;
}

/// With the lock: until the thread has done what it was given.
static void await(struct aside *a) {
  while (a->busy) pthread_cond_wait(&a->moved, &a->lock);
}

static void give(struct aside *a) {
  pthread_mutex_lock(&a->lock);
  await(a);
  const struct pieces done = a->given;
  a->given = a->filling;
  a->filling = done;
  a->filling.used = 0;
  a->busy = true;
  pthread_cond_signal(&a->moved);
  pthread_mutex_unlock(&a->lock);
}

void *aside_put(struct aside *a, size_t bytes) {
  const size_t all = sizeof(size_t) + (bytes + sizeof(size_t) - 1) / sizeof(size_t) * sizeof(size_t);
  if (a->filling.used > 0 && a->filling.used + all > BATCH) give(a);
  struct pieces *to = &a->filling;
  to->at = need_room(to->at, &to->room, to->used + all > BATCH ? to->used + all : BATCH, 1);
  size_t *piece = (void *)(to->at + to->used);
  to->used += all;
  *piece = all;
  return piece + 1;
}

void aside_wait(struct aside *a) {
  if (a->filling.used > 0) give(a);
  pthread_mutex_lock(&a->lock);
  await(a);
  pthread_mutex_unlock(&a->lock);
}

void aside_end(struct aside *a) {
  aside_wait(a);
  pthread_mutex_lock(&a->lock);
  a->ending = true;
  pthread_cond_signal(&a->moved);
  pthread_mutex_unlock(&a->lock);
  pthread_join(a->thread, NULL);
  release(a);
}
