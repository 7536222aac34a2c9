"""os-ken's codec on the same messages: `codec.py ENTRIES BATCH`.

Reads a flow-statistics reply and a packet-in, a line of hex each; their version is the one to be measured.
Prints rates per second of CPU time as JSON.
"""
import json
import statistics
import sys
import time

from os_ken.ofproto import ofproto_parser
from os_ken.ofproto import ofproto_v1_3, ofproto_v1_3_parser, ofproto_v1_5, ofproto_v1_5_parser


class Datapath:
    def __init__(self, ofproto, ofproto_parser):
        self.ofproto = ofproto
        self.ofproto_parser = ofproto_parser


DATAPATHS = {
    4: Datapath(ofproto_v1_3, ofproto_v1_3_parser),
    6: Datapath(ofproto_v1_5, ofproto_v1_5_parser),
}


def slot_flow(dp, slot):
    p = dp.ofproto_parser
    return p.OFPFlowMod(
        dp, cookie=0x0007050000014C42, table_id=11, priority=100,
        match=p.OFPMatch(reg4=1, reg1=slot),
        instructions=[
            p.OFPInstructionActions(dp.ofproto.OFPIT_APPLY_ACTIONS, [p.OFPActionSetField(reg2=slot % 10)]),
            p.OFPInstructionGotoTable(12),
        ])


def rate(fn, operations, runs=7):
    fn()
    rates = []
    for _ in range(runs):
        start = time.process_time()
        fn()
        rates.append(operations / (time.process_time() - start))
    return statistics.median(rates)


def main():
    entries, batch = int(sys.argv[1]), int(sys.argv[2])
    reply, packet_in = (bytes.fromhex(line) for line in sys.stdin.read().split())
    dp = DATAPATHS[reply[0]]

    def decode(data):
        version, kind, length, xid = ofproto_parser.header(data)
        message = ofproto_parser.msg(dp, version, kind, length, xid, data)
        assert message is not None
        return message

    def make_and_encode():
        for slot in range(batch):
            message = slot_flow(dp, slot)
            message.set_xid(slot)
            message.serialize()

    def encode():
        # Without making them. os-ken means a message to be sent once; this takes it back to its state before.
        for xid, message in enumerate(messages):
            message.xid = message.buf = None
            message.set_xid(xid)
            message.serialize()

    def decode_batch():
        for _ in range(batch):
            decode(packet_in)

    messages = [slot_flow(dp, slot) for slot in range(batch)]
    first = decode(reply).body
    assert len(first) == entries and first[0].instructions[1].table_id == 12
    assert decode(packet_in).match["reg6"] == 12
    print(json.dumps({
        "makeAndEncode": rate(make_and_encode, batch),
        "encode": rate(encode, batch),
        "flows": rate(lambda: decode(reply), entries),
        "packetIns": rate(decode_batch, batch),
    }))


main()
