"""The bus of PeakRDL's register blocks (tools/generate/peakrdl.toml): AXI4-Lite, by the module prim_axil inside the block."""
from peakrdl_regblock.cpuif import CpuifBase


class AxilCpuif(CpuifBase):
    def _ports(self):
        """(direction, width, name)"""
        ports = []
        for channel in ("aw", "ar"):
            ports += [("input", 1, f"{channel}valid"), ("output", 1, f"{channel}ready"), ("input", self.addr_width, f"{channel}addr"),
                      ("input", 3, f"{channel}prot")]
        ports += [("input", 1, "wvalid"), ("output", 1, "wready"), ("input", self.data_width, "wdata"),
                  ("input", self.data_width_bytes, "wstrb")]
        ports += [("output", 1, "bvalid"), ("input", 1, "bready"), ("output", 2, "bresp")]
        ports += [("output", 1, "rvalid"), ("input", 1, "rready"), ("output", self.data_width, "rdata"), ("output", 2, "rresp")]
        return ports

    @property
    def port_declaration(self):
        return ",\n".join(f"{direction} wire {f'[{width - 1}:0] ' if width > 1 else ''}s_axil_{name}"
                          for direction, width, name in self._ports())

    def get_implementation(self):
        inside = {"req_o": "req", "write_o": "req_is_wr", "addr_o": "addr", "wdata_o": "wr_data", "wbits_o": "wr_biten",
                  "write_ack_i": "wr_ack", "write_error_i": "wr_err", "read_ack_i": "rd_ack", "read_error_i": "rd_err", "read_i": "rd_data"}
        wires = ["    .clk_i(clk)", "    .rst_ni(rst_n)"]
        wires += [f"    .s_axil_{name}" for _, _, name in self._ports()]
        wires += [f"    .{port}(cpuif_{wire})" for port, wire in inside.items()]
        return "\n".join([f"prim_axil #(.AddrW({self.addr_width})) u_axil (", ",\n".join(wires), ");"])
