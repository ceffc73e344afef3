// Reads what names a frame's flow, from its first two beats (C twin: uplink_read).
//
// A frame that is neither IPv4 nor IPv6 is named by its MAC addresses and EtherType; IPv4 with
// options, and fragments, have no ports. What is behind a frame's end counts as zeros. Nobody
// waits.
module uplink_parse
  import shell_pkg::*;
  import uplink_pkg::*;
(
  input logic clk_i,
  input logic rst_ni,

  input logic   valid_i,   // beats of frames, from the first
  input bytes_t data_i,
  input keep_t  keep_i,
  input logic   last_i,

  // Of each frame, in order: three cycles after its second beat, or its only one.
  output logic  valid_o,
  output read_t read_o
);

  /// Bytes of the second beat that may be headers: tag, IPv6, UDP, BTH.
  localparam int unsigned SecondBytes = 14 + 4 + 40 + 8 + 12 - BeatBytes;
  /// From the IP header on.
  localparam int unsigned IpBytes = 40 + 8 + 12;
  localparam logic [15:0] RoceUdpPort = 16'd4791;
  localparam logic [7:0] Tcp = 8'd6;
  localparam logic [7:0] Udp = 8'd17;

  typedef enum logic [1:0] {
    First,
    Second,
    Later
  } at_e;

  at_e  at_q;
  logic done_q;
  logic [BeatBytes-1:0][7:0] first_q, masked;
  logic [SecondBytes-1:0][7:0] second_q;
  logic [SecondBytes+BeatBytes-1:0][7:0] head;

  always_comb begin
    for (int unsigned b = 0; b < BeatBytes; b++) masked[b] = keep_i[b] ? data_i[b] : '0;
  end

  always_ff @(posedge clk_i) begin
    done_q <= valid_i && (at_q == Second || (at_q == First && last_i));
    if (valid_i) begin
      at_q <= last_i ? First : (at_q == First) ? Second : Later;
      if (at_q == First) begin
        first_q  <= masked;
        second_q <= '0;
      end
      if (at_q == Second) second_q <= masked[SecondBytes-1:0];
    end
    if (!rst_ni) begin
      done_q <= 1'b0;
      at_q   <= First;
    end
  end
  assign head = {second_q, first_q};

  // ---------------------------------------------------------------------------------------------
  // Where the IP header is.

  logic ip_q;
  logic [11:0][7:0] macs_q;
  logic [15:0] type_q;
  logic [IpBytes-1:0][7:0] ip;
  logic has_tag;

  assign has_tag = {head[12], head[13]} == 16'h8100;

  always_ff @(posedge clk_i) begin
    ip_q <= done_q;
    if (done_q) begin
      macs_q <= head[11:0];
      type_q <= has_tag ? {head[16], head[17]} : {head[12], head[13]};
      ip     <= has_tag ? head[18+:IpBytes] : head[14+:IpBytes];
    end
    if (!rst_ni) ip_q <= 1'b0;
  end

  // ---------------------------------------------------------------------------------------------
  // What is in it.

  function automatic logic [127:0] be128(logic [IpBytes-1:0][7:0] bytes, int unsigned at);
    for (int unsigned b = 0; b < 16; b++) be128[8*(15-b)+:8] = bytes[at+b];
  endfunction

  function automatic logic [47:0] be48(logic [11:0][7:0] bytes, int unsigned at);
    for (int unsigned b = 0; b < 6; b++) be48[8*(5-b)+:8] = bytes[at+b];
  endfunction

  logic v4, v6, ports, roce;
  logic [7:0] proto;
  // verilator lint_off UNUSEDSIGNAL
  logic [19:0][7:0] udp;
  // verilator lint_on UNUSEDSIGNAL

  assign v4    = type_q == 16'h0800 && ip[0][7:4] == 4'd4;
  assign v6    = type_q == 16'h86DD && ip[0][7:4] == 4'd6;
  assign proto = v4 ? ip[9] : ip[6];
  assign udp   = v4 ? ip[20+:20] : ip[40+:20];
  assign ports = (proto == Udp || proto == Tcp) &&
      (v6 || (v4 && ip[0][3:0] == 4'd5 && {ip[6][5:0], ip[7]} == '0));
  assign roce  = ports && proto == Udp && {udp[2], udp[3]} == RoceUdpPort;

  always_ff @(posedge clk_i) begin
    valid_o <= ip_q;
    if (ip_q) begin
      read_o <= '0;
      if (v4) begin
        read_o.key.src <= {80'd0, 16'hFFFF, ip[12], ip[13], ip[14], ip[15]};
        read_o.key.dst <= {80'd0, 16'hFFFF, ip[16], ip[17], ip[18], ip[19]};
      end else if (v6) begin
        read_o.key.src <= be128(ip, 8);
        read_o.key.dst <= be128(ip, 24);
      end else begin
        read_o.key.src   <= 128'(be48(macs_q, 6));
        read_o.key.dst   <= 128'(be48(macs_q, 0));
        read_o.key.dport <= type_q;
      end
      if (v4 || v6) read_o.key.proto <= proto;
      if (ports) begin
        read_o.key.sport <= {udp[0], udp[1]};
        read_o.key.dport <= {udp[2], udp[3]};
      end
      if (roce) begin
        read_o.roce    <= 1'b1;
        read_o.opcode  <= udp[8];
        read_o.key.qpn <= {udp[13], udp[14], udp[15]};
        read_o.psn     <= {udp[17], udp[18], udp[19]};
      end
    end
    if (!rst_ni) valid_o <= 1'b0;
  end

endmodule
