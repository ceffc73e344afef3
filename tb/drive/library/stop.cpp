// Where Verilator's run time lands when an assertion of the device fails, instead of ending the program.
#include <cstdio>

#include "drive/library/device.h"
#include "verilated.h"

namespace {

// Free functions are all that Verilator offers here, hence the only variables of the bench outside of an object.
char place[256];
bool stopped = false;

void note(const char *file, int line, const char *scope, const char *text) {
  std::fflush(stdout);
  std::fprintf(stderr, "device: %s:%d: %s: %s\n", file, line, scope, text);
  if (!stopped) std::snprintf(place, sizeof place, "%s:%d (%s)", file, line, scope);
  stopped = true;
}

}   // namespace

void vl_stop(const char *file, int line, const char *scope) VL_MT_UNSAFE { note(file, line, scope, "assertion failed"); }
void vl_fatal(const char *file, int line, const char *scope, const char *message) VL_MT_UNSAFE {
  note(file, line, scope, message);
}

const char *device_stopped(void) {
  if (!stopped) return nullptr;
  stopped = false;
  return place;
}
