// Compiled with the code that Verilator made of a module, and with the table of its ports (tools/generate/portgen.py).
#include "drive/dut_model.h"

#include <cstring>

#include "Vdut.h"

struct dut_model {
  explicit dut_model(VerilatedContext *context) : top{context, "dut"} {}
  Vdut top;
};

dut_model *dut_model_new(VerilatedContext *context, dut_add_port *add_port, void *to) {
  dut_model *model = new dut_model{context};
  Vdut *top = &model->top;
  const auto add = [=](const char *name, void *at, unsigned bits, unsigned bytes) { add_port(to, name, at, bits, bytes); };
#include "ports.inc"
  return model;
}

void dut_model_eval(dut_model *model) { model->top.eval(); }

void dut_model_free(dut_model *model) {
  model->top.final();
  delete model;
}
