// Compares captures, for tests. Knows frames only, nothing of the program or the device.
//
//   compare data A B     the same SEND and WRITE packets, each with the same bytes behind BTH, in A and in B
//   compare frames A B   the same frames in A and in B
//   compare icrc A       every ICRC in A is right, and each bit that it covers matters
//
// Copies count once: an Ethernet switch floods, hosts repeat. Two copies of one data packet with different bytes are a
// difference.
// Exit code: 0 equal, 1 different or nothing to compare, 2 bad usage or bad file.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "wire/bytes.h"
#include "wire/capture.h"
#include "wire/roce.h"

enum { EQUAL = 0, DIFFERENT = 1, UNUSABLE = 2 };
enum { MOST_TOLD = 8, BTH_BYTES = 12, ICRC_BYTES = 4 };

/// Something to be found in both captures: a data packet's bytes behind BTH by what names it, or a whole frame by itself.
struct compared_item {
  uint8_t name[1 + 16 + 16 + 3 + 3];   // version, source, destination, QP, PSN; zero for a whole frame
  uint8_t *bytes;
  size_t len;
  unsigned long long frame;   // its number in the file
};

struct set {
  const char *path;
  struct compared_item *items;
  size_t count, room;
  size_t bad_icrcs;
};

static struct compared_item *append(struct set *set, const uint8_t *bytes, size_t len, unsigned long long frame) {
  set->items = need_room(set->items, &set->room, set->count + 1, sizeof *set->items);
  struct compared_item *item = &set->items[set->count++];
  *item = (struct compared_item){.bytes = need(malloc(len + 1)), .len = len, .frame = frame};
  memcpy(item->bytes, bytes, len);
  return item;
}

static void add_data(struct set *set, const struct capture_frame *frame) {
  struct roce_packet p;
  roce_parse(frame->data, frame->len, &p);
  if (p.class == ROCE_BAD_ICRC) {
    printf("%s: frame %llu: wrong ICRC\n", set->path, (unsigned long long)frame->number);
    set->bad_icrcs++;
  }
  if (p.class != ROCE_CANDIDATE) return;
  const size_t from = p.bth + BTH_BYTES;
  struct compared_item *item = append(set, frame->data + from, p.ip_end - ICRC_BYTES - from, frame->number);
  item->name[0] = p.key.v6;
  memcpy(item->name + 1, p.key.src, 16);
  memcpy(item->name + 17, p.key.dst, 16);
  put_be24(item->name + 33, p.key.qpn);
  put_be24(item->name + 36, p.psn);
}

static void add_frame(struct set *set, const struct capture_frame *frame) { append(set, frame->data, frame->len, frame->number); }

/// By name, bytes, and place in the file.
static int compare_items(const void *a, const void *b) {
  const struct compared_item *x = a, *y = b;
  int order = memcmp(x->name, y->name, sizeof x->name);
  if (order == 0) order = memcmp(x->bytes, y->bytes, x->len < y->len ? x->len : y->len);
  if (order == 0) order = (x->len > y->len) - (x->len < y->len);
  return order != 0 ? order : (x->frame > y->frame) - (x->frame < y->frame);
}

static bool same_bytes(const struct compared_item *a, const struct compared_item *b) {
  return a->len == b->len && memcmp(a->bytes, b->bytes, a->len) == 0;
}

/// Calls `each` for all frames of a capture. Ends the program if it cannot be read.
static void read_capture(const char *path, void *user, void (*each)(void *user, const struct capture_frame *frame)) {
  struct file_error error;
  struct capture_frame frame;
  struct capture *c = capture_open(path, &error);
  int got = c == NULL ? -1 : 1;
  while (got > 0 && (got = capture_next(c, &frame, &error)) > 0) each(user, &frame);
  if (got < 0) {
    fprintf(stderr, "compare: %s\n", error.text);
    exit(UNUSABLE);
  }
  capture_close(c);
}

static void add_data_of(void *user, const struct capture_frame *frame) { add_data(user, frame); }
static void add_frame_of(void *user, const struct capture_frame *frame) { add_frame(user, frame); }

/// Sorts, and leaves one item of several that are the same.
static void make_set(struct set *set) {
  if (set->count == 0) return;
  qsort(set->items, set->count, sizeof *set->items, compare_items);
  size_t kept = 1;
  for (size_t i = 1; i < set->count; i++) {
    const struct compared_item *last = &set->items[kept - 1], *next = &set->items[i];
    if (memcmp(last->name, next->name, sizeof last->name) == 0 && same_bytes(last, next))
      free(next->bytes);
    else
      set->items[kept++] = *next;
  }
  set->count = kept;
}

static void free_set(struct set *set) {
  for (size_t i = 0; i < set->count; i++) free(set->items[i].bytes);
  free(set->items);
}

/// "frame 7 (QP 18, PSN 5)"; a whole frame has no name.
static const char *where(const struct compared_item *item, char *text, size_t size) {
  int used = snprintf(text, size, "frame %llu", item->frame);
  static const uint8_t unnamed[sizeof item->name];
  if (memcmp(item->name, unnamed, sizeof unnamed) == 0) return text;
  snprintf(text + used, size - (size_t)used, " (to QP %u, source ending in %u, PSN %u)", get_be24(item->name + 33),
           item->name[0] ? item->name[16] : item->name[4], get_be24(item->name + 36));
  return text;
}

/// Two items of one name and different bytes in one capture.
static size_t contradictions(const struct set *set) {
  size_t found = 0;
  for (size_t i = 1; i < set->count; i++) {
    char text[128];
    const struct compared_item *a = &set->items[i - 1], *b = &set->items[i];
    static const uint8_t unnamed[sizeof a->name];
    if (memcmp(a->name, b->name, sizeof a->name) != 0 || memcmp(a->name, unnamed, sizeof unnamed) == 0) continue;
    if (found++ < MOST_TOLD) printf("%s: frame %llu and %s differ\n", set->path, a->frame, where(b, text, sizeof text));
  }
  return found;
}

static void tell_missing(const struct compared_item *item, const struct set *in, const struct set *from, size_t nth) {
  char text[128];
  if (nth < MOST_TOLD) printf("%s: %s is not so in %s\n", in->path, where(item, text, sizeof text), from->path);
}

/// What is in one of two sets only: merges them.
static size_t differences(const struct set *a, const struct set *b) {
  size_t i = 0, k = 0, found = 0;
  while (i < a->count || k < b->count) {
    int order = i == a->count ? 1 : k == b->count ? -1 : 0;
    if (order == 0) {
      struct compared_item twin = b->items[k];
      twin.frame = a->items[i].frame;   // the place in the file does not matter here
      order = compare_items(&a->items[i], &twin);
    }
    if (order < 0) tell_missing(&a->items[i], a, b, found++);
    if (order > 0) tell_missing(&b->items[k], b, a, found++);
    i += order <= 0;
    k += order >= 0;
  }
  return found;
}

static int compare_captures(const char *path_a, const char *path_b, bool data) {
  struct set a = {.path = path_a}, b = {.path = path_b};
  read_capture(path_a, &a, data ? add_data_of : add_frame_of);
  read_capture(path_b, &b, data ? add_data_of : add_frame_of);
  make_set(&a);
  make_set(&b);
  size_t found = a.bad_icrcs + b.bad_icrcs + contradictions(&a) + contradictions(&b) + differences(&a, &b);
  if (found == 0 && a.count == 0) {
    printf("nothing to compare\n");
    found = 1;
  } else {
    printf("%zu and %zu different %s, %zu difference%s\n", a.count, b.count, data ? "data packets" : "frames", found,
           found == 1 ? "" : "s");
  }
  free_set(&a);
  free_set(&b);
  return found == 0 ? EQUAL : DIFFERENT;
}

// ----------------------------------------------------------------------------------------------------------- ICRC

struct icrc_check {
  const char *path;
  unsigned long long frames, bits, wrong;
};

/// Fields that routers may change are outside the ICRC (InfiniBand annex A17): these bits of byte `at` of the frame.
static uint8_t outside(const struct roce_packet *p, size_t at) {
  const size_t ip = at - p->ip;
  if (p->key.v6) {
    // Traffic class and flow label, hop limit.
    static const uint8_t head[] = {0x0F, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0xFF};
    if (ip < sizeof head) return head[ip];
  } else if (ip == 1 || ip == 8 || ip == 10 || ip == 11) {
    return 0xFF;   // type of service, time to live, header checksum
  }
  if (at == p->udp + 6 || at == p->udp + 7) return 0xFF;   // UDP checksum
  return at == p->bth + 4 ? 0xFF : 0;                      // FECN, BECN and reserved bits
}

static bool good(const uint8_t *frame, size_t len) {
  struct roce_packet p;
  roce_parse(frame, len, &p);
  return p.class == ROCE_CANDIDATE || p.class == ROCE_CONTROL;
}

/// Flips every bit from the IP header to the end of the ICRC, one at a time.
static void check_icrc(void *user, const struct capture_frame *frame) {
  struct icrc_check *check = user;
  struct roce_packet p;
  if (!roce_locate(frame->data, frame->len, &p)) return;
  check->frames++;
  if (!good(frame->data, frame->len)) {
    printf("%s: frame %llu: wrong ICRC\n", check->path, (unsigned long long)frame->number);
    check->wrong++;
    return;
  }
  roce_parse(frame->data, frame->len, &p);
  uint8_t *copy = need(malloc(frame->len));
  memcpy(copy, frame->data, frame->len);
  for (size_t at = p.ip; at < p.ip_end; at++) {
    for (unsigned bit = 0; bit < 8; bit++) {
      copy[at] ^= (uint8_t)(1u << bit);
      const bool expected = outside(&p, at) >> bit & 1;
      if (good(copy, frame->len) != expected && check->wrong++ < MOST_TOLD) {
        printf("%s: frame %llu: byte %zu, bit %u flipped: ICRC is %s\n", check->path, (unsigned long long)frame->number, at, bit,
               expected ? "wrong, though the bit is outside" : "still right");
      }
      copy[at] ^= (uint8_t)(1u << bit);
      check->bits++;
    }
  }
  free(copy);
}

static int check_icrcs(const char *path) {
  struct icrc_check check = {.path = path};
  read_capture(path, &check, check_icrc);
  printf("%llu RoCEv2 frames, %llu bits flipped, %llu wrong\n", check.frames, check.bits, check.wrong);
  return check.wrong == 0 && check.frames > 0 ? EQUAL : DIFFERENT;
}

int main(int argc, char **argv) {
  if (argc == 4 && strcmp(argv[1], "data") == 0) return compare_captures(argv[2], argv[3], true);
  if (argc == 4 && strcmp(argv[1], "frames") == 0) return compare_captures(argv[2], argv[3], false);
  if (argc == 3 && strcmp(argv[1], "icrc") == 0) return check_icrcs(argv[2]);
  fprintf(stderr, "usage: compare data A B | compare frames A B | compare icrc A\n");
  return UNUSABLE;
}
