-- Wireshark dissector of gather packets: property requests (PRs) and their responses, many in one RoCEv2 UD packet (NetSparse 6.1).
--
-- Put it into the folder of personal Lua plugins (Help > About > Folders), or: tshark -X lua_script:tools/dissect/weir_gather.lua -r FILE
-- Filter with `gather`, `gather.type == 1`, `gather.idx == 5`, .. Layout: docs/wire.md.

local UD_SEND_ONLY = 0x64
local QPN = 0x4753
local CONCAT_BYTES = 14
local PR_BYTES = 18
local READ, RESPONSE = 1, 2

local gather = Proto("gather", "Sparse Gather")
local types = { [READ] = "read", [RESPONSE] = "response" }

local f = gather.fields
f.type = ProtoField.uint16("gather.type", "Type", base.DEC, types)
f.dest = ProtoField.uint32("gather.dest", "Destination node")
f.generation = ProtoField.uint16("gather.generation", "Generation")
f.len = ProtoField.uint16("gather.len", "Property length")
f.count = ProtoField.uint32("gather.count", "PRs")
f.pr = ProtoField.bytes("gather.pr", "PR")
f.src = ProtoField.uint32("gather.src", "Node that asked")
f.tid = ProtoField.uint16("gather.tid", "RIG unit")
f.idx = ProtoField.uint64("gather.idx", "Index")
f.id = ProtoField.uint32("gather.id", "Request ID", base.HEX)
f.property = ProtoField.bytes("gather.property", "Property")

local bad_type = ProtoExpert.new("gather.bad.type", "Neither read nor response", expert.group.PROTOCOL, expert.severity.WARN)
local bad_count = ProtoExpert.new("gather.bad.count", "No PRs", expert.group.PROTOCOL, expert.severity.WARN)
local bad_length =
  ProtoExpert.new("gather.bad.length", "Count of PRs and length disagree", expert.group.PROTOCOL, expert.severity.WARN)
gather.experts = { bad_type, bad_count, bad_length }

local bth_opcode = Field.new("infiniband.bth.opcode")
local bth_qpn = Field.new("infiniband.bth.destqp")
local bth_pad = Field.new("infiniband.bth.padcnt")

local function dissect_pr(tree, pr, len)
  local item = tree:add(f.pr, pr)
  item:set_text(string.format("PR: node %d, unit %d, index %s", pr(0, 4):uint(), pr(4, 2):uint(), tostring(pr(6, 8):uint64())))
  item:add(f.src, pr(0, 4))
  item:add(f.tid, pr(4, 2))
  item:add(f.idx, pr(6, 8))
  item:add(f.id, pr(14, 4))
  if len > 0 then item:add(f.property, pr(PR_BYTES, len)) end
end

function gather.dissector(buffer, packet, root)
  local kind, len, count = buffer(0, 2):uint(), buffer(8, 2):uint(), buffer(10, 4):uint()
  local summary = string.format("%d %s%s to node %d, properties of %d bytes", count, types[kind] or "?", count == 1 and "" or "s",
    buffer(2, 4):uint(), len)
  local tree = root:add(gather, buffer(), "Sparse Gather: " .. summary)
  local type_item = tree:add(f.type, buffer(0, 2))
  tree:add(f.dest, buffer(2, 4))
  tree:add(f.generation, buffer(6, 2))
  tree:add(f.len, buffer(8, 2))
  local count_item = tree:add(f.count, buffer(10, 4))

  packet.cols.protocol = "GATHER"
  packet.cols.info:append(" " .. summary)
  if not types[kind] then
    type_item:add_proto_expert_info(bad_type)
    return buffer:len()
  end
  local property = kind == RESPONSE and len or 0
  local size = PR_BYTES + property
  if count == 0 then
    count_item:add_proto_expert_info(bad_count)
  elseif buffer:len() ~= CONCAT_BYTES + count * size then
    count_item:add_proto_expert_info(bad_length)
  end
  local at = CONCAT_BYTES
  for _ = 1, count do
    if at + size > buffer:len() then break end
    dissect_pr(tree, buffer(at, size), property)
    at = at + size
  end
  return buffer:len()
end

-- Wireshark asks for each payload behind BTH and its extension headers whether it is ours. Pad bytes are at its end.
gather:register_heuristic("infiniband.payload", function(buffer, packet, root)
  local opcode, qpn, pad = bth_opcode(), bth_qpn(), bth_pad()
  if not opcode or opcode.value ~= UD_SEND_ONLY or not qpn or qpn.value ~= QPN then return false end
  local len = buffer:len() - (pad and pad.value or 0)
  if len < CONCAT_BYTES then return false end
  gather.dissector(buffer(0, len):tvb(), packet, root)
  return true
end)
