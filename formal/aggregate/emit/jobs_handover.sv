// What agg_job_lists takes for granted of who begins takes and hears of their ends: conditions that
// the proofs of both sides look at, one that takes them for granted and one that shows them.
module jobs_handover
  import agg_pkg::*;
(
  input  logic             clk_i,
  input  logic             rst_ni,
  input  job_t             job_i,
  input  logic             valid_i,
  input  logic [SlotW-1:0] slot_i,
  input  logic             start_i,
  input  logic             blocked_i,
  // The job that ends is that of the take under way, which was begun four cycles ago or more.
  output logic             end_o,
  // A take that was blocked has not ended its job, and was begun as long ago.
  output logic             blocked_o,
  // Takes are begun when there is one, and the one before has ended or gone back.
  output logic             start_o
);

  // A take is under way; its job has ended; its slot; cycles since it was begun, 3 for more.
  logic             taken_q, ended_q;
  logic [SlotW-1:0] taken_slot_q;
  logic       [1:0] since_q;

  always_ff @(posedge clk_i) begin
    if (since_q != 2'd3) since_q <= since_q + 2'd1;
    if (job_i.ended) ended_q <= 1'b1;
    if (blocked_i) taken_q <= 1'b0;
    if (start_i) begin
      taken_q      <= 1'b1;
      ended_q      <= 1'b0;
      taken_slot_q <= slot_i;
      since_q      <= 2'd0;
    end
    if (!rst_ni) begin
      taken_q <= 1'b0;
      ended_q <= 1'b0;
    end
  end

  assign end_o     = !job_i.ended || (taken_q && !ended_q && job_i.slot == taken_slot_q &&
      since_q == 2'd3);
  assign blocked_o = !blocked_i || (taken_q && !ended_q && !job_i.ended && since_q == 2'd3);
  assign start_o   = !start_i || (valid_i && (!taken_q || ended_q));

endmodule
