"""Installs slot flows with os-ken's classes over a blocking socket, in bundles; prints the seconds it took.

usage: install.py SOCKET FLOWS PER_BUNDLE

Only os-ken's messages are used, not its event loop, and importing it isn't counted: both would cost it more.
"""

import socket
import struct
import sys
import threading
import time

from os_ken.ofproto import ofproto_protocol, ofproto_v1_5

path, count, per_bundle = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
datapath = ofproto_protocol.ProtocolDesc(version=ofproto_v1_5.OFP_VERSION)
ofp, parser = datapath.ofproto, datapath.ofproto_parser

connection = socket.socket(socket.AF_UNIX)
connection.connect(path)
committed = threading.Semaphore(0)
failures = []


def receive():
    """Counts commit replies; reads always, as the switch stops where replies stay unread."""
    pending = b''
    while True:
        data = connection.recv(65536)
        if not data:
            return
        pending += data
        while len(pending) >= 8:
            _, kind, length, xid = struct.unpack_from('!BBHI', pending)
            if len(pending) < length:
                break
            message, pending = pending[:length], pending[length:]
            if kind == ofp.OFPT_ERROR:
                failures.append(message.hex())
                committed.release()
            elif kind == ofp.OFPT_BUNDLE_CONTROL:
                control = struct.unpack_from('!IH', message, 8)[1]
                if control == ofp.OFPBCT_COMMIT_REPLY:
                    committed.release()


def send(message, xid, buffer):
    message.xid = xid
    message.serialize()
    buffer += message.buf


connection.sendall(struct.pack('!BBHIHHI', ofp.OFP_VERSION, 0, 16, 1, 1, 8, 1 << ofp.OFP_VERSION))
threading.Thread(target=receive, daemon=True).start()

begin = time.perf_counter()
flags = ofp.OFPBF_ATOMIC | ofp.OFPBF_ORDERED
xid = 1
bundles = 0
for first in range(0, count, per_bundle):
    bundles += 1
    buffer = bytearray()
    xid += 1
    send(parser.OFPBundleCtrlMsg(datapath, bundles, ofp.OFPBCT_OPEN_REQUEST, flags, []), xid, buffer)
    for slot in range(first, min(first + per_bundle, count)):
        actions = [parser.OFPActionSetField(reg2=slot % 16 + 1)]
        instructions = [
            parser.OFPInstructionActions(ofp.OFPIT_APPLY_ACTIONS, actions),
            parser.OFPInstructionGotoTable(12),
        ]
        xid += 1
        flow = parser.OFPFlowMod(
            datapath, cookie=slot, table_id=11, priority=100,
            match=parser.OFPMatch(reg1=slot % 1024, reg4=slot // 1024 + 1), instructions=instructions)
        flow.xid = xid
        send(parser.OFPBundleAddMsg(datapath, bundles, flags, flow, []), xid, buffer)
        if len(buffer) >= 65536:
            connection.sendall(buffer)
            buffer = bytearray()
    xid += 1
    send(parser.OFPBundleCtrlMsg(datapath, bundles, ofp.OFPBCT_COMMIT_REQUEST, flags, []), xid, buffer)
    connection.sendall(buffer)
for _ in range(bundles):
    committed.acquire()
print(time.perf_counter() - begin)
if failures:
    sys.exit(f'{len(failures)} errors, the first: {failures[0]}')
