// Counts what reads of corrected memories found (mem_e), the results that were lost by it, and
// keeps the place of the last event.
//
// A counter shows an event two cycles after it; events of several ports in one cycle count once
// each. Nobody waits for this module. Counters are 32 bits wide and wrap.
module weir_memory
  import agg_pkg::*;
#(
  /// Ports, 1 to 16.
  parameter int unsigned NumPorts = 6
) (
  input logic clk_i,
  input logic rst_ni,

  // What was found, pulses: in banks and slot records, by slot; in tables of look-up, by their
  // entry; in the memories of each port.
  input mem_event_t              rows_i,
  input mem_event_t              headers_i,
  input mem_event_t              slots_i,
  input mem_event_t              conns_i,
  input mem_event_t              messages_i,
  input ecc_t     [NumPorts-1:0] ingress_i,
  input ecc_t     [NumPorts-1:0] egress_i,
  input ecc_t     [NumPorts-1:0] pass_i,
  // Pulses: a result left with a wrong ICRC on purpose; one was dropped.
  input logic     [NumPorts-1:0] spoiled_i,
  input logic     [NumPorts-1:0] dropped_i,

  // Pulse: something was found that cannot be corrected.
  output logic bad_o,

  // One counter, two cycles after it was named: `which` 29 reads with corrected bits and 30 reads
  // that could not be corrected, of memory `index` (mem_e); 31: of `index` 0 the last event, 1
  // results sent with a wrong ICRC, 2 results dropped. Any other number reads 0.
  input  logic [PortW-1:0] index_i,
  input  logic [4:0]       which_i,
  output logic [47:0]      value_o
);

  localparam logic [4:0] Corrected = 5'd29;
  localparam logic [4:0] Bad = 5'd30;
  localparam logic [4:0] Other = 5'd31;

  // What happened in the last cycle: how often each, and where the last of it was.
  typedef struct packed {
    logic             valid;
    logic             bad;
    mem_e             memory;
    logic [SlotW-1:0] at;      // slot or port
  } last_t;

  logic [NumMems-1:0][4:0]  corrected_d, corrected_q, bad_d, bad_q;
  logic [4:0]               spoiled_d, spoiled_q, dropped_d, dropped_q;
  last_t                    last_d, last_q;
  logic [NumMems-1:0][31:0] corrected_count_q, bad_count_q;
  logic [31:0]              spoiled_count_q, dropped_count_q;
  logic [47:0]              value_d;

  always_comb begin
    corrected_d = '0;
    bad_d       = '0;
    spoiled_d   = '0;
    dropped_d   = '0;
    last_d      = last_q;
    corrected_d[MemRows]    = 5'(rows_i.found.corrected);
    bad_d[MemRows]          = 5'(rows_i.found.bad);
    corrected_d[MemHeaders] = 5'(headers_i.found.corrected);
    bad_d[MemHeaders]       = 5'(headers_i.found.bad);
    corrected_d[MemSlots]   = 5'(slots_i.found.corrected);
    bad_d[MemSlots]         = 5'(slots_i.found.bad);
    corrected_d[MemConns]    = 5'(conns_i.found.corrected);
    bad_d[MemConns]          = 5'(conns_i.found.bad);
    corrected_d[MemMessages] = 5'(messages_i.found.corrected);
    bad_d[MemMessages]       = 5'(messages_i.found.bad);
    for (int unsigned p = 0; p < NumPorts; p++) begin
      corrected_d[MemIngress] += 5'(ingress_i[p].corrected);
      corrected_d[MemEgress]  += 5'(egress_i[p].corrected);
      corrected_d[MemPass]    += 5'(pass_i[p].corrected);
      bad_d[MemIngress]       += 5'(ingress_i[p].bad);
      bad_d[MemEgress]        += 5'(egress_i[p].bad);
      bad_d[MemPass]          += 5'(pass_i[p].bad);
      spoiled_d               += 5'(spoiled_i[p]);
      dropped_d               += 5'(dropped_i[p]);
    end
    // What is bad goes first; of the rest any.
    for (int unsigned b = 0; b < 2; b++) begin
      for (int unsigned p = 0; p < NumPorts; p++) begin
        if (b == 0 ? ingress_i[p].corrected : ingress_i[p].bad)
          last_d = '{1'b1, b != 0, MemIngress, SlotW'(p)};
        if (b == 0 ? egress_i[p].corrected : egress_i[p].bad)
          last_d = '{1'b1, b != 0, MemEgress, SlotW'(p)};
        if (b == 0 ? pass_i[p].corrected : pass_i[p].bad)
          last_d = '{1'b1, b != 0, MemPass, SlotW'(p)};
      end
      if (b == 0 ? messages_i.found.corrected : messages_i.found.bad)
        last_d = '{1'b1, b != 0, MemMessages, messages_i.at};
      if (b == 0 ? conns_i.found.corrected : conns_i.found.bad)
        last_d = '{1'b1, b != 0, MemConns, conns_i.at};
      if (b == 0 ? slots_i.found.corrected : slots_i.found.bad)
        last_d = '{1'b1, b != 0, MemSlots, slots_i.at};
      if (b == 0 ? headers_i.found.corrected : headers_i.found.bad)
        last_d = '{1'b1, b != 0, MemHeaders, headers_i.at};
      if (b == 0 ? rows_i.found.corrected : rows_i.found.bad)
        last_d = '{1'b1, b != 0, MemRows, rows_i.at};
    end
  end

  always_comb begin
    value_d = '0;
    unique case (which_i)
      Corrected: if (32'(index_i) < NumMems) value_d = 48'(corrected_count_q[index_i[2:0]]);
      Bad:       if (32'(index_i) < NumMems) value_d = 48'(bad_count_q[index_i[2:0]]);
      Other: begin
        unique case (index_i)
          4'd0:    value_d = 48'({last_q.valid, last_q.bad, 8'(last_q.memory), 16'(last_q.at)});
          4'd1:    value_d = 48'(spoiled_count_q);
          4'd2:    value_d = 48'(dropped_count_q);
          default: ;
        endcase
      end
      default: ;
    endcase
  end

  logic [47:0] value_q;
  always_ff @(posedge clk_i) begin
    corrected_q <= corrected_d;
    bad_q       <= bad_d;
    spoiled_q   <= spoiled_d;
    dropped_q   <= dropped_d;
    last_q      <= last_d;
    for (int unsigned m = 0; m < NumMems; m++) begin
      corrected_count_q[m] <= corrected_count_q[m] + 32'(corrected_q[m]);
      bad_count_q[m]       <= bad_count_q[m] + 32'(bad_q[m]);
    end
    spoiled_count_q <= spoiled_count_q + 32'(spoiled_q);
    dropped_count_q <= dropped_count_q + 32'(dropped_q);
    bad_o           <= bad_d != '0;
    value_q         <= value_d;
    value_o         <= value_q;
    if (!rst_ni) begin
      corrected_q       <= '0;
      bad_q             <= '0;
      spoiled_q         <= '0;
      dropped_q         <= '0;
      last_q            <= '0;
      corrected_count_q <= '0;
      bad_count_q       <= '0;
      spoiled_count_q   <= '0;
      dropped_count_q   <= '0;
      bad_o             <= 1'b0;
    end
  end

endmodule
