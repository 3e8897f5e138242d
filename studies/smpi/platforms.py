#!/usr/bin/env python3
"""Writes four platforms of SimGrid, and their host files, into a folder: heterogeneous.xml, one-slow.xml, backbone.xml, duplex.xml."""
import os, sys

def platform(hosts, shared=None, half_duplex=(), slow_in=()):
    """Hosts with (bandwidth in MB/s, group); `shared` is the bandwidth of a link between groups. Hosts of `half_duplex` have one link for
    both directions, in-ports of `slow_in` half the bandwidth."""
    text = "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n"
    text += '  <config><prop id="smpi/os" value="0:5e-6:1e-10"/><prop id="smpi/or" value="0:5e-6:1e-10"/></config>\n'
    text += '  <zone id="cluster" routing="Full">\n'
    for number, (bandwidth, _) in enumerate(hosts):
        text += f'    <host id="h{number}" speed="1Gf"/>\n'
        for port in ("out", "in"):
            rate = bandwidth / 2 if port == "in" and number in slow_in else bandwidth
            text += f'    <link id="{port}{number}" bandwidth="{rate}MBps" latency="20us"/>\n'
    if shared:
        text += "".join(f'    <link id="up{d}" bandwidth="{shared}MBps" latency="20us"/>\n' for d in (0, 1))
    for i, (_, a) in enumerate(hosts):
        for j, (_, b) in enumerate(hosts):
            if i != j:
                middle = f'<link_ctn id="up{int(a > b)}"/>' if a != b and shared else ""
                port = "out" if j in half_duplex else "in"
                text += f'    <route src="h{i}" dst="h{j}" symmetrical="NO"><link_ctn id="out{i}"/>{middle}<link_ctn id="{port}{j}"/></route>\n'
    return text + "  </zone>\n</platform>\n"

PLATFORMS = {
    # Four fast and four slow hosts on two switches, joined by a link as fast as a fast host.
    "heterogeneous": platform([(125, 0)] * 4 + [(12.5, 1)] * 4, 125),
    # Sixteen hosts, one of them slow.
    "one-slow": platform([(125, 0)] * 7 + [(12.5, 0)] + [(125, 0)] * 8),
    # Two halves, joined by a link as fast as one host.
    "backbone": platform([(125, 0)] * 8 + [(125, 1)] * 8, 62.5),
    # Eight hosts, two half duplex and two that receive at half the rate.
    "duplex": platform([(100 + 5 * n, 0) for n in range(8)], half_duplex=(4, 5), slow_in=(6, 7)),
}
for name, text in PLATFORMS.items():
    open(os.path.join(sys.argv[1], f"{name}.xml"), "w").write(text)
    count = text.count("<host ")
    open(os.path.join(sys.argv[1], f"{name}.hosts"), "w").write("".join(f"h{n}\n" for n in range(count)))
