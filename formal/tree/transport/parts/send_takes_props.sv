// rc_send_buffer: which rows are taken, where they go, and when a packet is posted; and what is
// told of a packet that is kept. For any rows, whatever the requester says of places and room.
//
// The memories are left out of the circuit and free (`cuts` of the task); what they get is looked
// at. They have proofs of their own: prim_ram_checked, prim_ram_ecc_at.
module send_takes_props
  import rc_pkg::*;
  import rc_port_pkg::*;
#(
  /// 1: memories are coded.
  parameter int unsigned Ecc = 0,
  localparam int unsigned Room = 8,
  localparam int unsigned MaxRows = 4,
  localparam int unsigned AtW = $clog2(Room),
  localparam int unsigned RowW = $clog2(MaxRows)
) (
  input logic            clk_i,
  input logic            rst_ni,
  input logic            clear_i,
  input rc_row_t         row_i,
  input logic            row_cast_i,
  input logic            room_i,
  input logic            more_i,
  input logic [AtW-1:0]  place_i,
  input logic            kept_re_i,
  input logic [AtW-1:0]  kept_at_i,
  input logic            row_re_i,
  input logic [AtW-1:0]  row_at_i,
  input logic [RowW-1:0] row_number_i
);

  logic                 room, post, post_last;
  rc_kept_t             kept;
  logic [RcRowBits-1:0] row;
  rc_memory_t           memory;

  rc_send_buffer #(
    .Room   (Room),
    .MaxRows(MaxRows),
    .Ecc    (Ecc)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .clear_i,
    .room_o     (room),
    .row_i,
    .row_cast_i,
    .room_i,
    .more_i,
    .place_i,
    .post_o     (post),
    .post_last_o(post_last),
    .kept_re_i,
    .kept_at_i,
    .kept_o     (kept),
    .row_re_i,
    .row_at_i,
    .row_number_i,
    .row_o      (row),
    .memory_o   (memory)
  );

  // A packet is under way behind its first row that was taken, up to its last one, or until a row
  // is not taken, or the connection begins or ends; so many rows of it are there, as far as a place
  // counts them, and whether it is the last one of its message.
  logic            under_way_q, known_q, began_q, last_q, takes;
  logic [RowW-1:0] number_q, number;
  initial {known_q, began_q} = '0;
  always_comb begin
    takes = 1'b0;
    if (row_i.valid && room_i && !clear_i) takes = row_i.start || under_way_q;
    number = number_q;
    if (row_i.start) number = '0;
  end
  always_ff @(posedge clk_i) begin
    if (takes && row_i.start) begin
      last_q  <= row_i.last;
      began_q <= 1'b1;
    end
    if (takes) number_q <= number + RowW'(1);
    if (row_i.valid) under_way_q <= takes && !row_i.stop;
    if (clear_i || !rst_ni) under_way_q <= 1'b0;
    if (!rst_ni) begin
      known_q <= 1'b1;
      began_q <= 1'b0;
    end
  end

  // What the memory of packets says of one: fields that come out as they are.
  rc_kept_t says;
  assign says = u_dut.u_kept.rdata_o;

  // What memories found, in the cycle before.
  rc_memory_t found_q;
  logic       past_q;
  initial past_q = 1'b0;
  always_ff @(posedge clk_i) begin
    past_q  <= 1'b1;
    found_q <= '0;
    if (Ecc != 0 && rst_ni) begin
      found_q.corrected  <= u_dut.u_ram.corrected_o;
      found_q.bad        <= u_dut.u_ram.bad_o || u_dut.u_kept.bad_o;
      found_q.word.scope <= OfTrees;
      if (u_dut.u_kept.bad_o) begin
        found_q.word.memory <= MemSent;
        found_q.word.at     <= 16'(u_dut.u_kept.at_o);
      end else begin
        found_q.word.memory <= MemSentRows;
        found_q.word.at     <= 16'(u_dut.u_ram.at_o);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (known_q) begin
      // What is remembered of the packet under way.
      a_inside : assert (u_dut.inside_q == under_way_q && (!under_way_q || began_q))
      else $error("inside %b", u_dut.inside_q);
      a_number : assert (!began_q || u_dut.next_row_q == number_q)
      else $error("row %0d", u_dut.next_row_q);
      a_last : assert (!began_q || u_dut.last_q == last_q)
      else $error("last %b", u_dut.last_q);
      // Between packets there is room if the requester has some; behind a first row only if it has
      // some besides that packet's.
      a_room : assert (room == (under_way_q ? more_i : room_i))
      else $error("room %b", room);
      // A row is taken if it begins a packet, or goes on with one of which all were taken; and if
      // there is room, and the connection neither begins nor ends.
      a_takes : assert (u_dut.u_ram.we_i == takes)
      else $error("takes %b", u_dut.u_ram.we_i);
      // It is written to the requester's place, row by row.
      a_place : assert (u_dut.u_ram.waddr_i[AtW+RowW-1:RowW] == place_i &&
                        (!(began_q || row_i.start) || u_dut.u_ram.waddr_i[RowW-1:0] == number))
      else $error("place %0d", u_dut.u_ram.waddr_i);
      // With its first row it is remembered what the packet is,
      a_kept : assert (u_dut.u_kept.we_i == (takes && row_i.start))
      else $error("kept %b", u_dut.u_kept.we_i);
      // and it is posted with its last one, by what its first one said.
      a_posts : assert (post == (takes && row_i.stop) &&
                        (!(began_q || row_i.start) ||
                         post_last == (row_i.start ? row_i.last : last_q)))
      else $error("posts %b", post);
    end
    // What is written is what comes, at the requester's place.
    a_written : assert (u_dut.u_kept.waddr_i == place_i && u_dut.u_ram.wdata_i == row_i.row &&
                        u_dut.u_kept.wdata_i == {row_cast_i, row_i.first, row_i.last, row_i.len})
    else $error("something else is written");
    // Packets and rows are read where the requester and the port say.
    a_read : assert ({u_dut.u_kept.re_i, u_dut.u_kept.raddr_i} == {kept_re_i, kept_at_i} &&
                     {u_dut.u_ram.re_i, u_dut.u_ram.raddr_i} ==
                     {row_re_i, row_at_i, row_number_i} && row == u_dut.u_ram.rdata_o)
    else $error("another row is read");
    // All words that are read count.
    a_used : assert (u_dut.u_kept.use_i && u_dut.u_ram.use_i)
    else $error("not used");
    // Whether a packet is the first or last one of its message comes as it was written,
    a_ends : assert ({kept.first, kept.last} == {says.first, says.last})
    else $error("kept %h", kept);
    // and so does its length, but for one that no packet has, where memories are looked at: that is
    // the longest one.
    a_length : assert (kept.len == ((Ecc != 0 && (says.len > 13'd256 || says.len < 13'd1)) ?
                                    13'd256 : says.len))
    else $error("%0d bytes", kept.len);
    // There only a message of one packet is multicast.
    a_cast : assert (kept.cast == (says.cast && (Ecc == 0 || (says.first && says.last))))
    else $error("cast %b", kept.cast);
    // What memories found is told a cycle later, a packet that was lost before a row.
    a_memory : assert (!past_q || {memory.corrected, memory.bad} ==
                       {found_q.corrected, found_q.bad})
    else $error("memory %b", memory);
    a_word : assert (!past_q || memory.word == found_q.word)
    else $error("word %h", memory.word);

    // A third row ends a packet; one is thrown away behind its first row.
    c_third : cover (known_q && post && !row_i.start && number_q == RowW'(2));
    c_lost : cover (known_q && under_way_q && row_i.valid && !row_i.start && !takes && !clear_i);
  end

endmodule
