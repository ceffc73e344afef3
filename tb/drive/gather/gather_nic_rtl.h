/// The NIC of a node as its host and the network of a gather have it, played by the Verilated one instead of the model.
///
/// The clock runs while anything is inside or under way; a cycle is one of the network's. Its host memory answers after the time that
/// a model's accesses take, one request a cycle, its filter after a few cycles. Packets become frames and frames packets again, each
/// with good headers and a good ICRC. At the end the device's counters are compared with what went in and came out.
#ifndef WEIR_DRIVE_GATHER_NIC_RTL_H
#define WEIR_DRIVE_GATHER_NIC_RTL_H

#include "hosts/gather/gather_nic.h"

/// Makes one. False if out of memory, or its wave file cannot be written.
bool gather_nic_rtl(const struct gather_nic_options *options, struct gather_memory *memory, const struct gather_nic_calls *calls,
                    struct gather_nic *out);

#endif
