// What tb/drive/dut.cpp knows of a Verilated module. Only dut_model.cpp sees the module's own header, so that it alone is compiled
// for each module, together with Verilator's code.
#ifndef WEIR_DRIVE_DUT_MODEL_H
#define WEIR_DRIVE_DUT_MODEL_H

class VerilatedContext;
struct dut_model;

// Is told each port, an unpacked array's elements one by one: its name, where its bits are (in host order, 1, 2, 4, 8 or 4*n bytes), and
// how many bits and bytes. `to` is the caller's.
typedef void dut_add_port(void *to, const char *name, void *at, unsigned bits, unsigned bytes);

// A module in `context`, its inputs zeros. Ends with dut_model_free.
dut_model *dut_model_new(VerilatedContext *context, dut_add_port *add_port, void *to);
void dut_model_eval(dut_model *model);
void dut_model_free(dut_model *model);

#endif
