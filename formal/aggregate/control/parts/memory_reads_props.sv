// weir_memory: what software reads of its counters and of the last event, for any events and any
// numbers that it names. A counter that is named in two cycles, one after the other, is
// read twice; from one reading to the next it has grown by its events of one cycle, and by nothing
// else. So no counter needs a second one beside it here, and it may stand anywhere.
module memory_reads_props
  import agg_pkg::*;
#(
  parameter int unsigned NumPorts = 3
) (
  input logic                   clk_i,
  input logic                   rst_ni,
  input logic  [PortW-1:0]      index_i,
  input logic  [4:0]            which_i,
  input mem_event_t             rows_i,
  input mem_event_t             headers_i,
  input mem_event_t             slots_i,
  input mem_event_t             conns_i,
  input mem_event_t             messages_i,
  input ecc_t  [NumPorts-1:0]   ingress_i,
  input ecc_t  [NumPorts-1:0]   egress_i,
  input ecc_t  [NumPorts-1:0]   pass_i,
  input logic  [NumPorts-1:0]   spoiled_i,
  input logic  [NumPorts-1:0]   dropped_i
);

  logic [47:0] memory;
  logic        bad;

  weir_memory #(
    .NumPorts(NumPorts)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .rows_i,
    .headers_i,
    .slots_i,
    .conns_i,
    .messages_i,
    .ingress_i,
    .egress_i,
    .pass_i,
    .spoiled_i,
    .dropped_i,
    .bad_o  (bad),
    .index_i,
    .which_i,
    .value_o(memory)
  );

  // ---------------------------------------------------------------------------------------------
  // Events of a cycle, and in the next one those of the counter that is named then.

  logic [NumPorts-1:0] spoiled_q, dropped_q;
  // By memory, and by port, as far as there are ports.
  logic [NumMems-1:0][MaxPorts-1:0] corrected, corrected_q, lossy, lossy_q;
  logic                 ran_q;

  always_comb begin
    corrected = '0;
    lossy     = '0;
    {corrected[MemRows][0], lossy[MemRows][0]}         = rows_i.found;
    {corrected[MemHeaders][0], lossy[MemHeaders][0]}   = headers_i.found;
    {corrected[MemSlots][0], lossy[MemSlots][0]}       = slots_i.found;
    {corrected[MemConns][0], lossy[MemConns][0]}       = conns_i.found;
    {corrected[MemMessages][0], lossy[MemMessages][0]} = messages_i.found;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      {corrected[MemIngress][p], lossy[MemIngress][p]} = ingress_i[p];
      {corrected[MemEgress][p], lossy[MemEgress][p]}   = egress_i[p];
      {corrected[MemPass][p], lossy[MemPass][p]}       = pass_i[p];
    end
  end

  always_ff @(posedge clk_i) begin
    ran_q       <= rst_ni;
    spoiled_q   <= spoiled_i;
    dropped_q   <= dropped_i;
    corrected_q <= corrected;
    lossy_q     <= lossy;
  end

  // Whether there is such a counter, and what it has grown by.
  logic       memory_is;
  logic [4:0] grown;
  assign memory_is = which_i == 5'd29 || which_i == 5'd30 ? 32'(index_i) < NumMems :
                     which_i == 5'd31 && (index_i == 4'd1 || index_i == 4'd2);
  always_comb begin
    grown = '0;
    if (which_i == 5'd29) grown = 5'($countones(corrected_q[index_i[2:0]]));
    if (which_i == 5'd30) grown = 5'($countones(lossy_q[index_i[2:0]]));
    if (which_i == 5'd31 && index_i == 4'd1) grown = 5'($countones(spoiled_q));
    if (which_i == 5'd31 && index_i == 4'd2) grown = 5'($countones(dropped_q));
    if (!ran_q) grown = '0;
  end

  // The last event of the cycle before: a bad one if there is one. (Of several the RTL takes that
  // of banks, slot records and look-up first, then that of the last port.)
  logic [NumMems-1:0][MaxPorts-1:0] events;
  logic                             worse;
  mem_e                             where;
  logic [SlotW-1:0]                 at;
  logic [4:0][SlotW-1:0]            at_q;    // of banks' rows and headers, slots, conns, messages
  logic [MaxPorts-1:0]              at_ports;
  assign worse    = lossy_q != '0;
  assign events   = worse ? lossy_q : corrected_q;
  assign at_ports = events[MemIngress] | events[MemEgress] | events[MemPass];
  always_comb begin
    at = '0;
    for (int unsigned i = 0; i < NumPorts; i++) if (at_ports[i]) at = SlotW'(i);
    where = events[MemPass][at[3:0]] ? MemPass :
            events[MemEgress][at[3:0]] ? MemEgress : MemIngress;
    if (events[MemRows] != '0) {where, at} = {MemRows, at_q[0]};
    else if (events[MemHeaders] != '0) {where, at} = {MemHeaders, at_q[1]};
    else if (events[MemSlots] != '0) {where, at} = {MemSlots, at_q[2]};
    else if (events[MemConns] != '0) {where, at} = {MemConns, at_q[3]};
    else if (events[MemMessages] != '0) {where, at} = {MemMessages, at_q[4]};
  end

  // ---------------------------------------------------------------------------------------------
  // Of the last three cycles: what was named, and what of it had grown in the cycle before.

  typedef struct packed {
    logic             ran;
    logic [PortW-1:0] index;
    logic [4:0]       which;
    logic             memory;
    logic [4:0]       grown;
    logic             event_is;
    logic [47:0]      last;
  } past_t;
  past_t       now;
  past_t [3:1] past_q;
  logic        twice;
  logic [47:0] memory_q;
  logic        lossy_now_q, told;
  assign now = '{ran: rst_ni, index: index_i, which: which_i, memory: memory_is, grown: grown,
                 event_is: ran_q && events != '0, last: 48'({1'b1, worse, 8'(where), 16'(at)})};
  assign twice = past_q[3].ran && past_q[3].index == past_q[2].index &&
                 past_q[3].which == past_q[2].which;
  assign told  = past_q[2].which == 5'd31 && past_q[2].index == '0;

  always_ff @(posedge clk_i) begin
    at_q <= {messages_i.at, conns_i.at, slots_i.at, headers_i.at, rows_i.at};
    past_q      <= {past_q[2:1], now};
    memory_q    <= memory;
    lossy_now_q <= rst_ni && lossy != '0;
  end

  logic [4:0] deep_q;   // so many cycles have gone by
  initial deep_q = '0;
  always_ff @(posedge clk_i) deep_q <= {deep_q[3:0], 1'b1};

  always_ff @(posedge clk_i) begin
    if (deep_q[4]) begin
      // A counter of a memory grows by each read of that memory that was corrected, or that could
      // not be; that of results by each that left spoiled, or was dropped; several ports at once
      // count once each.
      a_memory : assert (!twice || !past_q[2].memory ||
                         memory == 48'(32'(memory_q[31:0] + 32'(past_q[3].grown))))
      else $error("%0d, then %0d", memory_q, memory);
      // Another number reads 0.
      a_no_memory : assert (past_q[2].memory || told || memory == '0)
      else $error("number %0d of %0d reads %0d", past_q[2].which, past_q[2].index, memory);
      // The last event is of the cycle in front of the one in which it is named, if there was one
      // in that cycle: a bad one before one that was corrected. Else it stays.
      a_last : assert (!told || !past_q[3].ran ||
                       (past_q[2].event_is ? memory == past_q[2].last :
                                                         !twice || memory == memory_q))
      else $error("last event %0h", memory);
      // Whatever cannot be corrected is told of at once.
      a_bad : assert (bad == lossy_now_q)
      else $error("told of %b", bad);
      // Behind a reset all are 0, and nothing is remembered.
      a_reset : assert (past_q[3].ran || memory == '0)
      else $error("%0d behind a reset", memory);

      // Three ports find something in one cycle; the last event is of the last port.
      c_three : cover (twice && past_q[3].grown == 5'd3);
      c_port : cover (told && past_q[2].event_is && memory[15:0] == 16'(NumPorts - 1));
    end
  end

endmodule
