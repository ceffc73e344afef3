// What roce_out takes for granted of the beats that it is given: a condition that the proofs of
// both sides look at, one that takes it for granted and one that shows it.
module whole_handover
  import roce_pkg::*;
(
  input  logic  valid_i,
  input  beat_t beat_i,
  // A beat has 1 to BeatBytes bytes, and all of them unless it is the last.
  output logic  whole_o
);

  assign whole_o = !valid_i || (beat_i.bytes != '0 && beat_i.bytes <= BytesW'(BeatBytes) &&
      (beat_i.last || beat_i.bytes == BytesW'(BeatBytes)));

endmodule
