// Words of the proof of agg_port: what is written, and how long it may be.
package port_packet_pkg;
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_port_pkg::*;

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

  /// What the port keeps of a frame: what its header record says of it, but for who sent it.
  function automatic fetched_t kept_of(frame_desc_t one);
    kept_of                 = '0;
    kept_of.candidate       = one.candidate;
    kept_of.beats           = one.beats;
    kept_of.rows            = 8'(payload_rows(one.tensor_len));
    kept_of.meta.mark       = one.has_ina || one.has_imm;
    kept_of.meta.vlan       = one.vlan;
    kept_of.meta.v6         = one.key.v6;
    kept_of.meta.has_pad    = one.pad == 2'd2;
    kept_of.meta.hdr_len    = one.hdr_len;
    kept_of.meta.tensor_len = one.tensor_len;
    kept_of.meta.psn        = one.psn;
  endfunction

  /// What look-up gives a slot: a packet with a whole number of elements that its beats and a slot
  /// hold.
  function automatic logic sound(fetched_t one, int unsigned max_rows);
    sound = one.candidate && one.meta.hdr_len >= 7'd54 && one.meta.hdr_len <= 7'd114 &&
        one.meta.hdr_len[1:0] == 2'd2 && 32'(one.meta.tensor_len) <= 64 * max_rows &&
        !one.meta.tensor_len[0] && one.meta.has_pad == one.meta.tensor_len[1] &&
        32'(one.beats) <= max_beats(max_rows) && 32'(one.meta.hdr_len) +
            32'(one.meta.tensor_len) + (one.meta.has_pad ? 32'd6 : 32'd4) <= 64 * 32'(one.beats);
  endfunction
endpackage
