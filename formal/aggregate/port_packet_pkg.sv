// Words of the proof of agg_port: what is written, and how long it may be.
package port_packet_pkg;
  import roce_pkg::*;
  import agg_pkg::*;

  /// A packet with this fate goes to a bank.
  function automatic logic writes(fate_e one);
    writes = one == FateStored || one == FateDuplicate;
  endfunction

  /// Payload rows of so many bytes.
  function automatic logic [31:0] payload_rows(logic [13:0] bytes);
    payload_rows = (bytes == '0) ? 32'd1 : (32'(bytes) + 32'd63) / 32'd64;
  endfunction

  /// Beats of the longest packet that is written: headers, tensor, pad bytes, ICRC.
  function automatic int unsigned max_beats(int unsigned max_rows);
    max_beats = (114 + 64 * max_rows + 2 + 4 + 63) / 64;
  endfunction

  /// What look-up gives a slot: a packet with a whole number of elements that its beats and a slot
  /// hold.
  function automatic logic sound(frame_desc_t one, int unsigned max_rows);
    sound = one.candidate && one.hdr_len >= 7'd54 && one.hdr_len <= 7'd114 &&
        one.hdr_len[1:0] == 2'd2 && 32'(one.tensor_len) <= 64 * max_rows && !one.tensor_len[0] &&
        one.pad == {one.tensor_len[1], 1'b0} && 32'(one.beats) <= max_beats(max_rows) &&
        32'(one.hdr_len) + 32'(one.tensor_len) + 32'(one.pad) + 32'd4 <= 64 * 32'(one.beats);
  endfunction
endpackage
