-- Wireshark dissector of the aggregation header, which begins each message between hosts and nodes of an aggregation tree (SHARP).
--
-- Put it into the folder of personal Lua plugins (Help > About > Folders), or: tshark -X lua_script:tools/dissect/weir_tree.lua -r FILE
-- Filter with `aggtree`, `aggtree.verdict != 0`, `aggtree.group == 5`, .. Layout: docs/wire.md. Packets in the middle of a message have no header.

local TAG = 0x54726565
local HEADER_BYTES = 32
local UP, DOWN, TEARDOWN = 1, 2, 3
local LOCK, UNLIMITED = 4, 0xFFFFFFFF
-- SEND first, only, only with immediate; WRITE likewise; UD SEND only, by which results are multicast.
local OPENS = { [0x00] = true, [0x04] = true, [0x05] = true, [0x06] = true, [0x0A] = true, [0x0B] = true, [0x64] = true }

local aggtree = Proto("aggtree", "Aggregation Tree")
local kinds = { [UP] = "contribution", [DOWN] = "result", [TEARDOWN] = "teardown" }
local operations = { [0] = "barrier", "all-reduce", "reduce", "broadcast", "lock", "unlock" }
local types = { [0] = "FP32", "FP16", "BF16", "INT32" }
local reductions = { [0] = "sum", "min", "max" }
local verdicts = { [0] = "ok", "lock failed", "denied", "no resource", "no tree", "time-out", "lost" }

local f = aggtree.fields
f.kind = ProtoField.uint8("aggtree.kind", "Kind", base.DEC, kinds)
f.operation = ProtoField.uint8("aggtree.operation", "Operation", base.DEC, operations)
f.type = ProtoField.uint8("aggtree.type", "Element type", base.DEC, types, 0x0F)
f.reduction = ProtoField.uint8("aggtree.reduction", "Reduction", base.DEC, reductions, 0xF0)
f.carries = ProtoField.bool("aggtree.carries", "Vector follows", 8, nil, 0x01)
f.wants = ProtoField.bool("aggtree.wants", "Result is wanted", 8, nil, 0x02)
f.tree = ProtoField.uint16("aggtree.tree", "Tree")
f.group = ProtoField.uint16("aggtree.group", "Group")
f.sequence = ProtoField.uint32("aggtree.sequence", "Operation of the group")
f.length = ProtoField.uint32("aggtree.length", "Vector length")
f.count = ProtoField.uint32("aggtree.count", "Operations of a lock")
f.verdict = ProtoField.uint8("aggtree.verdict", "Verdict", base.DEC, verdicts)
f.port = ProtoField.uint8("aggtree.port", "Port to blame")
f.node = ProtoField.uint16("aggtree.node", "Node that said so")
f.holder_tree = ProtoField.uint16("aggtree.holder.tree", "Holder's tree")
f.holder_group = ProtoField.uint16("aggtree.holder.group", "Holder's group")

local bad_code = ProtoExpert.new("aggtree.bad.code", "A code that is none", expert.group.PROTOCOL, expert.severity.WARN)
local bad_end = ProtoExpert.new("aggtree.bad.end", "Not ok", expert.group.RESPONSE_CODE, expert.severity.NOTE)
aggtree.experts = { bad_code, bad_end }

local bth_opcode = Field.new("infiniband.bth.opcode")

local function summary_of(buffer)
  local kind, operation, verdict = buffer(4, 1):uint(), buffer(5, 1):uint(), buffer(24, 1):uint()
  local words = { kinds[kind] or "?" }
  if kind ~= TEARDOWN then words[#words + 1] = operations[operation] or "?" end
  words[#words + 1] = string.format("tree %d", buffer(8, 2):uint())
  if kind ~= TEARDOWN then words[#words + 1] = string.format("group %d #%d", buffer(10, 2):uint(), buffer(12, 4):uint()) end
  if buffer(16, 4):uint() > 0 then words[#words + 1] = string.format("%u bytes", buffer(16, 4):uint()) end
  if operation == LOCK and verdict == 0 then
    local count = buffer(20, 4):uint()
    words[#words + 1] = count == 0 and "without end" or string.format("for %u", count)
  end
  if verdict ~= 0 then words[#words + 1] = verdicts[verdict] or "?" end
  return table.concat(words, ", ")
end

function aggtree.dissector(buffer, packet, root)
  local summary = summary_of(buffer)
  local tree = root:add(aggtree, buffer(0, HEADER_BYTES), "Aggregation Tree: " .. summary)
  local kind = tree:add(f.kind, buffer(4, 1))
  local operation = tree:add(f.operation, buffer(5, 1))
  tree:add(f.type, buffer(6, 1))
  tree:add(f.reduction, buffer(6, 1))
  tree:add(f.carries, buffer(7, 1))
  tree:add(f.wants, buffer(7, 1))
  tree:add(f.tree, buffer(8, 2))
  tree:add(f.group, buffer(10, 2))
  tree:add(f.sequence, buffer(12, 4))
  tree:add(f.length, buffer(16, 4))
  local count = tree:add(f.count, buffer(20, 4))
  if buffer(20, 4):uint() == UNLIMITED then count:append_text(" (without end)") end
  local verdict = tree:add(f.verdict, buffer(24, 1))
  tree:add(f.port, buffer(25, 1))
  tree:add(f.node, buffer(26, 2))
  tree:add(f.holder_tree, buffer(28, 2))
  tree:add(f.holder_group, buffer(30, 2))
  if not kinds[buffer(4, 1):uint()] then kind:add_proto_expert_info(bad_code) end
  if not operations[buffer(5, 1):uint()] then operation:add_proto_expert_info(bad_code) end
  if not verdicts[buffer(24, 1):uint()] then
    verdict:add_proto_expert_info(bad_code)
  elseif buffer(24, 1):uint() ~= 0 then
    verdict:add_proto_expert_info(bad_end)
  end
  packet.cols.protocol = "AGGTREE"
  packet.cols.info:append(" " .. summary)
  return buffer:len()
end

-- Wireshark asks for each payload behind BTH and its extension headers whether it is ours.
aggtree:register_heuristic("infiniband.payload", function(buffer, packet, root)
  local opcode = bth_opcode()
  if not opcode or not OPENS[opcode.value] or buffer:len() < HEADER_BYTES or buffer(0, 4):uint() ~= TAG then return false end
  aggtree.dissector(buffer, packet, root)
  return true
end)
