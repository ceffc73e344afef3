#include "drive/faults.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "structs/agg_pkg.h"

// A code word has up to 64 bits of data and 8 check bits: prim_secded_pkg.sv. An entry is all data, then all check bits, then what is kept five times.
enum { DATA = 64, CHECKS = 8, MOST = 2, DOUBLE_PERCENT = 15, LASTING_PERCENT = 5 };

/// What was flipped in one entry since it was written: it still holds what the last flip left there.
struct entry {
  uint8_t *left;    // NULL: never flipped
  uint8_t *flips;   // of each code word, and of the ends
};

struct memory {
  struct device_memory at;
  unsigned data, words;   // bits, code words
  struct entry *entries;
};

struct faults {
  struct memory *memories;
  size_t count;
  unsigned per_1000;
  unsigned least, most;   // of a word
  struct rng rng;
  uint64_t flipped;
};

struct faults *faults_new(const struct device *device, uint64_t seed, unsigned flips) {
  struct device_memory at;
  size_t count = 0;
  while (device->memory(device->impl, count, &at)) count++;
  if (count == 0) return NULL;
  struct faults *f = need(calloc(1, sizeof *f));
  f->memories = need(calloc(count, sizeof *f->memories));
  f->count = count;
  f->per_1000 = flips;
  f->least = 1;
  f->most = MOST;
  f->rng = rng_for(seed, 3);
  for (size_t i = 0; i < count; i++) {
    struct memory *m = &f->memories[i];
    device->memory(device->impl, i, &m->at);
    const unsigned code = m->at.bits - m->at.ends;
    m->words = (code + DATA + CHECKS - 1) / (DATA + CHECKS);
    m->data = code - CHECKS * m->words;
    m->entries = need(calloc(m->at.depth, sizeof *m->entries));
  }
  return f;
}

void faults_free(struct faults *f) {
  if (f == NULL) return;
  for (size_t i = 0; i < f->count; i++) {
    for (unsigned e = 0; e < f->memories[i].at.depth; e++) {
      free(f->memories[i].entries[e].left);
      free(f->memories[i].entries[e].flips);
    }
    free(f->memories[i].entries);
  }
  free(f->memories);
  free(f);
}

/// A queue's pointer, without its wrap bit.
static unsigned pointer(const struct memory *m, const void *at) {
  uint16_t value = 0;
  memcpy(&value, at, m->at.pointer_bytes);
  return value & (m->at.depth - 1);
}

/// An entry that somebody will read: of a queue one that waits there. False if there is none.
static bool choose_entry(struct faults *f, const struct memory *m, unsigned *entry) {
  if (m->at.first == NULL) {
    *entry = (unsigned)rng_below(&f->rng, m->at.depth);
    return true;
  }
  const unsigned first = pointer(m, m->at.first), count = (pointer(m, m->at.last) - first) & (m->at.depth - 1);
  if (count == 0) return false;
  *entry = (first + (unsigned)rng_below(&f->rng, count)) & (m->at.depth - 1);
  return true;
}

/// The bit of an entry that is bit `i` of a code word; `word` m->words names the ends.
static unsigned place(const struct memory *m, unsigned word, unsigned i) {
  if (word == m->words) return m->data + CHECKS * m->words + i;
  const unsigned first = word * DATA, bits = m->data - first < DATA ? m->data - first : DATA;
  return i < bits ? first + i : m->data + CHECKS * word + i - bits;
}

static unsigned word_bits(const struct memory *m, unsigned word) {
  if (word == m->words) return m->at.ends;
  return (m->data - word * DATA < DATA ? m->data - word * DATA : DATA) + CHECKS;
}

/// What is lost in slot records and tables stays lost until a flush, so that nothing else would be tried if it were flipped as often.
static bool lasts(const struct memory *m) {
  return m->at.kind == MemSlots || m->at.kind == MemConns || m->at.kind == MemMessages;
}

static void flip(struct faults *f) {
  struct memory *m = &f->memories[rng_below(&f->rng, (unsigned)f->count)];
  if (lasts(m) && !rng_percent(&f->rng, LASTING_PERCENT)) return;
  unsigned index;
  if (!choose_entry(f, m, &index)) return;
  uint8_t *at = m->at.at + (size_t)index * m->at.bytes;
  struct entry *e = &m->entries[index];
  if (e->left == NULL) {
    e->left = need(malloc(m->at.bytes));
    e->flips = need(calloc(m->words + 1, 1));
  } else if (memcmp(e->left, at, m->at.bytes) != 0) {
    memset(e->flips, 0, m->words + 1);   // written since
  }
  // A frame's end is one bit of hundreds; it is flipped more often than that, because it would be missed most.
  const bool kept = m->at.ends != 0 && (m->words == 0 || rng_percent(&f->rng, 5));
  const unsigned word = kept ? m->words : (unsigned)rng_below(&f->rng, m->words);
  const bool both = f->least == MOST || (f->most == MOST && rng_percent(&f->rng, DOUBLE_PERCENT));
  const unsigned bits = word_bits(m, word), wanted = both ? 2 : 1;
  const unsigned first = (unsigned)rng_below(&f->rng, bits), second = (first + 1 + (unsigned)rng_below(&f->rng, bits - 1)) % bits;
  for (unsigned i = 0; i < wanted && e->flips[word] < f->most; i++) {
    const unsigned bit = place(m, word, i == 0 ? first : second);
    at[bit / 8] ^= (uint8_t)(1u << bit % 8);
    e->flips[word]++;
    f->flipped++;
  }
  memcpy(e->left, at, m->at.bytes);
}

void faults_set(struct faults *f, unsigned flips, unsigned bits) {
  f->per_1000 = flips;
  f->least = f->most = bits;
}

void faults_cycle(struct faults *f) {
  for (unsigned left = f->per_1000; left != 0; left -= left < 1000 ? left : 1000)
    if (rng_below(&f->rng, 1000) < left) flip(f);
}

uint64_t faults_flipped(const struct faults *f) { return f->flipped; }
