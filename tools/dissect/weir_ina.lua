-- Wireshark dissector of the INA header: the 16 bytes in front of each message that a network device is to reduce.
--
-- Put it into the folder of personal Lua plugins (Help > About > Folders), or: tshark -X lua_script:tools/dissect/weir_ina.lua -r FILE
-- Filter with `ina`, `ina.ring == 1`, `ina.msgid == 5`, .. Layout: docs/wire.md.

local INA_TAG = 0x4E657452
local INA_BYTES = 16
local ELEMENT_BYTES = { [0] = 4, [1] = 2, [2] = 2, [3] = 4 }

-- BTH opcodes of RC packets that begin a message: SEND and WRITE, FIRST and ONLY. Only these carry the header; what looks
-- like it in the middle of a message is tensor.
local STARTS = {
  [0x00] = true, [0x04] = true, [0x05] = true, [0x17] = true, [0x06] = true, [0x0A] = true, [0x0B] = true,
}

local ina = Proto("ina", "In-Network Aggregation")
local types = { [0] = "FP32", [1] = "FP16", [2] = "BF16", [3] = "INT32" }
local ops = { [0] = "sum", [1] = "min", [2] = "max" }

local f = ina.fields
f.tag = ProtoField.uint32("ina.tag", "Tag", base.HEX)
f.ring = ProtoField.uint16("ina.ring", "RingID")
f.rank = ProtoField.uint8("ina.rank", "Rank of the sender")
f.kind = ProtoField.uint8("ina.kind", "Type and operation", base.HEX)
f.op = ProtoField.uint8("ina.op", "Operation", base.DEC, ops, 0xF0)
f.type = ProtoField.uint8("ina.type", "Type", base.DEC, types, 0x0F)
f.msgid = ProtoField.uint32("ina.msgid", "MsgID")
f.msglen = ProtoField.uint16("ina.msglen", "MsgLen (packets)")
f.epoch = ProtoField.uint8("ina.epoch", "Epoch of the device (0: not marked)")
f.workers = ProtoField.uint8("ina.workers", "Workers")
f.tensor = ProtoField.bytes("ina.tensor", "Tensor")

local bad_rank = ProtoExpert.new("ina.bad.rank", "Rank is not below Workers", expert.group.PROTOCOL, expert.severity.WARN)
local bad_kind = ProtoExpert.new("ina.bad.kind", "Unknown type or operation", expert.group.PROTOCOL, expert.severity.WARN)
local bad_length = ProtoExpert.new("ina.bad.msglen", "A message of no packets", expert.group.PROTOCOL, expert.severity.WARN)
local bad_tensor =
  ProtoExpert.new("ina.bad.tensor", "Tensor is no whole number of elements", expert.group.PROTOCOL, expert.severity.WARN)
ina.experts = { bad_rank, bad_kind, bad_length, bad_tensor }

local bth_opcode = Field.new("infiniband.bth.opcode")

function ina.dissector(buffer, packet, root)
  local ring, rank, kind = buffer(4, 2), buffer(6, 1), buffer(7, 1)
  local msgid, msglen, workers = buffer(8, 4), buffer(12, 2), buffer(15, 1)
  local op, element_type = kind:bitfield(0, 4), kind:bitfield(4, 4)
  local summary = string.format("ring %d, rank %d of %d, %s %s, message %d of %d packets", ring:uint(), rank:uint(),
    workers:uint(), types[element_type] or "?", ops[op] or "?", msgid:uint(), msglen:uint())

  local tree = root:add(ina, buffer(0, INA_BYTES), "In-Network Aggregation: " .. summary)
  tree:add(f.tag, buffer(0, 4))
  tree:add(f.ring, ring)
  local rank_item = tree:add(f.rank, rank)
  local kind_item = tree:add(f.kind, kind)
  kind_item:add(f.op, kind)
  kind_item:add(f.type, kind)
  tree:add(f.msgid, msgid)
  local length_item = tree:add(f.msglen, msglen)
  tree:add(f.epoch, buffer(14, 1))
  tree:add(f.workers, workers)

  if rank:uint() >= workers:uint() then rank_item:add_proto_expert_info(bad_rank) end
  if not types[element_type] or not ops[op] then kind_item:add_proto_expert_info(bad_kind) end
  if msglen:uint() == 0 then length_item:add_proto_expert_info(bad_length) end
  if buffer:len() > INA_BYTES then
    local tensor = buffer(INA_BYTES)
    local item = root:add(f.tensor, tensor)
    if ELEMENT_BYTES[element_type] and tensor:len() % ELEMENT_BYTES[element_type] ~= 0 then
      item:add_proto_expert_info(bad_tensor)
    end
  end
  packet.cols.protocol = "INA"
  packet.cols.info:append(" INA " .. summary)
  return buffer:len()
end

-- Wireshark asks for each payload behind BTH and its extension headers whether it is ours.
ina:register_heuristic("infiniband.payload", function(buffer, packet, root)
  local opcode = bth_opcode()
  if not opcode or not STARTS[opcode.value] then return false end
  if buffer:len() < INA_BYTES or buffer(0, 4):uint() ~= INA_TAG then return false end
  ina.dissector(buffer, packet, root)
  return true
end)
