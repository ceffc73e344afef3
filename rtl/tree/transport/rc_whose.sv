// Whose a frame is: its addresses, VLAN and queue pair beside those of each connection, in parts
// that meet a cycle later, behind a register of the user's.
//
// A module of its own, so that it is mapped to as few levels as it can have: what stands beside it
// has more.
module rc_whose
  import roce_pkg::*;
#(
  /// Connections, 1 or more.
  parameter int unsigned NumConns = 2,
  /// A key is compared in so many parts.
  parameter int unsigned Parts = 4
) (
  input conn_key_t                key_i,   // a frame's
  input conn_key_t [NumConns-1:0] in_i,   // those of the connections

  output logic [NumConns-1:0][Parts-1:0] mine_o   // parts that are the same
);

  localparam int unsigned PartBits = ($bits(conn_key_t) + Parts - 1) / Parts;

  logic [Parts*PartBits-1:0] differs;

  always_comb begin
    differs = '0;
    for (int unsigned c = 0; c < NumConns; c++) begin
      differs = (Parts * PartBits)'(key_i) ^ (Parts * PartBits)'(in_i[c]);
      for (int unsigned p = 0; p < Parts; p++) mine_o[c][p] = differs[PartBits*p+:PartBits] == '0;
    end
  end

endmodule
