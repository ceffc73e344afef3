// Turns the headers of a child device's packet round: its result goes back to the device that its
// contribution came from, on the virtual connection in the other direction (docs/relay.md). Records
// of workers pass as they are.
//
// Source and destination change places in Ethernet and IPv4; queue pair, PSN and INA header are the
// same both ways, and so is the IP checksum. Nothing of it is marked: marks are for hosts. Header
// records pass word by word, the last word first, two cycles late.
//
// Nobody waits. The words of a record come in cycles that follow each other.
module relay_turn
  import roce_pkg::*;
(
  input logic clk_i,
  input logic rst_ni,

  // A record, word by word; `turn_i`, the same for all its words: its sender is a device.
  input  logic                   turn_i,
  input  logic                   we_i,
  input  logic [HdrWordBits-1:0] word_i,
  output logic                   we_o,
  output logic [HdrWordBits-1:0] word_o
);

  localparam int unsigned Bytes = HdrWordBits / 8;
  typedef logic [Bytes-1:0][7:0] word_t;

  logic       we_q, turn_q, vlan_q, vlan;
  logic [2:0] at_q;        // of the word in `word_q`
  word_t      word_q, turned;
  logic [3:0][7:0] next, before_q;   // first bytes of the next word, last ones of the one before

  assign next = word_i[31:0];
  assign vlan = (at_q == 3'd0) ? {word_q[12], word_q[13]} == 16'h8100 : vlan_q;

  hdr_meta_t meta;   // in the last bytes of the last word

  always_comb begin
    turned    = word_q;
    meta      = word_q[Bytes-1-:HdrMetaBits/8];
    meta.mark = 1'b0;
    unique case (at_q)
      3'd0: begin   // Ethernet: bytes 0 to 5 and 6 to 11
        turned[5:0]  = word_q[11:6];
        turned[11:6] = word_q[5:0];
      end
      3'd1: begin
        if (vlan) begin   // IPv4: bytes 30 to 33 and 34 to 37
          turned[15:14] = next[3:2];
        end else begin    // 26 to 29 and 30 to 33
          turned[11:10] = word_q[15:14];
          turned[13:12] = next[1:0];
          turned[15:14] = word_q[11:10];
        end
      end
      3'd2: begin
        if (vlan) begin
          turned[1:0] = word_q[5:4];
          turned[3:2] = before_q[3:2];
          turned[5:4] = word_q[1:0];
        end else begin
          turned[1:0] = before_q[1:0];
        end
      end
      3'(HdrWords - 1): turned[Bytes-1-:HdrMetaBits/8] = meta;
      default: turned = word_q;
    endcase
  end

  always_ff @(posedge clk_i) begin
    we_q   <= we_i;
    we_o   <= we_q;
    word_o <= turn_q ? turned : word_q;
    if (we_i) begin
      word_q <= word_i;
      turn_q <= turn_i;
    end
    if (we_q) begin
      before_q <= word_q[15:12];
      vlan_q   <= vlan;
      at_q     <= at_q + 3'd1;
    end
    if (!rst_ni) begin
      we_q <= 1'b0;
      we_o <= 1'b0;
      at_q <= 3'(HdrWords - 1);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A word looks at the next one of its record; with a gap it would get another one's address.
      a_no_gap : assert (!we_q || we_i || at_q == 3'(HdrWords - 2))
      else $error("%m: word %0d of a record is not followed by the next one", at_q);
    end
  end

endmodule
