#include "unit/host/net/process_net.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "unit/host/net/fake_node.h"
#include "wire/bytes.h"
#include "wire/reduce.h"
#include "wire/roce.h"
#include "wire/tree.h"

enum { EPOCH = 9 };

struct shared *process_shared;

bool process_net_map(void) {
  const char *path = getenv("WEIR_FAKE_VERBS");
  if (process_shared != NULL) return true;
  const int fd = path != NULL ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
  // Whoever is first makes it: the lock of the file is for that.
  if (fd < 0 || lockf(fd, F_LOCK, 0) != 0) return false;
  const bool first = lseek(fd, 0, SEEK_END) == 0;
  if (first && ftruncate(fd, sizeof *process_shared) != 0) return false;
  process_shared = mmap(NULL, sizeof *process_shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (process_shared == MAP_FAILED) abort();
  if (first) {
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&process_shared->lock, &kind);
  }
  close(fd);   // and unlocks it
  return true;
}

void process_net_lock(void) {
  if (pthread_mutex_lock(&process_shared->lock) == EOWNERDEAD) pthread_mutex_consistent(&process_shared->lock);
}

void process_net_unlock(void) { pthread_mutex_unlock(&process_shared->lock); }

// --- what goes wrong on purpose ---

/// WEIR_FAKE_WRONG=N: the N-th sum has a wrong bit.
static bool is_wrong(void) {
  static unsigned sums;
  const char *text = getenv("WEIR_FAKE_WRONG");
  return text != NULL && ++sums == strtoul(text, NULL, 10);
}

/// WEIR_FAKE_FORGETS=N: the device knows the ring no longer when this process sends its N-th message of it.
static bool forgotten(void) {
  static unsigned messages;
  const char *text = getenv("WEIR_FAKE_FORGETS");
  return text != NULL && ++messages >= strtoul(text, NULL, 10);
}

// --- sending ---

static bool alive(uint32_t number) {
  const struct mailbox *b = &process_shared->boxes[number % PROCESS_PAIRS];
  return b->owner != 0 && b->number == number && (b->owner == getpid() || kill(b->owner, 0) == 0);
}

/// False if nobody is there.
static bool put(const struct mail *m) {
  struct mailbox *b = &process_shared->boxes[m->to % PROCESS_PAIRS];
  if (!alive(m->to)) return false;
  if (b->put - b->taken == PROCESS_DEPTH) abort();   // the window of the library is smaller
  struct mail *to = &b->queue[b->put % PROCESS_DEPTH];
  memcpy(to, m, offsetof(struct mail, data) + m->bytes);
  __atomic_store_n(&b->put, b->put + 1, __ATOMIC_RELEASE);
  return true;
}

static bool device_is_there(void) {
  const char *text = getenv("WEIR_FAKE_DEVICE");
  return text == NULL || *text != '0';
}

/// Its column, or a free one.
static struct waiting_sum *sum_of(const struct ina_header *h) {
  struct waiting_sum *free_one = NULL;
  for (unsigned i = 0; i < PROCESS_COLUMNS; i++) {
    struct waiting_sum *c = &process_shared->columns[i];
    if (c->used && c->ring == h->ring && c->msgid == h->msgid) return c;
    if (!c->used) free_one = c;
  }
  if (free_one == NULL) abort();
  *free_one = (struct waiting_sum){.used = true, .ring = h->ring, .msgid = h->msgid, .kind = h->kind};
  return free_one;
}

/// Takes a rank's message; when all are here, each gets the sum under the header of the one before it. False if it is dropped, as it asks for something else than the first.
static bool contribute(const struct ina_header *h, const struct mail *m) {
  static uint8_t sum[PROCESS_MOST];
  const uint8_t *rows[PROCESS_RANKS];
  struct waiting_sum *c = sum_of(h);
  if (h->rank >= PROCESS_RANKS || h->workers > PROCESS_RANKS || c->has[h->rank]) abort();
  if (h->kind != c->kind) return false;
  memcpy(&c->rows[h->rank], m, offsetof(struct mail, data) + m->bytes);
  c->has[h->rank] = true;
  if (++c->came < h->workers) return true;
  for (unsigned r = 0; r < h->workers; r++) rows[r] = c->rows[r].data + INA_BYTES;
  const size_t bytes = m->bytes - INA_BYTES;
  if (ina_reduce(h->kind, rows, h->workers, bytes, sum) != 0) abort();
  if (is_wrong()) sum[0] ^= 1;
  for (unsigned r = 0; r < h->workers; r++) {
    memcpy(c->rows[r].data + INA_BYTES, sum, bytes);
    c->rows[r].data[INA_EPOCH] = EPOCH;
    c->rows[r].immediate |= EPOCH << 8;
    put(&c->rows[r]);
  }
  c->used = false;
  return true;
}

// --- the node of a tree ---

/// Hosts below it; 0: there is none.
static unsigned below(void) {
  const char *text = getenv("WEIR_FAKE_NODE");
  return text != NULL ? (unsigned)strtoul(text, NULL, 10) : 0;
}

/// That a tree is no more goes to all others.
static void hand_on(const struct mail *m, unsigned rank) {
  static struct mail copy;
  memcpy(&copy, m, offsetof(struct mail, data) + m->bytes);
  for (unsigned r = 0; r < below(); r++) {
    copy.to = process_shared->wishes[0][r].pair;
    if (r != rank && copy.to != 0) put(&copy);
  }
}

/// When each host has asked for something, each has its answer.
static void answer(unsigned conn) {
  static uint8_t answers[PROCESS_RANKS][PROCESS_MOST];
  struct fake_node_message in[PROCESS_RANKS], out[PROCESS_RANKS];
  struct wish *all = process_shared->wishes[conn];
  for (unsigned r = 0; r < below(); r++) {
    if (!all[r].here) return;
    in[r] = (struct fake_node_message){.data = all[r].mail.data, .bytes = all[r].mail.bytes};
    out[r].data = answers[r];
  }
  fake_node_answer(below(), in, out, 0, 0);
  for (unsigned r = 0; r < below(); r++) {
    all[r].here = false;
    all[r].mail.to = all[r].pair;
    all[r].mail.bytes = out[r].bytes;
    memcpy(all[r].mail.data, out[r].data, out[r].bytes);
    put(&all[r].mail);
  }
}

static bool ask_node(const struct mail *m, uint32_t from, unsigned rank) {
  const unsigned conn = m->to - PROCESS_NODE;
  struct tree_header header;
  if (rank >= below() || conn >= PROCESS_CONNS || !tree_get(m->data, m->bytes, &header)) return false;
  struct wish *w = &process_shared->wishes[conn][rank];
  w->pair = from;
  if (header.kind == TREE_TEARDOWN) {
    hand_on(m, rank);
    return true;
  }
  memcpy(&w->mail, m, offsetof(struct mail, data) + m->bytes);
  w->here = true;
  answer(conn);
  return true;
}

// --- all of it ---

bool process_net_send(const struct mail *m, uint32_t from, unsigned rank) {
  struct ina_header h;
  if (m->to >= PROCESS_NODE) return ask_node(m, from, rank);
  if (!alive(m->to)) return false;
  if (!device_is_there() || m->bytes < INA_BYTES || get_be32(m->data) != INA_TAG) return put(m);
  if (forgotten()) return false;
  ina_get(m->data, &h);
  return contribute(&h, m);
}

void process_net_forget(uint32_t pair) {
  process_shared->boxes[pair % PROCESS_PAIRS].owner = 0;
  // As a flush of the ring would: what nobody can be given any more is forgotten.
  for (unsigned i = 0; i < PROCESS_COLUMNS; i++)
    for (unsigned r = 0; r < PROCESS_RANKS; r++)
      if (process_shared->columns[i].has[r] && process_shared->columns[i].rows[r].to == pair)
        process_shared->columns[i].used = false;
}
