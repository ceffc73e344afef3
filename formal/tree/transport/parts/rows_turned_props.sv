// rc_align: the rows of any frame's payload are its bytes, from the one behind its headers on, and
// come at their time, with the first and the last one told.
module rows_turned_props
  import roce_pkg::*;
  import rc_port_pkg::*;
(
  input logic                clk_i,
  input logic                rst_ni,
  input logic                valid_i,
  input logic                first_i,
  input logic                last_i,
  input logic                second_i,
  input logic [3:0]          word_i,
  input logic [BeatBits-1:0] data_i
);

  rc_came_t came;
  logic     begun_q, rst_n, known_q, valid;

  // The first beat of all begins a frame.
  assign valid = valid_i && (known_q || first_i);

  // The first cycle is one of reset.
  assign rst_n = rst_ni && begun_q;
  initial begun_q = 1'b0;
  always_ff @(posedge clk_i) begun_q <= 1'b1;

  rc_align u_dut (
    .clk_i,
    .rst_ni(rst_n),
    .valid_i(valid),
    .first_i,
    .last_i,
    .second_i,
    .word_i,
    .data_i,
    .came_o(came)
  );

  // A beat: whether payload is in it, and begins in it; where it begins in the first such beat.
  typedef struct packed {
    logic                valid, last, payload, begins;
    logic [3:0]          word;
  } beat_t;
  beat_t now, ago1_q, ago2_q, before_q;   // now, one and two cycles ago; and the one before that
  logic  headers_q;   // the beat before was nothing but headers
  logic  held_q;      // there was one in front of the one two cycles ago

  always_comb begin
    now = '{valid: valid, last: last_i, payload: 1'b1, begins: headers_q, word: word_i};
    if (first_i) now.begins = !second_i;
    if (first_i && second_i) now.payload = 1'b0;
  end

  // A row is completed by the second beat with payload and all behind it. What the last one leaves
  // over is one more, a cycle later.
  logic completes, over, over_q, ended_q, fresh_q, opens, opened_q;   // a frame has begun
  assign completes = ago2_q.valid && ago2_q.payload && !ago2_q.begins;
  assign over      = ago2_q.valid && ago2_q.payload && ago2_q.last;
  assign opens     = ago2_q.valid && ago2_q.begins;

  // What is to come: a row, the first one, the end of a frame; and of the row so many bytes.
  typedef struct packed {
    logic                valid, start, stop;
    logic                whole;    // all bytes of it; else those of the last beat
    logic                known;    // that and those in front of it were there
    logic                opened;   // so was the beginning of the frame
    logic                same;     // both beats say that payload begins at the same place
    logic [3:0]          word;
    logic [BeatBits-1:0] data;
  } row_t;
  row_t row_q;
  logic [BeatBits-1:0] counts;   // bits that do
  always_comb begin
    for (int unsigned i = 0; i < 32; i++) begin
      counts[16*i+:16] = (row_q.whole || i + 2 * 32'(row_q.word) < 31) ? '1 : '0;
    end
  end

  // A beat that is turned so that the byte in which payload begins is its first one: by as many
  // times four words, words, and half a word.
  function automatic logic [BeatBits-1:0] by_fours(logic [BeatBits-1:0] data, logic [1:0] times);
    case (times)
      2'd0: by_fours = data;
      2'd1: by_fours = {data[127:0], data[511:128]};
      2'd2: by_fours = {data[255:0], data[511:256]};
      default: by_fours = {data[383:0], data[511:384]};
    endcase
  endfunction
  function automatic logic [BeatBits-1:0] by_words(logic [BeatBits-1:0] data, logic [1:0] times);
    case (times)
      2'd0: by_words = {data[15:0], data[511:16]};
      2'd1: by_words = {data[47:0], data[511:48]};
      2'd2: by_words = {data[79:0], data[511:80]};
      default: by_words = {data[111:0], data[511:112]};
    endcase
  endfunction

  // The beats of one and two cycles ago, as far as they are turned, and the one before.
  logic [BeatBits-1:0] turned1_q, turned2_q, before_turned_q;
  always_ff @(posedge clk_i) begin
    turned1_q <= by_fours(data_i, word_i[3:2]);
    turned2_q <= by_words(turned1_q, ago1_q.word[1:0]);
    if (ago2_q.valid) before_turned_q <= turned2_q;
  end

  logic [BeatBits-1:0] joined;
  // What a beat leaves over, and behind that the beginning of the next one.
  always_comb begin
    for (int unsigned i = 0; i < 32; i++) begin
      joined[16*i+:16] = turned2_q[16*i+:16];
      if (i + 2 * 32'(before_q.word) < 31) joined[16*i+:16] = before_turned_q[16*i+:16];
    end
  end

  initial {known_q, opened_q, held_q, ago1_q, ago2_q, over_q, ended_q, row_q} = '0;
  always_ff @(posedge clk_i) begin
    ago1_q <= now;
    ago2_q <= ago1_q;
    if (ago2_q.valid) {held_q, before_q} <= {1'b1, ago2_q};
    if (valid) {known_q, headers_q} <= {1'b1, first_i && second_i};
    over_q  <= over;
    ended_q <= ago2_q.valid && ago2_q.last;
    if (opens) {opened_q, fresh_q} <= 2'b11;
    else if (completes || over_q) fresh_q <= 1'b0;
    row_q <= '{valid: completes || over_q, start: (completes || over_q) && fresh_q, stop: ended_q,
               whole: completes, known: held_q, opened: opened_q,
               same: before_q.word == ago2_q.word, word: before_q.word,
               data: joined};
    if (!rst_n) begin
      {ago1_q.valid, ago2_q.valid, over_q, ended_q, row_q.valid, row_q.stop} <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (begun_q) begin
      // A row comes three cycles behind the beat that completes it, and what is left over in the
      // cycle behind the last one's.
      a_comes : assert (came.valid == row_q.valid)
      else $error("row %b", came.valid);
      // A frame's first row says so, and its end is told whether it has payload or not.
      a_start : assert (!row_q.valid || !row_q.opened || came.start == row_q.start)
      else $error("start %b", came.start);
      a_stop : assert (came.stop == row_q.stop)
      else $error("stop %b", came.stop);
      // It is what the beat before left over, and behind that the beginning of this one.
      a_row : assert (!row_q.valid || !row_q.known || (row_q.whole && !row_q.same) ||
                      ((came.row ^ row_q.data) & counts) == '0)
      else $error("%h", came.row);

      // These help the proof: a beat at each step.
      a_known : assert ((known_q || !(ago1_q.valid || ago2_q.valid || held_q)) &&
                        (!known_q || u_dut.behind_q == !headers_q))
      else $error("behind %b", u_dut.behind_q);
      a_held : assert (u_dut.flush_row_q == over_q && u_dut.flush_q == ended_q &&
          (!opened_q || u_dut.started_q == !fresh_q) && (!held_q ||
          (u_dut.previous_q == before_turned_q &&
           u_dut.earlier_q == 32'hFFFF_FFFF >> {before_q.word, 1'b1})))
      else $error("row %b", over_q);
      a_first : assert (u_dut.coarse_is_q.valid == ago1_q.valid && (!ago1_q.valid ||
          ({u_dut.coarse_is_q.last, u_dut.coarse_is_q.payload, u_dut.coarse_is_q.begins,
            u_dut.coarse_is_q.word, u_dut.coarse_q} ==
           {ago1_q.last, ago1_q.payload, ago1_q.begins, ago1_q.word, turned1_q})))
      else $error("beat %b", ago1_q.valid);
      a_second : assert (u_dut.fine_is_q.valid == ago2_q.valid && (!ago2_q.valid ||
          ({u_dut.fine_is_q.last, u_dut.fine_is_q.payload, u_dut.fine_is_q.begins,
            u_dut.fine_is_q.word, u_dut.fine_q} ==
           {ago2_q.last, ago2_q.payload, ago2_q.begins, ago2_q.word, turned2_q})))
      else $error("beat %b", ago2_q.valid);

      // A row of three beats that begins in the third word; and a frame of one beat, with its end.
      c_three : cover (row_q.valid && row_q.known && row_q.whole && !row_q.start && row_q.opened &&
                       row_q.word == 4'd2);
      c_one : cover (row_q.valid && row_q.start && row_q.stop && row_q.known);
    end
  end

endmodule
