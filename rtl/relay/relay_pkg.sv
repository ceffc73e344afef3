// What the devices of a tree know of each other, and what a relay does with a header record
// (docs/relay.md).
package relay_pkg;
  // A package serves many modules; none of them uses all of its constants.
  // verilator lint_off UNUSEDPARAM
  import roce_pkg::*;
  import agg_pkg::*;

  /// Upper byte of the queue pairs of virtual connections; below it stands the RingID.
  localparam logic [7:0] VirtualQpn = 8'h57;
  /// Upper bits of `kind` in the descriptor of a notification (roce_parse).
  localparam logic [1:0] NoteKind = 2'b10;

  /// This device.
  typedef struct packed {
    logic [47:0] mac;
    logic [31:0] ip;
  } relay_self_t;

  /// What this device is in a ring, and where the ring goes on from here. Neither of the first two:
  /// the rack's only device; `parent` alone: a leaf; `devices` alone: the root; both: between them.
  typedef struct packed {
    logic        parent;     // the ring has a parent, behind the last port
    logic        devices;    // children are devices, not workers
    logic [47:0] parent_mac;
    logic [31:0] parent_ip;
    logic [7:0]  child;      // which child of its parent this device is
    logic [7:0]  siblings;   // children of the parent
    logic [7:0]  first;      // of a leaf: the ring's rank of its first worker
    logic [7:0]  total;      // of a leaf: workers of the whole ring
  } relay_ring_t;

  /// A message of the connection that ends at a leaf's first worker.
  typedef struct packed {
    logic [31:0] msgid;
    logic [23:0] psn0;
    logic [15:0] msglen;
    logic [7:0]  kind;
  } relay_numbers_t;

  /// What a leaf knows of it.
  typedef struct packed {
    logic           first;   // headers of the first packet are kept
    logic           last;    // and those of the last one
    relay_numbers_t numbers;
  } relay_note_t;

  typedef enum logic [1:0] {
    EditNone = 2'd0,
    EditUp = 2'd1,       // headers of the virtual connection to the parent
    EditNote = 2'd2,     // the record's own headers, as a notification
    EditResult = 2'd3    // headers that notifications brought
  } relay_what_e;

  /// How the next header record leaves.
  typedef struct packed {
    relay_what_e      what;
    logic [PortW-1:0] port;
    logic [RingW-1:0] ring;
    logic [7:0]       rank;         // Note: in the whole ring
    logic [31:0]      msgid;
    logic [15:0]      msglen;
    logic [SlotW-1:0] offset;
    logic [7:0]       kind;
    logic [13:0]      tensor_len;
    logic [23:0]      psn;          // Result
    logic             last;         // Result: of a message of several packets
    logic [SlotW-1:0] kept;         // Result: place of the headers
  } relay_edit_t;

  // ---------------------------------------------------------------------------------------------
  // Between the filters of a device.

  /// The control plane registers a ring's row of the translation table. `error` with `ready`: the
  /// ring has another one, or all are other rings'.
  typedef struct packed {
    logic      valid;
    conn_set_t conn;
  } relay_set_req_t;
  typedef struct packed {
    logic ready;
    logic error;
  } relay_set_rsp_t;

  /// How long a message is: comes with the answer to its first packet.
  typedef struct packed {
    logic             valid;
    logic [SlotW-1:0] slot;
    logic [31:0]      msgid;
    logic [15:0]      msglen;
  } relay_head_t;

  /// Reads what notifications brought of a message; relay_note_t follows a cycle later.
  typedef struct packed {
    logic             valid;
    logic [SlotW-2:0] at;      // entry of relay_notes
  } relay_look_t;

  /// A read is on its way: what is to become of its header record.
  typedef struct packed {
    logic        valid;
    relay_edit_t edit;
  } relay_edit_req_t;

  /// A write into the bank of what notifications brought.
  typedef struct packed {
    logic        we;
    bank_write_t write;
  } relay_kept_t;

  /// What relay_notes is told and asked: a notification is committed, its headers are in their
  /// bank; and a read.
  typedef struct packed {
    commit_req_t kept;
    relay_look_t look;
  } relay_notes_t;

  /// What relay_take hears of messages: of one that begins, and the answer to a read.
  typedef struct packed {
    relay_head_t head;
    relay_note_t note;
  } relay_known_t;

  /// Slot state's answer to a take, with the column.
  typedef struct packed {
    taken_t  taken;
    column_t column;
  } relay_answer_t;

  /// What the filters say of themselves: pulses for the counters, and whether the device is a leaf
  /// of some ring.
  typedef struct packed {
    logic table_full;     // a notification was refused for want of a row
    logic bad_parent;     // a result of the parent was refused
    logic note_refused;   // a notification was refused
  } relay_ask_events_t;
  typedef struct packed {
    logic no_way;         // a column found no way up
    logic no_headers;     // a result was left out for want of headers
    logic note;           // a notification was sent
    logic up;             // a packet was sent to the parent
  } relay_take_events_t;
  typedef struct packed {
    logic              of_leaf;
    relay_ask_events_t events;
  } relay_ask_status_t;
  typedef struct packed {
    relay_ask_status_t  ask;
    relay_take_events_t takes;
  } relay_status_t;

  // ---------------------------------------------------------------------------------------------

  /// Which of its ring's entries a message has, by the low bits of its MsgID: there are two windows
  /// of them.
  function automatic logic [6:0] entry_of(logic [6:0] msgid, logic [2:0] window_log2);
    return msgid & 7'((8'd2 << window_log2) - 8'd1);
  endfunction

  // verilator lint_on UNUSEDPARAM
endpackage
