"""os-ken's codec on the same messages. Reads the flow-statistics reply in hex; prints rates as JSON."""
import json
import statistics
import sys
import time

from os_ken.ofproto import ofproto_v1_3, ofproto_v1_3_parser, ofproto_parser


class Datapath:
    ofproto = ofproto_v1_3
    ofproto_parser = ofproto_v1_3_parser


def slot_flow(dp, slot):
    p = dp.ofproto_parser
    return p.OFPFlowMod(
        dp, cookie=0x0007050000014C42, table_id=11, priority=100,
        match=p.OFPMatch(reg4=1, reg1=slot),
        instructions=[
            p.OFPInstructionActions(dp.ofproto.OFPIT_APPLY_ACTIONS, [p.OFPActionSetField(reg2=slot % 10)]),
            p.OFPInstructionGotoTable(12),
        ])


def rate(fn, operations, runs=5):
    fn()
    rates = []
    for _ in range(runs):
        start = time.perf_counter()
        fn()
        rates.append(operations / (time.perf_counter() - start))
    return statistics.median(rates)


def main():
    data = bytes.fromhex(sys.stdin.read())
    dp = Datapath()

    def encode():
        for slot in range(500):
            message = slot_flow(dp, slot)
            message.set_xid(slot)
            message.serialize()

    def decode():
        version, kind, length, xid = ofproto_parser.header(data)
        message = ofproto_parser.msg(dp, version, kind, length, xid, data)
        assert len(message.body) == 500

    print(json.dumps({"encode": rate(encode, 500), "decode": rate(decode, 500)}))


main()
