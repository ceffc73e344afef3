// gather_turn beside a cache that does what it likes: of each PR just that room is given back that
// was kept for it and is not needed, and a read never waits for room. In front of the cache every
// PR that is taken leaves, once and as it came.
//
// One PR is followed, which one is free. The cache lets PRs out in order, and turns only reads that
// it was told it may.
module gather_turn_props
  import gather_pkg::*;
(
  input logic            clk_i,
  input logic            rst_ni,
  input logic            enable_i,
  input logic [1:0]      read_port_i,
  input logic [1:0]      response_port_i,
  input logic            valid_i,
  input pr_beat_t        pr_i,
  input logic            ready_i,
  input logic            back_i,
  input logic            turns_i,
  input logic            follow_i,
  input logic [1:0]      open_i,
  input logic [1:0]      busy_i,
  input logic            enters_i
);

  localparam int unsigned Inside = 16;

  logic       started_q, pr_ready, out_valid, keep, keep_port, give, give_response, give_port;
  logic       not_turned, enable_q;
  logic [1:0] read_port_q, response_port_q;
  logic [4:0] keep_beats, give_beats;
  pr_beat_t   pr, out;

  // Reads of one beat, responses of any; their source may be no node.
  always_comb begin
    pr       = pr_i;
    pr.first = !pr_i.pr.response || pr_i.first;
    pr.last  = !pr_i.pr.response || pr_i.last;
  end

  // ---------------------------------------------------------------------------------------------
  // The cache: so many are inside, the followed one is at place `ahead_q`, 1 the first to leave.

  logic [4:0] inside_q, ahead_q;
  logic       going, enters, back, turned, followed, leaves;
  logic       picked_q, read_q, kept_q, there_q, back_port_q;
  logic [4:0] alone_q;

  assign going    = out_valid && ready_i && 32'(inside_q) < Inside;
  assign enters   = going && out.first;
  // A PR is inside for two cycles or more.
  assign back     = back_i && inside_q > 5'(u_dut.put_q);
  // What leaves is a response if it was one, or may turn.
  assign turned   = u_dut.left.read ? turns_i && u_dut.left.kept : 1'b1;
  assign followed = enters && follow_i && !picked_q;
  assign leaves   = back && picked_q && ahead_q == 5'd1;

  gather_turn #(
    .NumNodes(2),
    .NumPorts(2)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .enable_i       (enable_q),
    .read_port_i    (read_port_q),
    .response_port_i(response_port_q),
    .pr_valid_i     (valid_i),
    .pr_ready_o     (pr_ready),
    .pr_i           (pr),
    .pr_valid_o     (out_valid),
    .pr_ready_i     (ready_i && 32'(inside_q) < Inside),
    .pr_o           (out),
    .back_i         (back),
    .back_response_i(turned),
    .open_i,
    .busy_i,
    .enters_i,
    .keep_o         (keep),
    .keep_port_o    (keep_port),
    .keep_beats_o   (keep_beats),
    .give_o         (give),
    .give_response_o(give_response),
    .give_port_o    (give_port),
    .give_beats_o   (give_beats),
    .not_turned_o   (not_turned)
  );

  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // The first cycle is one of reset. Dropped: PRs are inside that nobody let in.
    e_reset : assume (started_q || !rst_ni);
    if (!started_q) begin
      enable_q        <= enable_i;
      read_port_q     <= read_port_i;
      response_port_q <= response_port_i;
    end
    inside_q <= inside_q + 5'(enters) - 5'(back);
    if (followed) begin
      picked_q    <= 1'b1;
      ahead_q     <= inside_q + 5'd1 - 5'(back);
      read_q      <= !out.pr.response;
      kept_q      <= keep;
      there_q     <= read_port_q[out.pr.dest[0]];
      back_port_q <= response_port_q[out.pr.src[0]];
      alone_q     <= alone_beats(1'b1, out.pr.len);
    end else if (back && picked_q && ahead_q != '0) begin
      ahead_q <= ahead_q - 5'd1;
    end
    if (!rst_ni) begin
      inside_q <= '0;
      picked_q <= 1'b0;
      ahead_q  <= '0;
    end
  end

  // ---------------------------------------------------------------------------------------------

  // What was taken and has not gone on to the cache, as a list of at most one.
  logic     waits_q;
  pr_beat_t waiting_q, due;
  always_ff @(posedge clk_i) begin
    if (valid_i && pr_ready) begin
      waits_q   <= 1'b1;
      waiting_q <= pr;
    end else if (going) begin
      waits_q <= 1'b0;
    end
    if (!rst_ni) waits_q <= 1'b0;
  end
  always_comb begin
    due = waiting_q;
    if (!waiting_q.pr.response) due.pr.cacheable = keep;
  end

  // A read wants room for its response where that would leave.
  logic wants, back_port;
  assign back_port = response_port_q[waiting_q.pr.src[0]];
  assign wants     = enable_q && !waiting_q.pr.response && waiting_q.pr.src < 32'd2;

  // Where the followed PR is in the queue beside the cache.
  logic [3:0] place;
  assign place = u_dut.u_beside.read_q + ahead_q[3:0] - 4'd1;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Beside the cache are as many as in it, and of the followed one what was known of it.
      a_count : assert (u_dut.u_beside.count_q + 5'(u_dut.put_q) == inside_q &&
                        32'(inside_q) <= Inside &&
                        ahead_q <= inside_q && (picked_q || ahead_q == '0) &&
                        4'(u_dut.u_beside.write_q - u_dut.u_beside.read_q) ==
                        inside_q[3:0] - 4'(u_dut.put_q))
      else $error("%0d are beside the cache, %0d in it", u_dut.u_beside.count_q, inside_q);
      a_beside : assert (ahead_q == '0 ||
                         ((read_q || !kept_q) &&
                          ((u_dut.put_q && ahead_q == inside_q) ? u_dut.put_beside_q :
                           u_dut.u_beside.mem_q[place]) ==
                          {read_q, kept_q, there_q, back_port_q, alone_q}))
      else $error("another PR is beside the cache at %0d", place);
      // What is known of the PR in front is what it is.
      a_front : assert (!u_dut.valid_q || ((u_dut.pr_q.first || u_dut.pr_q.pr.response) &&
                        u_dut.beside_q.read == !u_dut.pr_q.pr.response &&
                        u_dut.beside_q.kept == (enable_q && !u_dut.pr_q.pr.response &&
                                                u_dut.pr_q.pr.src < 32'd2) &&
                        u_dut.beside_q.there == read_port_q[u_dut.pr_q.pr.dest[0]] &&
                        u_dut.beside_q.back == response_port_q[u_dut.pr_q.pr.src[0]] &&
                        u_dut.beside_q.alone == alone_beats(1'b1, u_dut.pr_q.pr.len)))
      else $error("what is kept is of another PR");
      // Room is kept for reads alone, where their responses leave, never more than there is, and
      // not while a packet takes some.
      a_keeps : assert (!keep || (!out.pr.response && out.pr.cacheable && !enters_i &&
                                  keep_beats == alone_beats(1'b1, out.pr.len) &&
                                  keep_port == response_port_q[out.pr.src[0]] &&
                                  open_i[keep_port] && !busy_i[keep_port]))
      else $error("%0d beats are kept at port %0d", keep_beats, keep_port);
      // A read is looked up only if room for its response is kept.
      a_looked_up : assert (!going || out.pr.response || out.pr.cacheable == keep)
      else $error("a read is looked up without room for its response");
      // Nobody waits for room: what is there goes on unless room is being kept for packets.
      a_goes_on : assert (!u_dut.valid_q || out_valid || enters_i || busy_i[u_dut.beside_q.back])
      else $error("a PR waits for room");
      // When a PR leaves, what was kept for it and is not needed is given back, once and to whom it
      // is: the room of the read if it has turned, else that of the response.
      a_gives : assert (!leaves || (give == kept_q && (!give || (read_q && (turned ?
          !give_response && give_port == there_q && give_beats == alone_beats(1'b0, '0) :
          give_response && give_port == back_port_q && give_beats == alone_q)))))
      else $error("%0d beats are given back", give_beats);
      // Every beat of a PR that is taken goes on to the cache, once and in its turn: what was taken
      // and has not gone on waits here, and what waits here was taken.
      a_waits : assert (u_dut.valid_q == waits_q && (!out_valid || waits_q))
      else $error("%b waits, %b was taken", u_dut.valid_q, waits_q);
      // It is as it came; only of a read it is said anew whether it may turn.
      a_same : assert (!waits_q || (u_dut.pr_q == waiting_q && (!going || out == due)))
      else $error("another PR goes on than was taken");
      // A PR is taken unless one in front of it waits for the cache, or for room being kept.
      a_takes : assert (pr_ready == (!waits_q || going))
      else $error("a PR waits, and nothing is in front of it");
      // A read for which room is wanted goes on without room only if there was none, and is counted
      // then; nothing else is.
      a_not_turned : assert (not_turned == (going && wants && !open_i[back_port]) &&
                             (!going || keep == (wants && open_i[back_port])))
      else $error("a read goes on, kept %b, counted %b", keep, not_turned);
      // Nothing is given back of what is not inside.
      a_none : assert (!give || back)
      else $error("room is given back, and nothing leaves");
      // A read turns; one does not; one finds no room; the queue beside the cache is full.
      c_turned : cover (leaves && give && turned);
      c_missed : cover (leaves && give && !turned);
      c_no_room : cover (not_turned);
      c_full : cover (32'(inside_q) == Inside);
      // A response of several beats goes on.
      c_long : cover (going && out.pr.response && !out.first && out.last);
    end
  end

endmodule
