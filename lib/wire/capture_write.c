// Writes pcapng: little-endian, one section, time stamps in nanoseconds.
//
// The file appears complete or not at all (base/target.h).
#include "wire/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/target.h"
#include "wire/bytes.h"

enum { MAX_FRAME = 262144, SNAPLEN = MAX_FRAME };
enum { LINK_ETHERNET = 1, NANOSECONDS = 9 };
enum { BLOCK_INTERFACE = 1, BLOCK_ENHANCED = 6, BLOCK_SECTION = 0x0A0D0D0A };
enum { OPTION_END = 0, OPTION_NAME = 2, OPTION_TSRESOL = 9 };

struct capture_writer {
  gzFile file;
  char *path;   // as the caller named it, for messages
  struct target *target;
  unsigned interfaces;
  uint64_t frames;
  bool broken;
  struct file_error why;   // if broken
};

// --------------------------------------------------------------------------------------------------------- blocks

/// Keeps the first thing that went wrong.
__attribute__((format(printf, 3, 4))) static void fail(struct capture_writer *w, const char *where, const char *format, ...) {
  if (w->broken) return;
  w->broken = true;
  va_list arguments;
  va_start(arguments, format);
  file_error_putv(&w->why, w->path, where, format, arguments);
  va_end(arguments);
}

static void write_bytes(struct capture_writer *w, const uint8_t *data, size_t len) {
  if (w->broken || len == 0) return;
  errno = 0;
  if (gzwrite(w->file, data, (unsigned)len) == (int)len) return;
  fail(w, NULL, "cannot write: %s", errno != 0 ? strerror(errno) : "compression failed");
}

static void write_u32(struct capture_writer *w, uint32_t value) {
  uint8_t bytes[4];
  put_le32(bytes, value);
  write_bytes(w, bytes, sizeof bytes);
}

/// One block: `fields`, then `data` padded to whole words.
static void write_block(struct capture_writer *w, uint32_t type, const uint8_t *fields, size_t fields_len, const uint8_t *data,
                        size_t len) {
  static const uint8_t zeros[3];
  size_t pad = -len & 3;
  uint32_t total = (uint32_t)(12 + fields_len + len + pad);
  write_u32(w, type);
  write_u32(w, total);
  write_bytes(w, fields, fields_len);
  write_bytes(w, data, len);
  write_bytes(w, zeros, pad);
  write_u32(w, total);
}

static void write_section(struct capture_writer *w) {
  uint8_t fields[16];
  put_le32(fields, 0x1A2B3C4D);   // order of bytes
  put_le16(fields + 4, 1);        // version 1.0
  put_le16(fields + 6, 0);
  memset(fields + 8, 0xFF, 8);   // length of the section: not told
  write_block(w, BLOCK_SECTION, fields, sizeof fields, NULL, 0);
}

static void write_interface(struct capture_writer *w, unsigned number) {
  uint8_t block[64] = {0};
  put_le16(block, LINK_ETHERNET);
  put_le32(block + 4, SNAPLEN);
  char *name = (char *)block + 12;
  size_t name_len = (size_t)snprintf(name, 24, "port %u", number);
  put_le16(block + 8, OPTION_NAME);
  put_le16(block + 10, (uint16_t)name_len);
  uint8_t *p = block + 12 + ((name_len + 3) & ~(size_t)3);
  put_le16(p, OPTION_TSRESOL);
  put_le16(p + 2, 1);
  p[4] = NANOSECONDS;
  p += 8;
  put_le32(p, OPTION_END);
  write_block(w, BLOCK_INTERFACE, block, (size_t)(p + 4 - block), NULL, 0);
}

void capture_writer_put(struct capture_writer *w, unsigned interface, uint64_t ns, const uint8_t *data, size_t len) {
  char where[40];
  w->frames++;
  snprintf(where, sizeof where, "frame %llu", (unsigned long long)w->frames);
  if (interface >= w->interfaces) {
    fail(w, where, "interface %u of %u", interface, w->interfaces);
  } else if (len > MAX_FRAME) {
    fail(w, where, "%zu bytes, a frame has %d at most", len, MAX_FRAME);
  } else {
    uint8_t fields[20];
    put_le32(fields, interface);
    put_le32(fields + 4, (uint32_t)(ns >> 32));
    put_le32(fields + 8, (uint32_t)ns);
    put_le32(fields + 12, (uint32_t)len);
    put_le32(fields + 16, (uint32_t)len);
    write_block(w, BLOCK_ENHANCED, fields, sizeof fields, data, len);
  }
}

// ---------------------------------------------------------------------------------------------------------- files

static bool ends_in_gz(const char *path) {
  size_t len = strlen(path);
  return len >= 3 && strcmp(path + len - 3, ".gz") == 0;
}

static void release(struct capture_writer *w) {
  free(w->path);
  free(w);
}

/// NULL, with `error` if the file cannot be opened.
static gzFile open_file(const char *path, const struct target *target, struct file_error *error) {
  errno = 0;
  const int fd = open(target_temporary(target), O_WRONLY | O_CLOEXEC);
  gzFile file = fd >= 0 ? gzdopen(fd, ends_in_gz(path) ? "wb" : "wbT") : NULL;
  if (file != NULL) return file;
  file_error_put(error, path, NULL, "cannot write: %s", errno != 0 ? strerror(errno) : "out of memory");
  if (fd >= 0) close(fd);
  return NULL;
}

struct capture_writer *capture_writer_open(const char *path, unsigned interfaces, struct file_error *error) {
  struct capture_writer *w = calloc(1, sizeof *w);
  if (w == NULL || (w->path = strdup(path)) == NULL) {
    file_error_put(error, path, NULL, "cannot write: out of memory");
    free(w);
    return NULL;
  }
  w->target = target_open(path, false, error->text, sizeof error->text);
  if (w->target != NULL) w->file = open_file(path, w->target, error);
  if (w->file == NULL) {
    struct file_error ignored;
    if (w->target != NULL) target_close(w->target, false, ignored.text, sizeof ignored.text);
    release(w);
    return NULL;
  }
  gzbuffer(w->file, 1u << 17);
  w->interfaces = interfaces;
  write_section(w);
  for (unsigned i = 0; i < interfaces; i++) write_interface(w, i);
  return w;
}

/// Closes the file and releases the writer, but not its target. False and `error` if anything went wrong that matters.
static bool finish(struct capture_writer *w, bool keep, struct file_error *error) {
  errno = 0;
  const int closed = gzclose(w->file);
  if (keep && closed != Z_OK) fail(w, NULL, "cannot write: %s", errno != 0 ? strerror(errno) : "compression failed");
  const bool good = !w->broken;
  if (!good) *error = w->why;
  release(w);
  return good;
}

struct target *capture_writer_finish(struct capture_writer *w, struct file_error *error) {
  struct target *target = w->target;
  struct file_error ignored;
  if (finish(w, true, error)) return target;
  target_close(target, false, ignored.text, sizeof ignored.text);
  return NULL;
}

int capture_writer_close(struct capture_writer *w, bool keep, struct file_error *error) {
  struct target *target = w->target;
  struct file_error why;
  const bool good = finish(w, keep, error);
  if (target_close(target, keep && good, why.text, sizeof why.text) == 0) return good ? 0 : -1;
  *error = why;
  return -1;
}
