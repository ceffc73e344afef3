// llt_inboxes between the queues of its ports and of the parent's multicasts, as llt_engine and
// tree_node connect them: a packet is claimed only while its queue shows it. What comes, what is
// taken, and when one of them forgets, is free.
module low_claims_props
  import rc_pkg::*;
  import rc_port_pkg::*;
  import sat_pkg::*;
  import llt_pkg::*;
#(
  parameter int unsigned NumPorts = 2
) (
  input logic                        clk_i,
  input logic                        rst_ni,
  input logic                        clear_i,
  input logic [NumPorts-1:0]         clear_queue_i,
  input logic                        clear_casts_i,
  input logic [NumPorts-1:0]         parent_i,
  input rc_came_t [NumPorts-1:0]     came_i,
  input logic [NumPorts-1:0]         keep_i,
  input rc_kept_t [NumPorts-1:0]     kept_i,
  input logic [NumPorts-1:0]         cast_valid_i,
  input logic [NumPorts-1:0][12:0]   cast_len_i,
  input logic [NumPorts-1:0]         take_i,
  input logic [NumPorts-1:0]         take_keep_i,
  input logic                        cast_take_i,
  input logic                        cast_keep_i,
  input logic [GroupW-1:0]           group_i
);

  rc_packet_t [NumPorts-1:0] oldest;
  rc_packet_t                cast_oldest;
  logic [NumPorts-1:0]       claim, row_re;
  logic                      cast_claim, cast_row_re;

  llt_inboxes #(
    .NumPorts(NumPorts)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .clear_i,
    .parent_i,
    .oldest_i       (oldest),
    .claim_o        (claim),
    .row_re_o       (row_re),
    .row_i          ('0),
    .cast_oldest_i  (cast_oldest),
    .cast_claim_o   (cast_claim),
    .cast_row_re_o  (cast_row_re),
    .cast_row_i     ('0),
    .message_o      (),
    .cast_message_o (),
    .take_i,
    .keep_i         (take_keep_i),
    .cast_take_i,
    .cast_keep_i,
    .group_i,
    .sum_re_i       ('0),
    .sum_re_group_i ('0),
    .sum_re_row_i   ('0),
    .row_o          (),
    .send_re_i      (1'b0),
    .send_use_i     (1'b0),
    .send_re_group_i('0),
    .send_re_row_i  ('0),
    .from_cast_i    (1'b0),
    .parent_row_o   (),
    .memory_o       ()
  );

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    rc_queue #(
      .Room   (4),
      .MaxRows(4)
    ) u_queue (
      .clk_i,
      .rst_ni,
      .clear_i     (clear_queue_i[p]),
      .came_i      (came_i[p]),
      .keep_i      (keep_i[p]),
      .kept_i      (kept_i[p]),
      .gone_o      (),
      .oldest_o    (oldest[p]),
      .claim_i     (claim[p]),
      .claim_drop_i(1'b0),
      .row_re_i    (row_re[p]),
      .row_o       (),
      .memory_o    ()
    );
  end

  rc_casts #(
    .NumPorts(NumPorts)
  ) u_casts (
    .clk_i,
    .rst_ni,
    .clear_i (clear_casts_i),
    .parent_i,
    .came_i,
    .valid_i (cast_valid_i),
    .len_i   (cast_len_i),
    .oldest_o(cast_oldest),
    .claim_i (cast_claim),
    .row_re_i(cast_row_re),
    .row_o   (),
    .memory_o()
  );

  logic [NumPorts-1:0] shown;   // ports whose queue shows a packet
  always_comb for (int unsigned p = 0; p < NumPorts; p++) shown[p] = oldest[p].valid;

  logic begun_q;
  initial begun_q = 1'b0;
  always_ff @(posedge clk_i) begun_q <= 1'b1;

  always_ff @(posedge clk_i) begin
    // The first cycle is one of reset.
    e_reset : assume (begun_q || !rst_ni);
    // A packet of each queue is claimed.
    c_claim : cover (rst_ni && begun_q && claim[NumPorts-1]);
    c_cast : cover (rst_ni && begun_q && cast_claim);
    if (rst_ni && begun_q) begin
      // Of a port only the packet that its queue shows is claimed, also behind what was forgotten.
      a_shown : assert ((claim & ~clear_queue_i & ~shown) == '0)
      else $error("claimed %b, shown %b", claim, shown);
    end
  end

endmodule
