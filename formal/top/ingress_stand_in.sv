// Stands in for roce_ingress in proofs of the device: up to two packets, each with its descriptor
// and all of its beats, one behind the other or up to two cycles apart.
//
// Sound because roce_ingress promises no more (roce_ingress_props): a descriptor is shown only when
// all beats of its frame are there. What is left out: frames that are dropped or passed, which are
// the port's alone, and what is in the packets: all are SENDs of one message each, two beats long,
// with four bytes of tensor that are 0. What `any_...` say is free (`cuts` of the task).
// verilog_lint: waive module-filename
module roce_ingress
  import roce_pkg::*;
#(
  parameter int unsigned FifoBeats = 512,
  parameter int unsigned MaxFrameBytes = 9728,
  parameter int unsigned Notes = 0,
  parameter int unsigned DescFrames = 32,
  parameter int unsigned Ecc = 0,
  parameter int unsigned Without = 0
) (
  input logic clk_i,
  input logic rst_ni,

  input  logic                 s_axis_tvalid,
  output logic                 s_axis_tready,
  input  logic [BeatBits-1:0]  s_axis_tdata,
  input  logic [BeatBytes-1:0] s_axis_tkeep,
  input  logic                 s_axis_tlast,
  input  logic [0:0]           s_axis_tuser,

  input  logic notes_i,

  output logic        desc_valid_o,
  input  logic        desc_ready_i,
  output frame_desc_t desc_o,
  output logic        beat_valid_o,
  input  logic        beat_ready_i,
  output beat_t       beat_o,
  output logic        beat_bad_o,

  output logic  rx_o,
  output logic  drop_valid_o,
  output fate_e drop_fate_o,
  output logic  corrected_o,
  output logic  bad_o
);

  /// Packets that come in all, at most.
  localparam int unsigned Packets = 2;

  // What is free, in the cycle of reset: each packet's {rank, message}, its ring, and how long it
  // comes after the one before.
  logic [Packets-1:0][2:0] any_packet, packet_q;
  logic [Packets-1:0]      any_ring, ring_q;
  logic [Packets-1:0][1:0] any_gap, gap_q;
  assign any_packet = '0;
  assign any_ring   = '0;
  assign any_gap    = '0;

  logic [1:0] next_q, wait_q;
  logic       second_q, shown_q, last_read;
  logic [1:0] frames_q;    // whose beats have not all been read

  assign last_read = beat_valid_o && beat_ready_i && second_q;

  always_ff @(posedge clk_i) begin
    shown_q <= desc_valid_o && !desc_ready_i;
    // A gap of 3 is for ever.
    if (wait_q != '0 && wait_q != 2'd3) wait_q <= wait_q - 2'd1;
    if (desc_valid_o && desc_ready_i) begin
      next_q   <= next_q + 2'd1;
      wait_q   <= gap_q[1];
      packet_q <= packet_q >> 3;
      ring_q   <= ring_q >> 1;
      gap_q    <= gap_q >> 2;
    end
    if (beat_valid_o && beat_ready_i) second_q <= !second_q;
    frames_q <= frames_q + 2'(desc_valid_o && desc_ready_i) - 2'(last_read);
    if (!rst_ni) begin
      packet_q <= any_packet;
      ring_q   <= any_ring;
      gap_q    <= any_gap;
      next_q   <= '0;
      wait_q   <= any_gap[0];
      second_q <= 1'b0;
      shown_q  <= 1'b0;
      frames_q <= '0;
    end
  end

  // One frame in hand and one fetched at the port.
  assign desc_valid_o = wait_q == '0 && 32'(next_q) != Packets;
  assign beat_valid_o = frames_q != '0;
  assign beat_o       = '{last: second_q, bytes: second_q ? 7'd14 : 7'd64, data: '0};

  always_comb begin
    desc_o             = '0;
    desc_o.beats       = 9'd2;
    desc_o.candidate   = 1'b1;
    desc_o.starts      = 1'b1;
    desc_o.has_ina     = 1'b1;
    desc_o.key.qpn     = 24'({ring_q[0], packet_q[0][2]});
    desc_o.psn         = 24'(packet_q[0][1:0]);
    desc_o.ina.ring    = 16'(ring_q[0]);
    desc_o.ina.rank    = 8'(packet_q[0][2]);
    desc_o.ina.msgid   = 32'(packet_q[0][1:0]);
    desc_o.ina.msglen  = 16'd1;
    desc_o.ina.workers = 16'd2;
    desc_o.hdr_len     = 7'd70;
    desc_o.tensor_len  = 14'd4;
  end

  assign s_axis_tready = 1'b1;
  assign rx_o          = desc_valid_o && !shown_q;
  assign drop_valid_o  = 1'b0;
  assign drop_fate_o   = FatePassed;
  assign beat_bad_o    = 1'b0;
  assign corrected_o   = 1'b0;
  assign bad_o         = 1'b0;

endmodule
