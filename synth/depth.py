"""Logic depth of the whole device: every path from register to register, through all modules it crosses.

The mapped modules are put together on one set of net numbers, because most paths cross several of them.
"""
import dataclasses

NONE = -1


@dataclasses.dataclass
class Path:
    """A path, its levels, and in which kinds of modules it spends them."""
    levels: int
    start: str
    end: str
    shares: list  # (module, levels), in the order of the way

    def __str__(self):
        return f"{self.start} -> {self.end}: " + ", ".join(f"{module} {levels}" for module, levels in self.shares)


class Device:
    """All instances below a top, joined."""

    def __init__(self, top, graphs):
        self.graphs, self.top = graphs, top
        self.nets = 0
        self.arcs = []       # (to, from, levels, instance)
        self.starts, self.ends = {}, {}  # net: (instance, name)
        self.instances = []  # (path, kind)
        self.top_nets = self.place(top, "", {})
        self.order()

    def place(self, kind, path, given):
        """Puts an instance in; `given` has the nets of its ports. Returns its net numbers."""
        graph, mine = self.graphs[kind], dict(given)
        instance = len(self.instances)
        self.instances.append((path, kind))

        def net(bit):
            if bit not in mine:
                mine[bit] = self.nets
                self.nets += 1
            return mine[bit]

        self.arcs += [(net(to), net(source), levels, instance) for to, source, levels in graph.arcs]
        self.starts.update((net(bit), (instance, graph.names.get(bit, "a memory"))) for bit in graph.starts)
        for bit, name in graph.ends.items():
            self.ends.setdefault(net(bit), (instance, name))
        for name, child, ports in graph.children:
            below = {}
            # Inputs first: an output that is an input or another output led on is a net of its own outside.
            for port in sorted(ports, key=lambda p, c=child: p not in self.graphs[c].input_ports):
                for inner, outer in zip(self.graphs[child].ports[port], ports[port]):
                    if not isinstance(outer, int) or not isinstance(inner, int):
                        continue
                    if below.setdefault(inner, net(outer)) != net(outer):
                        self.arcs.append((net(outer), below[inner], 0, instance))
            self.place(child, f"{path}.{name}" if path else name, below)
        return mine

    def order(self):
        """Sorts the arcs so that each comes behind those it continues."""
        into, out, waits = {}, {}, {}
        for arc in self.arcs:
            into.setdefault(arc[0], []).append(arc)
            out.setdefault(arc[1], []).append(arc)
            waits[arc[0]] = waits.get(arc[0], 0) + 1
        ready = [source for source in out if source not in waits]
        self.sorted = []
        while ready:
            source = ready.pop()
            for arc in out.get(source, ()):
                self.sorted.append(arc)
                waits[arc[0]] -= 1
                if waits[arc[0]] == 0:
                    ready.append(arc[0])
        if len(self.sorted) != len(self.arcs):
            stuck = {self.instances[arc[3]][0] for arc in self.arcs if waits[arc[0]] > 0}
            raise ValueError(f"a combinational loop in {', '.join(sorted(stuck)[:5])}")
        self.into, self.out = into, out

    def label(self, known):
        """The name of a register with its instance path."""
        path = self.instances[known[0]][0]
        return f"{path}.{known[1]}" if path else known[1]

    def depths(self, starts, ends):
        """Deepest way from any of `starts` to each net, and from each net to any of `ends`; NONE where there is none."""
        before, behind = [NONE] * self.nets, [NONE] * self.nets
        for net in starts:
            before[net] = 0
        for net in ends:
            behind[net] = 0
        for to, source, levels, _ in self.sorted:
            if before[source] != NONE and before[source] + levels > before[to]:
                before[to] = before[source] + levels
        for to, source, levels, _ in reversed(self.sorted):
            if behind[to] != NONE and behind[to] + levels > behind[source]:
                behind[source] = behind[to] + levels
        return before, behind

    def path(self, arc, before, behind):
        """The deepest path through an arc."""
        to, source, levels, instance = arc
        steps = [(instance, levels)]
        while True:
            found = next((a for a in self.into.get(source, ()) if before[a[1]] != NONE and before[a[1]] + a[2] == before[source]),
                         None) if before[source] > 0 or source not in self.starts else None
            if found is None:
                break
            steps.insert(0, (found[3], found[2]))
            source = found[1]
        while True:
            found = next((a for a in self.out.get(to, ()) if behind[a[0]] != NONE and behind[a[0]] + a[2] == behind[to]),
                         None) if behind[to] > 0 or to not in self.ends else None
            if found is None:
                break
            steps.append((found[3], found[2]))
            to = found[0]
        shares = []
        for at, count in steps:
            module = self.instances[at][1].split(".")[0]
            if shares and shares[-1][0] == module:
                shares[-1] = (module, shares[-1][1] + count)
            else:
                shares.append((module, count))
        return Path(sum(count for _, count in steps), self.label(self.starts[source]), self.label(self.ends[to]), [s for s in shares if s[1] > 0])

    def deepest(self):
        """For each kind of module with logic of its own, the deepest path from register to register through that logic."""
        before, behind = self.depths(self.starts, self.ends)
        best = {}
        for arc in self.sorted:
            to, source, levels, instance = arc
            if before[source] != NONE and behind[to] != NONE:
                kind, through = self.instances[instance][1], before[source] + levels + behind[to]
                if kind not in best or through > best[kind][0]:
                    best[kind] = (through, arc)
        return {kind: self.path(arc, before, behind) for kind, (_, arc) in best.items()}

    def deepest_within(self, module, register=""):
        """The deepest path that begins and ends in registers of `module` or below it; or in those of its own register `register` alone."""
        roots = tuple(path + "." for path, kind in self.instances if kind.split(".")[0] == module)
        inside = [(self.instances[at][0] + ".").startswith(roots) for at in range(len(self.instances))]
        counts = lambda known: inside[known[0]] and (not register or f".{register}[" in self.label(known))
        before, behind = self.depths([net for net, known in self.starts.items() if counts(known)],
                                     [net for net, known in self.ends.items() if counts(known)])
        arcs = [arc for arc in self.sorted if before[arc[1]] != NONE and behind[arc[0]] != NONE]
        return self.path(max(arcs, key=lambda a: before[a[1]] + a[2] + behind[a[0]]), before, behind) if arcs else None

    def at_ports(self):
        """Deepest levels from the top's inputs to a register, and from a register to its outputs."""
        graph = self.graphs[self.top]
        inputs = [self.top_nets[bit] for bit in graph.inputs if bit in self.top_nets]
        outputs = [self.top_nets[bit] for bit in graph.outputs if bit in self.top_nets]
        arriving, _ = self.depths(inputs, self.ends)
        leaving, _ = self.depths(self.starts, outputs)
        return max((arriving[net] for net in self.ends), default=0), max((leaving[net] for net in outputs), default=0)
