// gather_rows: which halfword of a part goes to which place of which row, any part, at any place.
//
// The memories have a proof of their own (prim_ram_1r1w). Here what they show is left out of the
// circuit and free.
module row_lanes_props
  import gather_pkg::*;
#(
  parameter int unsigned NumRows = 5,
  localparam int unsigned Aw = $clog2(NumRows)
) (
  input logic                    clk_i,
  input logic                    rst_ni,
  input logic                    write_valid_i,
  input logic [Aw-1:0]           write_row_i,
  input logic [Aw-1:0]           write_next_i,
  input logic [6:0]              write_at_i,
  input logic [6:0]              write_bytes_i,
  input logic [8*ChunkBytes-1:0] write_data_i,
  input logic                    read_valid_i,
  input logic [Aw-1:0]           read_row_i,
  input logic [5:0]              half_i   // any halfword of a part, and of a row
);

  logic [RowBits-1:0] read_data;

  gather_rows #(
    .NumRows(NumRows)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .write_valid_i,
    .write_row_i,
    .write_next_i,
    .write_at_i,
    .write_bytes_i,
    .write_data_i,
    .read_valid_i,
    .read_row_i,
    .read_data_o(read_data)
  );

  // What was told two cycles ago, and the rows a cycle ago.
  typedef struct packed {
    logic                    valid;
    logic [6:0]              at;
    logic [6:0]              bytes;
    logic [8*ChunkBytes-1:0] data;
  } write_t;

  logic   [1:0]    past_q;   // so many cycles have gone by
  write_t [2:1]    write_q;
  logic   [Aw-1:0] row_q, next_q;

  initial past_q = '0;
  always_ff @(posedge clk_i) begin
    past_q  <= {past_q[0], 1'b1};
    write_q <= {write_q[1], write_valid_i, write_at_i, write_bytes_i, write_data_i};
    row_q   <= write_row_i;
    next_q  <= write_next_i;
    if (!rst_ni) begin
      write_q[1].valid <= 1'b0;
      write_q[2].valid <= 1'b0;
    end
  end

  // The part is of whole halfwords, as many as one can be of.
  logic fits;
  assign fits = past_q == '1 && !write_q[2].at[0] && !write_q[2].bytes[0] &&
      32'(write_q[2].bytes) <= ChunkBytes;

  // What goes to each place of a row, and what comes from it.
  logic [RowBytes/2-1:0]         writes, reads;
  logic [RowBytes/2-1:0][Aw-1:0] to, from;
  logic [RowBytes/2-1:0][15:0]   data, out;
  for (genvar l = 0; l < RowBytes / 2; l++) begin : gen_place
    assign writes[l] = u_dut.gen_lane[l].u_ram.we_i;
    assign to[l]     = u_dut.gen_lane[l].u_ram.waddr_i;
    assign data[l]   = u_dut.gen_lane[l].u_ram.wdata_i;
    assign reads[l]  = u_dut.gen_lane[l].u_ram.re_i;
    assign from[l]   = u_dut.gen_lane[l].u_ram.raddr_i;
    assign out[l]    = u_dut.gen_lane[l].u_ram.rdata_o;
  end

  // Where halfword `half_i` of the part goes: so far behind the part's place, around the row.
  logic [31:0] place;
  logic [5:0]  lane;
  assign place = 32'(write_q[2].at) / 2 + 32'(half_i);
  assign lane  = 6'(place % (RowBytes / 2));

  always_ff @(posedge clk_i) begin
    // Each halfword of the part is written, and nothing else is; nothing in a reset.
    a_writes : assert (!fits || writes[lane] ==
                       (rst_ni && write_q[2].valid && 2 * 32'(half_i) < 32'(write_q[2].bytes)))
    else $error("halfword %0d at %0d: %b", half_i, lane, writes[lane]);
    // It goes to the part's row, and what does not fit there to the next one,
    a_row : assert (!fits || to[lane] == ((place < RowBytes / 2) ? row_q : next_q))
    else $error("halfword %0d goes to row %0d", half_i, to[lane]);
    // as it is in the part.
    a_data : assert (!fits || 32'(half_i) >= ChunkBytes / 2 ||
                     data[lane] == 16'(write_q[2].data >> (16 * 32'(half_i))))
    else $error("halfword %0d is another one", half_i);
    // A read is of all halfwords of its row, not in a reset.
    a_read : assert (reads[half_i] == (read_valid_i && rst_ni) && from[half_i] == read_row_i &&
                     read_data[16*half_i+:16] == out[half_i])
    else $error("halfword %0d is read", half_i);
    // A part of 82 bytes ends in the next row.
    c_next : cover (fits && write_q[2].valid && rst_ni && 32'(write_q[2].bytes) == ChunkBytes &&
                    write_q[2].at == 7'd126 && row_q != next_q);
  end

endmodule
