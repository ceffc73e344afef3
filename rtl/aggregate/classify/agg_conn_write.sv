// What is written into the connection table in this cycle: nothing, all ways of a bucket, or one
// entry. No registers.
//
// A module of its own so that synthesis keeps it shallow: that a connection is added is known late.
// Nobody waits.
module agg_conn_write
  import agg_conn_pkg::*;
#(
  /// Ways of both halves, 2 or 4.
  parameter int unsigned All = 4,
  /// Bits of a bucket's number.
  parameter int unsigned BucketW = 8,
  localparam int unsigned WayW = $clog2(All)
) (
  input logic rst_ni,

  // All ways of a bucket: cleared, or as the walk of a flush leaves them.
  input logic                  clear_i,
  input logic [BucketW-1:0]    clear_bucket_i,
  input logic                  walk_i,
  input logic [BucketW-1:0]    walk_bucket_i,
  input conn_state_t [All-1:0] walked_i,
  // A connection is added; else an entry is retired or released.
  input logic                  set_i,
  input logic [WayW-1:0]       set_way_i,
  input logic [BucketW-1:0]    set_bucket_i,
  input conn_state_t           set_state_i,
  input logic                  act_i,
  input logic [WayW-1:0]       act_way_i,
  input logic [BucketW-1:0]    act_bucket_i,
  input conn_state_t           act_state_i,

  // Of each way: whether its state is written, and whether its key is, too.
  output logic        [All-1:0]     we_o,
  output logic        [All-1:0]     key_we_o,
  output logic        [BucketW-1:0] bucket_o,
  output conn_state_t [All-1:0]     state_o
);

  assign bucket_o = clear_i ? clear_bucket_i : walk_i ? walk_bucket_i :
      set_i ? set_bucket_i : act_bucket_i;

  always_comb begin
    for (int unsigned w = 0; w < All; w++) begin
      key_we_o[w] = rst_ni && set_i && set_way_i == WayW'(w);
      we_o[w]     = rst_ni && (clear_i || walk_i || (set_i && set_way_i == WayW'(w)) ||
                               (act_i && act_way_i == WayW'(w)));
      state_o[w]  = clear_i ? '0 : walk_i ? walked_i[w] : set_i ? set_state_i : act_state_i;
    end
  end

endmodule
