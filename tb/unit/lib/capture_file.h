/// Capture files made by hand, in either order of bytes, right and wrong: what the tests of the reader read.
#ifndef WEIR_UNIT_CAPTURE_FILE_H
#define WEIR_UNIT_CAPTURE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A file as it grows. `big` may change between sections. The functions append if they say nothing else.
struct capture_file {
  bool big;
  size_t len;
  uint8_t bytes[1u << 21];
};

/// An empty file to fill. There is only one: asking again empties it.
struct capture_file *capture_file_new(bool big);

void capture_file_put16(struct capture_file *f, uint32_t value);
void capture_file_put32(struct capture_file *f, uint32_t value);
void capture_file_put(struct capture_file *f, const void *data, size_t len);

/// pcap: the file's header (version 2.4), and a frame.
void capture_file_pcap(struct capture_file *f, uint32_t magic, uint32_t link);
void capture_file_record(struct capture_file *f, uint32_t seconds, uint32_t fraction, const void *data, size_t len,
                         uint32_t wire_len);

/// pcapng: any block, `body` padded to whole words.
void capture_file_block(struct capture_file *f, uint32_t type, const void *body, size_t len);
void capture_file_section(struct capture_file *f);
/// Interface with a name, if_tsresol unless it is -1, and if_tsoffset unless it is 0.
void capture_file_interface(struct capture_file *f, uint32_t link, uint32_t snaplen, int tsresol, int64_t tsoffset);
/// Enhanced packet block, the obsolete packet block, and the simple one, which holds `len` bytes of `wire_len`.
void capture_file_enhanced(struct capture_file *f, uint32_t interface, uint64_t ticks, const void *data, size_t len,
                           uint32_t wire_len);
void capture_file_old(struct capture_file *f, uint32_t interface, uint64_t ticks, const void *data, size_t len,
                      uint32_t wire_len);
void capture_file_simple(struct capture_file *f, const void *data, size_t len, uint32_t wire_len);

/// Writes the file, gzipped if `gz`. Fails the test if it cannot.
void capture_file_save(const struct capture_file *f, const char *path, bool gz);

/// Set-up and tear-down of a test: a directory of its own, removed with all that is in it.
int capture_dir_enter(void **state);
int capture_dir_leave(void **state);
/// A path in that directory, valid until the next call.
const char *capture_dir_path(void **state, const char *name);
unsigned capture_dir_entries(void **state);

/// Reads all of a file that must be broken behind `frames` frames (UINT_MAX: any), with the line "`path`: `what`" (NULL: any).
void capture_breaks(const char *path, unsigned frames, const char *what);
/// The same for a file that is to be written first.
void capture_file_breaks(void **state, const struct capture_file *f, unsigned frames, const char *what);

#endif
