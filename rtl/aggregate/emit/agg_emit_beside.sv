// Reads the parent's rows beside those of the ranks (docs/relay.md): they are in a bank of their
// own, and need no sum.
//
// Stands between the taker and the reader. A read of the parent's result gets its header words from
// the reader, as any other; its rows are read here, and go to their ports past the reduction. So
// the sum of one column and the parent's result of another one leave at the same time, where they
// go to different ports. In every port rows still come in the order of takes: a result waits until
// sums for one of its ports have left the reduction, and a sum until the parent's rows for one of
// its ports have been read. Both end by themselves; one read waits here meanwhile, and the taker
// behind it. Rows that have started never wait.
//
// A lock is given back with the last header word. A write that starts then comes behind the rows
// that are still to be read, one a cycle: its first row is written when more have been read.
module agg_emit_beside
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_timing_pkg::*;
#(
  /// Ports, 1 to 16.
  parameter int unsigned NumPorts = 6,
  /// Ranks, 1 to 16.
  parameter int unsigned NumRanks = 6
) (
  input logic clk_i,
  input logic rst_ni,

  // Of the taker: a taken slot, and the lock that covers it.
  input  logic      take_valid_i,
  output logic      take_ready_o,
  input  take_rsp_t take_i,
  input  logic      take_lock_i,

  // The same for the reader, when it may begin.
  output logic      read_valid_o,
  output logic      read_parent_o,   // its rows are read here
  input  logic      read_ready_i,
  output take_rsp_t read_o,
  output logic      read_lock_o,

  // A row leaves the ranks' banks for the reduction.
  input  logic      summed_i,

  // Reads of the parent's bank, and what they are.
  output logic             parent_re_o,
  output logic [SlotW-1:0] parent_slot_o,
  output logic [7:0]       parent_row_o,
  output parent_rows_t     parent_o
);

  /// From a row at the banks' outputs to its sum at the ports, at most, and two cycles more.
  localparam int unsigned Drain = $clog2(NumRanks) * 5 + 6;
  localparam int unsigned DrainW = $clog2(Drain + 1);

  // ---------------------------------------------------------------------------------------------
  // The next read, and whether it may begin.

  logic                next_valid_q, next_parent_q, next_lock_q, go, waits;
  take_rsp_t           next_q;
  logic [NumPorts-1:0] ports_d, next_ports_q;
  logic [NumPorts-1:0] sum_ports_q, parent_ports_q;   // of what is under way
  logic [DrainW-1:0]   drain_q;
  logic                rows_left_q, row_last, busy;

  always_comb begin
    ports_d = '0;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      for (int unsigned r = 0; r < NumRanks; r++) begin
        if (take_i.ranks[r] && take_i.port[r] == PortW'(p)) ports_d[p] = 1'b1;
      end
    end
  end

  assign busy  = rows_left_q && !row_last;
  assign waits = next_parent_q ? busy || (next_ports_q & sum_ports_q) != '0 :
      busy && (next_ports_q & parent_ports_q) != '0;
  assign read_valid_o = next_valid_q && !waits;
  assign read_parent_o = next_parent_q;
  assign read_o       = next_q;
  assign read_lock_o  = next_lock_q;
  assign go           = read_valid_o && read_ready_i;
  assign take_ready_o = !next_valid_q || go;

  always_ff @(posedge clk_i) begin
    if (go) next_valid_q <= 1'b0;
    if (take_valid_i && take_ready_o) begin
      next_valid_q  <= 1'b1;
      next_q        <= take_i;
      next_lock_q   <= take_lock_i;
      next_ports_q  <= ports_d;
      next_parent_q <= parents_rows(take_i);
    end
    if (!rst_ni) next_valid_q <= 1'b0;
  end

  // Ports of sums that have not left the reduction.
  always_ff @(posedge clk_i) begin
    if (drain_q != '0) drain_q <= drain_q - DrainW'(1);
    else sum_ports_q <= '0;
    if (summed_i) drain_q <= DrainW'(Drain);
    if (go && !next_parent_q) begin
      drain_q     <= DrainW'(Drain);
      sum_ports_q <= sum_ports_q | next_ports_q;
    end
    if (!rst_ni) begin
      drain_q     <= '0;
      sum_ports_q <= '0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // The parent's rows.

  logic             at_last_q;
  logic [SlotW-1:0] slot_q;
  logic [7:0]       row_q, last_row_q;
  logic [5:0]       pairs_q;

  assign row_last = rows_left_q && at_last_q;

  always_ff @(posedge clk_i) begin
    if (rows_left_q) begin
      row_q     <= row_q + 8'd1;
      at_last_q <= row_q + 8'd1 == last_row_q;
    end
    if (row_last) rows_left_q <= 1'b0;
    if (go && next_parent_q) begin
      rows_left_q    <= 1'b1;
      slot_q         <= next_q.slot;
      row_q          <= '0;
      last_row_q     <= last_row_of(next_q.tensor_len);
      at_last_q      <= next_q.tensor_len <= 14'(BeatBytes);
      pairs_q        <= pairs_of(next_q.tensor_len);
      parent_ports_q <= next_ports_q;
    end
    if (!rst_ni) rows_left_q <= 1'b0;
  end

  assign parent_re_o   = rows_left_q;
  assign parent_slot_o = slot_q;
  assign parent_row_o  = row_q;

  // What goes along with a row while it is read.
  logic [BankRead:1]               valid_q, last_q;
  logic [BankRead:1][NumPorts-1:0] ports_q;

  always_ff @(posedge clk_i) begin
    valid_q <= {valid_q[BankRead-1:1], rows_left_q};
    last_q  <= {last_q[BankRead-1:1], row_last};
    ports_q <= {ports_q[BankRead-1:1], parent_ports_q};
    if (!rst_ni) valid_q <= '0;
  end

  assign parent_o = '{valid: valid_q[BankRead], last: last_q[BankRead],
                      ports: MaxPorts'(ports_q[BankRead]), pairs_valid: row_last,
                      pairs: pairs_q};

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // In a port rows come in the order of takes: none of a sum is under way when the parent's for
      // the same port begin, and none of these is to be read when a sum's begin.
      a_order : assert (!go || (next_parent_q ? !busy && (next_ports_q & sum_ports_q) == '0 :
          !busy || (next_ports_q & parent_ports_q) == '0))
      else $error("%m: rows of slot %0d would overtake others", next_q.slot);
      // What the reduction still has is known here; a result would overtake it.
      a_known : assert (!summed_i || drain_q != '0)
      else $error("%m: a row is summed that nobody announced");
    end
  end

endmodule
