// Any bytes, read as a capture: no crash, no time out, and what is said of frames and errors holds.
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "wire/capture.h"

enum { LONGEST_FRAME = 262144, LONGER_THAN_A_FRAME = LONGEST_FRAME + 40000 };

static void check_frame(const struct capture *c, const struct capture_frame *frame, uint64_t number, size_t *sum) {
  fuzz_must(frame->number == number, "frames are counted from 1 on");
  fuzz_must(frame->len <= LONGEST_FRAME, "no frame is longer than 256 KiB");
  fuzz_must(frame->wire_len >= frame->len, "a frame is on the wire at least as long as captured");
  fuzz_must(frame->interface < capture_interfaces(c), "a frame's interface is known");
  for (size_t i = 0; i < frame->len; i++) *sum += frame->data[i];   // all of it can be read
}

static void read_capture(const char *path) {
  struct file_error error;
  struct capture_frame frame;
  struct capture *c = capture_open(path, &error);
  int got = c == NULL ? -1 : 1;
  size_t sum = 0;
  uint64_t number = 0;
  while (got == 1 && (got = capture_next(c, &frame, &error)) == 1) check_frame(c, &frame, ++number, &sum);
  if (got < 0) fuzz_is_error(error.text, path);
  if (c != NULL) fuzz_must(capture_next(c, &frame, &error) == got, "an end stays an end, broken stays broken");
  capture_close(c);
  static volatile size_t sink;   // so that the bytes are really read
  sink += sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char path[FUZZ_PATH];
  const int fd = fuzz_file(data, size, path);
  read_capture(path);
  // Once more with enough behind it that a length which is believed too much finds bytes to overrun a buffer with.
  fuzz_must(ftruncate(fd, (off_t)(size + LONGER_THAN_A_FRAME)) == 0, "there is memory for zeros");
  read_capture(path);
  close(fd);
  return 0;
}
