// Between a Verilated module and its unit tests. What is the module's own is in dut_model.cpp.
#include "drive/dut.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unordered_map>

#include "drive/dut_model.h"
#include "verilated.h"

extern "C" {
#include <cmocka.h>
}

namespace {

struct dut_port {
  void *at;
  unsigned bits, bytes;
};

// Verilator's run time reports through free functions, so which test failed cannot come in as an argument.
bool rtl_failed = false;

[[noreturn]] void fail_test(const char *what, const char *port) {
  std::fprintf(stderr, "dut: %s: %s\n", what, port);
  _fail(__FILE__, __LINE__);
  std::abort();
}

}   // namespace

// An assertion or $fatal inside the module: noted here, and turned into a failed test when eval() has returned, because cmocka
// leaves by longjmp, which must not cross Verilator's frames.
void vl_stop(const char *file, int line, const char *scope) VL_MT_UNSAFE {
  std::fprintf(stderr, "dut: %s:%d: stopped in %s\n", file, line, scope);
  rtl_failed = true;
}
void vl_fatal(const char *file, int line, const char *scope, const char *message) VL_MT_UNSAFE {
  std::fprintf(stderr, "dut: %s:%d: %s: %s\n", file, line, scope, message);
  rtl_failed = true;
}

struct dut {
  VerilatedContext context;
  dut_model *top = nullptr;
  std::unordered_map<std::string, dut_port> ports;
  CData *clk = nullptr, *rst = nullptr;
  uint64_t cycle = 0;

  dut() {
    const char *seed = std::getenv("WEIR_SEED");
    context.randReset(2);
    context.randSeed(seed ? std::atoi(seed) : 1);
    top = dut_model_new(&context, add_port, this);
    if (rst) *rst = 1;
  }
  ~dut() { dut_model_free(top); }
  static void add_port(void *to, const char *name, void *at, unsigned bits, unsigned bytes) {
    dut *d = static_cast<dut *>(to);
    d->ports[name] = dut_port{at, bits, bytes};
    if (bytes == 1 && !std::strcmp(name, "clk_i")) d->clk = static_cast<CData *>(at);
    if (bytes == 1 && !std::strcmp(name, "rst_ni")) d->rst = static_cast<CData *>(at);
  }
  dut_port &find(const char *name) {
    const auto it = ports.find(name);
    if (it == ports.end()) fail_test("no such port", name);
    return it->second;
  }
  void eval() {
    dut_model_eval(top);
    if (rtl_failed) {
      rtl_failed = false;
      std::fprintf(stderr, "dut: cycle %llu\n", static_cast<unsigned long long>(cycle));
      fail_test("an assertion of the module failed", "see above");
    }
  }
};

// Verilator keeps a port in the smallest of 1, 2, 4, 8 or 4*n bytes, in host order; Weir runs on little-endian hosts.
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "little-endian host");

struct dut *dut_new(void) {
  rtl_failed = false;
  struct dut *d = new dut;
  d->eval();
  return d;
}

void dut_free(struct dut *d) { delete d; }

bool dut_has(const struct dut *d, const char *port) { return d->ports.count(port) != 0; }

size_t dut_width(struct dut *d, const char *port) { return d->find(port).bits; }

void dut_set_words(struct dut *d, const char *name, const uint32_t *w, size_t words) {
  const dut_port &p = d->find(name);
  const size_t bytes = 4 * words < p.bytes ? 4 * words : p.bytes;
  for (size_t bit = p.bits; bit < 32 * words; bit += 32 - bit % 32) {
    if (w[bit / 32] >> (bit % 32)) fail_test("value too wide for port", name);
  }
  std::memset(p.at, 0, p.bytes);
  std::memcpy(p.at, w, bytes);
}

void dut_get_words(struct dut *d, const char *name, uint32_t *w, size_t words) {
  const dut_port &p = d->find(name);
  if (32 * words < p.bits) fail_test("port wider than the words to read it into", name);
  std::memset(w, 0, 4 * words);
  std::memcpy(w, p.at, 4 * words < p.bytes ? 4 * words : p.bytes);
}

void dut_set(struct dut *d, const char *name, uint64_t value) {
  const dut_port &p = d->find(name);
  if (p.bits < 64 && value >> p.bits) fail_test("value too wide for port", name);
  std::memset(p.at, 0, p.bytes);
  std::memcpy(p.at, &value, p.bytes < 8 ? p.bytes : 8);
}

uint64_t dut_get(struct dut *d, const char *name) {
  const dut_port &p = d->find(name);
  uint64_t value = 0;
  if (p.bits > 64) fail_test("port wider than 64 bits", name);
  std::memcpy(&value, p.at, p.bytes);
  return value;
}

void dut_eval(struct dut *d) { d->eval(); }

void dut_tick(struct dut *d) {
  if (!d->clk) fail_test("no such port", "clk_i");
  *d->clk = 1;
  d->eval();
  *d->clk = 0;
  d->eval();
  d->cycle++;
}

void dut_reset(struct dut *d) {
  if (!d->rst) fail_test("no such port", "rst_ni");
  *d->rst = 0;
  for (int i = 0; i < 4; i++) dut_tick(d);
  *d->rst = 1;
  d->eval();
}

uint64_t dut_cycle(const struct dut *d) { return d->cycle; }
