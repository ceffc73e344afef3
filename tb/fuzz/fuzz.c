#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void fuzz_must(bool holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "fuzz: not so: %s\n", what);
  abort();
}

int fuzz_file(const uint8_t *data, size_t size, char path[FUZZ_PATH]) {
  const int fd = memfd_create("fuzz", MFD_CLOEXEC);
  fuzz_must(fd >= 0 && write(fd, data, size) == (ssize_t)size, "there is memory for the input");
  snprintf(path, FUZZ_PATH, "/proc/self/fd/%d", fd);
  return fd;
}

void fuzz_file_or_text(const uint8_t *data, size_t size, void (*taken)(const char *text), bool (*inside)(const char *text)) {
  char path[FUZZ_PATH], text[512];
  const int fd = fuzz_file(data, size, path);
  taken(path);
  close(fd);
  snprintf(text, sizeof text, "%.*s", (int)(size < sizeof text ? size : sizeof text - 1), (const char *)data);
  if (inside(text)) taken(text);
}

void fuzz_is_text(const char *text) {
  fuzz_must(*text != '\0', "it says something");
  for (; *text != '\0'; text++) fuzz_must(*text >= ' ' && *text <= '~', "it is one line of text");
}

void fuzz_is_error(const char *error, const char *path) {
  fuzz_must(strncmp(error, path, strlen(path)) == 0, "an error begins with the file's name");
  fuzz_must(strlen(error) > strlen(path) + 2, "an error says what is wrong");
  fuzz_is_text(error);
}
