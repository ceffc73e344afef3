// Whether a port's current frame moves a beat in this cycle, and whether its last one.
//
// A module of its own so that synthesis keeps it shallow: behind the last beat the next frame
// becomes the current one in the same cycle, and its fate is counted.
module agg_port_beat (
  input logic current_i,      // there is a current frame
  input logic started_i,      // nothing can stop it any more
  input logic passes_i,       // its beats go to the output
  input logic pass_ready_i,
  input logic beat_valid_i,   // a beat is shown, the frame's last one
  input logic beat_last_i,

  output logic beat_ready_o,
  output logic beat_fire_o,
  output logic last_fire_o,
  // The next frame may become the current one.
  output logic next_o
);

  assign beat_ready_o = started_i && (!passes_i || pass_ready_i);
  assign beat_fire_o  = beat_valid_i && beat_ready_o;
  assign last_fire_o  = beat_fire_o && beat_last_i;
  assign next_o       = !current_i || last_fire_o;

endmodule
