// One configuration of the Verilated device behind the C struct of device.h.
//
// Compiled once for each configuration, with WEIR_CONFIG its name and the table of pins that tools/generate/portgen.py made.
#include "drive/library/device.h"

#include <cstring>
#include <string>
#include <unordered_map>
#include <vector>

#include "verilated.h"
#if WEIR_WAVES
#include "verilated_fst_c.h"
#endif

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)
#define CLASS JOIN(Vweir_, WEIR_CONFIG)
#include TEXT(CLASS.h)
#include TEXT(JOIN(CLASS, ___024root.h))

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "little-endian host");

namespace {

#if WEIR_WAVES
// Waves are dumped on both edges of a clock of 250 MHz.
constexpr uint64_t HALF_CYCLE_NS = 2;
#endif

struct impl {
  VerilatedContext context;
  CLASS *top;
  std::unordered_map<std::string, device_pin> pins;
  std::vector<device_memory> memories;
#if WEIR_WAVES
  VerilatedFstC fst;
#endif

  explicit impl(uint64_t seed, bool wave) {
    // Memories and flops without reset start at random, as far as the device may rely on them: not at all.
    context.randReset(2);
    context.randSeed(static_cast<int>(1 + seed % 0x7ffffffe));
    context.traceEverOn(wave);
    top = new CLASS{&context, "weir"};
    const auto add = [this](const char *name, void *at, unsigned bits, unsigned bytes) {
      pins[name] = device_pin{at, bits, bytes};
    };
#include "ports.inc"
    find_memories();
  }
  void find_memories() {
    const auto add = [this](unsigned kind, void *at, size_t bytes, unsigned bits, unsigned ends, unsigned depth,
                            const void *first, const void *last, size_t pointer) {
      memories.push_back(device_memory{static_cast<uint8_t *>(at), static_cast<unsigned>(bytes), bits, ends, depth, kind, first,
                                       last, static_cast<unsigned>(pointer)});
    };
    static_cast<void>(add);
#include "memories.inc"
  }
  ~impl() {
#if WEIR_WAVES
    if (fst.isOpen()) fst.close();
#endif
    // What goes with a device is taken out of the context that was used last, whichever it was.
    Verilated::threadContextp(&context);
    top->final();
    delete top;
  }
};

device_pin pin(void *self, const char *name) {
  const auto &pins = static_cast<impl *>(self)->pins;
  const auto it = pins.find(name);
  return it == pins.end() ? device_pin{nullptr, 0, 0} : it->second;
}

void eval(void *self) {
  impl *const i = static_cast<impl *>(self);
  // Assertions speak of a device that has been reset; before that, its flops are random.
  i->context.assertOn(i->top->rst_ni);
  i->top->eval();
}

void dump(void *self, uint64_t time) {
#if WEIR_WAVES
  impl *const i = static_cast<impl *>(self);
  if (i->fst.isOpen()) i->fst.dump(HALF_CYCLE_NS * time);
#else
  static_cast<void>(self), static_cast<void>(time);
#endif
}

bool memory(void *self, size_t index, device_memory *out) {
  const auto &memories = static_cast<impl *>(self)->memories;
  if (index >= memories.size()) return false;
  *out = memories[index];
  return true;
}

void close(void *self) { delete static_cast<impl *>(self); }

}   // namespace

// The only symbol of the library that is seen from outside; all else is compiled hidden.
extern "C" __attribute__((visibility("default"))) bool weir_device_open(struct device *device, uint64_t seed, const char *wave) {
  impl *const i = new impl{seed, wave != nullptr};
  *device = {i, pin, eval, dump, close, memory, device_stopped};
  if (!wave) return true;
#if WEIR_WAVES
  i->top->trace(&i->fst, 99);
  i->fst.set_time_unit("1ns");
  i->fst.set_time_resolution("1ns");
  i->fst.open(wave);
  if (i->fst.isOpen()) return true;
#endif
  delete i;
  return false;
}
