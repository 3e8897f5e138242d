#!/usr/bin/env python3
"""Writes the clusters of SMPI and ns-3 into a folder: platforms, hosts, and a table of the commands that measure them.

usage: clusters.py FOLDER
Each cluster has a variant for learning and one for testing, which differ in seed, size and parameters. The table has one line for each:
NAME SIMULATOR OPTIONS|OPTIONS OF THE PLAYER|PARAMETERS."""
import os, random, sys

KIB = 1024

class Draw:
    """Random parameters of a cluster: values differ by a part from their mean."""
    def __init__(self, seed):
        self.random = random.Random(seed)

    def near(self, mean, part):
        return mean * self.random.uniform(1 - part, 1 + part)

def overheads(draw, scale, part):
    """Properties of a host for SMPI: overheads of blocking and posted sends and of receives, seconds and seconds per byte."""
    def law(seconds, per_byte):
        return f"0:{draw.near(seconds * scale, part):.4g}:{draw.near(per_byte * scale, part):.4g}"
    return "".join(f'<prop id="smpi/{key}" value="{law(*value)}"/>'
                   for key, value in (("os", (2e-6, 6e-11)), ("ois", (1.5e-6, 5e-11)), ("or", (2.5e-6, 8e-11))))

class Platform:
    """A platform of SimGrid: hosts, directed links and a route for each pair of hosts."""
    def __init__(self, draw):
        self.draw, self.hosts, self.links, self.routes = draw, [], [], []

    def host(self, ranks, scale=1.0, part=0.1):
        name = f"h{len(self.hosts)}"
        speed = self.draw.near(1 / scale, part)
        self.hosts.append(f'<host id="{name}" speed="{speed:.4g}Gf" core="{ranks}">{overheads(self.draw, scale, part)}</host>')
        return name

    def link(self, name, rate, latency, part=0.0):
        self.links.append(f'<link id="{name}" bandwidth="{self.draw.near(rate, part):.6g}Bps" '
                          f'latency="{self.draw.near(latency, part):.4g}s"/>')
        return name

    def route(self, source, target, links):
        inner = "".join(f'<link_ctn id="{link}"/>' for link in links)
        self.routes.append(f'<route src="{source}" dst="{target}" symmetrical="NO">{inner}</route>')

    def text(self):
        return "\n".join(["<?xml version='1.0'?>", '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">',
                          '<platform version="4.1">', '<zone id="cluster" routing="Full">', *self.hosts, *self.links, *self.routes,
                          "</zone>", "</platform>", ""])

def switched(draw, groups, size, rate, latency, ranks=1, uplink=None, core=None, slow=(), slowdown=8, far=None, part=0.1, memory=6e9):
    """Hosts in groups on switches. `uplink` is the rate of a group's links to the others, `core` that of one link that all messages
    between groups cross in both directions, `far` the latency of the links between groups. Hosts of `slow` are slower in everything."""
    platform = Platform(draw)
    hosts = []
    for number in range(groups * size):
        factor = slowdown if number in slow else 1
        name = platform.host(ranks, scale=min(factor, 4), part=part)
        for port in ("out", "in"):
            platform.link(f"{port}-{name}", rate / factor, latency, part)
        if ranks > 1:
            platform.link(f"memory-{name}", memory, 3e-7, part)
            platform.route(name, name, [f"memory-{name}"])
        hosts.append(name)
    for group in range(groups):
        if uplink:
            for port in ("up", "down"):
                platform.link(f"{port}-{group}", uplink, far or latency, part)
    if core:
        platform.link("core", core, far or latency)
    for a, source in enumerate(hosts):
        for b, target in enumerate(hosts):
            if a == b:
                continue
            middle = []
            if a // size != b // size:
                middle += [f"up-{a // size}", f"down-{b // size}"] if uplink else []
                middle += ["core"] if core else []
            platform.route(source, target, [f"out-{source}", *middle, f"in-{target}"])
    return platform, hosts

def torus(draw, shape, rate, latency, part=0.1):
    """A torus: each host forwards messages of others along the shorter way of each dimension in turn."""
    platform = Platform(draw)
    total = 1
    for length in shape:
        total *= length
    hosts = [platform.host(1, part=part) for _ in range(total)]
    def position(number):
        place = []
        for length in shape:
            place.append(number % length)
            number //= length
        return place
    def number(place):
        result = 0
        for length, coordinate in zip(reversed(shape), reversed(place)):
            result = result * length + coordinate
        return result
    for a in range(total):
        for dimension in range(len(shape)):
            for step in (1, -1) if shape[dimension] > 2 else (1,):
                place = position(a)
                place[dimension] = (place[dimension] + step) % shape[dimension]
                platform.link(f"link-{a}-{number(place)}", rate, latency, part)
    for a in range(total):
        for b in range(total):
            if a == b:
                continue
            place, target, links = position(a), position(b), []
            for dimension, length in enumerate(shape):
                while place[dimension] != target[dimension]:
                    ahead = (target[dimension] - place[dimension]) % length
                    here = number(place)
                    place[dimension] = (place[dimension] + (1 if 2 * ahead <= length else -1)) % length
                    links.append(f"link-{here}-{number(place)}")
            platform.route(hosts[a], hosts[b], links)
    return platform, hosts

# Factors of rate and latency by size: those that SimGrid fitted to a cluster of Grid'5000 (its default), and none.
PLAIN = ["smpi/bw-factor:0:0.97", "smpi/lat-factor:0:1.0"]
GIGABIT, TEN = 125e6, 1.25e9
SIZES = "--sizes 4K,64K,256K"

def smpi_clusters(test):
    """The clusters of SMPI: name, seed, function of the random numbers, ranks of a host, eager limit, settings, options."""
    pick = lambda learn, other: other if test else learn
    return [
        ("flat", 11, lambda d: switched(d, 1, pick(12, 16), pick(GIGABIT, 3e8), pick(25e-6, 15e-6)), 1, 64, [], ""),
        ("tree2", 12, lambda d: switched(d, 4, pick(4, 6), TEN, 2e-6, uplink=pick(4, 6) / 2 * TEN), 1, 64, PLAIN, SIZES),
        ("tree4", 13, lambda d: switched(d, pick(3, 4), 8, pick(TEN, 2.5e9), 1.5e-6, uplink=8 / 4 * pick(TEN, 2.5e9), part=0.02), 1, 16,
         PLAIN, ""),
        ("torus", 14, lambda d: torus(d, pick((4, 4), (3, 4, 2)), pick(1e9, 1.5e9), 1e-6), 1, 16, PLAIN, SIZES),
        ("ranks2", 15, lambda d: switched(d, 1, pick(8, 12), pick(TEN, 6e8), 3e-6, ranks=2), 2, 64, [], ""),
        ("ranks4", 16, lambda d: switched(d, 1, pick(4, 6), pick(TEN, 2.5e9), 2e-6, ranks=4, part=0.02), 4, pick(16, 64), PLAIN, SIZES),
        ("slow", 17, lambda d: switched(d, 1, pick(10, 16), pick(GIGABIT, 4e8), 20e-6, slow=(pick(6, 11),)), 1, 64, [], ""),
        ("far", 18, lambda d: switched(d, 1, pick(12, 20), GIGABIT * pick(4, 2), pick(2e-4, 3e-4)), 1, 64,
         [f"network/TCP-gamma:{pick(512, 1024) * KIB}", *PLAIN], SIZES),
        ("backbone", 19, lambda d: switched(d, pick(12, 20), 1, GIGABIT, 20e-6, core=GIGABIT * pick(3, 4)), 1, pick(64, 16), [], ""),
        ("sites", 20, lambda d: switched(d, 2, pick(6, 9), pick(GIGABIT, 2.5e8), 15e-6, uplink=GIGABIT * pick(1.5, 2), far=2e-4), 1, 64, [],
         SIZES),
    ]

class Hosts:
    """Lines of a cluster of ns-3 with one group of hosts for each draw of rate and overheads."""
    def __init__(self, draw):
        self.draw, self.lines, self.names = draw, [], []

    def add(self, count, ranks, leaf, rate, latency, slowdown=1.0, part=0.1):
        for _ in range(count):
            self.lines.append(f"hosts 1 {ranks} {leaf} {self.draw.near(rate / slowdown, part):.6g} {self.draw.near(latency, part):.4g} "
                              f"{self.draw.near(slowdown, part):.4g}")
            self.names += [f"h{len(self.lines) - 1}"] * ranks
        return self

def leaves(draw, count, size, rate, latency, **others):
    hosts = Hosts(draw)
    for leaf in range(count):
        hosts.add(size, 1, leaf, rate, latency, **others)
    return hosts

def ns3_clusters(test):
    """The clusters of ns-3: name, seed, function of the random numbers, parameters (bytes, bits per second, seconds), options."""
    pick = lambda learn, other: other if test else learn
    fast = 10e9
    return [
        # Deep buffers, which hold what the windows allow: no losses.
        ("tcp-flat", 31, lambda d: Hosts(d).add(pick(12, 16), 1, 0, pick(1e9, 2.5e9), pick(8e-6, 5e-6)),
         {"buffer": 16 << 20, "window": 256 << 10, "eager": 65536}, SIZES),
        # Buffers that a gather of many hosts overflows; a lost tail waits for the timeout.
        ("tcp-incast", 32, lambda d: Hosts(d).add(pick(12, 18), 1, 0, 1e9, 8e-6),
         {"buffer": pick(96, 128) << 10, "window": 512 << 10, "eager": 65536, "rto": pick(0.2, 0.05), "tcp": "TcpNewReno"}, ""),
        # Two levels with 4:1, jumbo frames, buffers of a few hundred KiB.
        ("tcp-tree4", 33, lambda d: leaves(d, pick(2, 3), 8, fast, 1.5e-6),
         {"buffer": pick(512, 768) << 10, "window": 512 << 10, "uplink": 8 / 4 * fast, "mtu": 9000, "eager": pick(16384, 65536),
          "rto": 0.01, "send": 1.2e-6, "receive": 1.5e-6}, SIZES),
        # Several ranks on a host share its port and its memory.
        ("tcp-ranks2", 34, lambda d: Hosts(d).add(pick(6, 9), 2, 0, pick(1e9, 5e9), 6e-6),
         {"buffer": pick(256, 512) << 10, "window": 256 << 10, "eager": 65536, "rto": 0.05}, ""),
        # Frames are lost at random, and one host is slow.
        ("tcp-lossy", 35, lambda d: Hosts(d).add(pick(5, 8), 1, 0, 1e9, 10e-6).add(1, 1, 0, 1e9, 10e-6, slowdown=4.0)
         .add(pick(4, 5), 1, 0, 1e9, 10e-6),
         {"buffer": 2 << 20, "window": 256 << 10, "eager": 65536, "rto": 0.02, "loss": pick(2e-5, 1e-5)}, ""),
    ]

def main(folder):
    os.makedirs(folder, exist_ok=True)
    table = []
    for test in (False, True):
        for name, seed, build, ranks, eager, settings, options in smpi_clusters(test):
            variant = f"{name}-{'test' if test else 'learn'}"
            seed += 100 * test
            platform, hosts = build(Draw(seed))
            with open(os.path.join(folder, f"{variant}.xml"), "w") as out:
                out.write(platform.text())
            with open(os.path.join(folder, f"{variant}.hosts"), "w") as out:
                out.write("".join(f"{host}\n" * ranks for host in hosts))
            settings = [f"smpi/async-small-thresh:{eager * KIB}", f"smpi/send-is-detached-thresh:{eager * KIB}", *settings]
            noise = round(0.01 + 0.005 * (seed % 4), 3)
            size = 32 if eager > 32 else eager // 2
            table.append(f"{variant} smpi --seed {seed} --noise {noise} --size {size}K {options}"
                         f"|{' '.join('--cfg=' + one for one in settings)}|{' '.join(settings)}\n")
        for name, seed, build, parameters, options in ns3_clusters(test):
            variant = f"{name}-{'test' if test else 'learn'}"
            seed += 100 * test
            hosts = build(Draw(seed))
            # As Linux: an acknowledgement waits a fifth of the least timeout.
            parameters = {"seed": seed, "delayed-ack": parameters.get("rto", 0.2) / 5, **parameters}
            with open(os.path.join(folder, f"{variant}.cluster"), "w") as out:
                out.write("".join(f"{key} {value}\n" for key, value in parameters.items()) + "\n".join(hosts.lines) + "\n")
            with open(os.path.join(folder, f"{variant}.hosts"), "w") as out:
                out.write("".join(f"{name}\n" for name in hosts.names))
            size = "32K" if parameters["eager"] > 32 * KIB else "8K"
            text = " ".join(f"{key}:{value:g}" if key != "tcp" else f"{key}:{value}" for key, value in parameters.items())
            table.append(f"{variant} ns3 --seed {seed} --noise 0.01 --varies --size {size} --largest-block 64K {options}||{text}\n")
    with open(os.path.join(folder, "clusters"), "w") as out:
        out.writelines(table)

main(sys.argv[1])
