/// Captures: reads pcap (both byte orders, micro- and nanoseconds) and pcapng (any interfaces, any if_tsresol, unknown
/// blocks skipped), plain or gzipped; writes pcapng, gzipped if the name ends in .gz.
#ifndef WEIR_WIRE_CAPTURE_H
#define WEIR_WIRE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct capture;

/// One frame. `data` is owned by the capture and valid until the next call.
struct capture_frame {
  const uint8_t *data;
  size_t len;        ///< bytes captured
  size_t wire_len;   ///< bytes on the wire; larger than `len` if the snap length cut it
  unsigned interface;
  uint64_t ns;       ///< time stamp, nanoseconds since the epoch
  uint64_t number;   ///< 1 for the first frame of the file, as Wireshark counts
};

/// Opens a capture for reading. Returns NULL and fills `error` if it cannot be one.
struct capture *capture_open(const char *path, struct file_error *error);
/// Reads the next frame: 1 and the frame, 0 at the end, -1 and `error` if the file is broken from here on.
int capture_next(struct capture *c, struct capture_frame *frame, struct file_error *error);
/// Interfaces named so far (pcapng) or 1 (pcap).
unsigned capture_interfaces(const struct capture *c);
void capture_close(struct capture *c);

struct capture_writer;

/// Starts writing beside `path`; the file appears under its name only when capture_writer_close succeeds.
struct capture_writer *capture_writer_open(const char *path, unsigned interfaces, struct file_error *error);
/// Appends one frame; errors are kept until close.
void capture_writer_put(struct capture_writer *w, unsigned interface, uint64_t ns, const uint8_t *data, size_t len);
/// Finishes the file: 0, or -1 and `error`, and nothing is left behind. `keep` false throws all away.
int capture_writer_close(struct capture_writer *w, bool keep, struct file_error *error);

/// The same for a file that is to appear together with others: what is to be ended by target_close_all (base/target.h).
/// NULL and `error` if it could not be written, and nothing is left behind.
struct target *capture_writer_finish(struct capture_writer *w, struct file_error *error);

#endif
