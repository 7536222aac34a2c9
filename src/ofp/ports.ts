/** Port descriptions: ofp_port, OpenFlow 1.3.5 §7.2.1 (64 bytes), 1.4.1/1.5.1 §7.2.1 (with properties). */
import type { Reader } from './bytes/reader.js';
import type { Writer } from './bytes/writer.js';
import { decodeProperties, encodeProperty, encodeRaw, rawProperties } from './properties.js';
import type { OfpVersion } from './types/field.js';
import { OFP13 } from './types/field.js';
import type { EthernetPort, OpticalPort, PortDesc } from './types/switch.js';

const NAME_SIZE = 16;
const ETHERNET = 0;
const OPTICAL = 1;
const NO_ETHERNET: EthernetPort = {
  curr: 0,
  advertised: 0,
  supported: 0,
  peer: 0,
  currSpeed: 0,
  maxSpeed: 0,
};

function encodeEthernet(w: Writer, e: EthernetPort): void {
  w.u32(e.curr);
  w.u32(e.advertised);
  w.u32(e.supported);
  w.u32(e.peer);
  w.u32(e.currSpeed);
  w.u32(e.maxSpeed);
}
function decodeEthernet(r: Reader): EthernetPort {
  return {
    curr: r.u32('curr'),
    advertised: r.u32('advertised'),
    supported: r.u32('supported'),
    peer: r.u32('peer'),
    currSpeed: r.u32('curr_speed'),
    maxSpeed: r.u32('max_speed'),
  };
}

function encodeOptical(w: Writer, o: OpticalPort): void {
  w.zero(4);
  w.u32(o.supported);
  w.u32(o.txMinFreqLmda);
  w.u32(o.txMaxFreqLmda);
  w.u32(o.txGridFreqLmda);
  w.u32(o.rxMinFreqLmda);
  w.u32(o.rxMaxFreqLmda);
  w.u32(o.rxGridFreqLmda);
  w.u16(o.txPwrMin);
  w.u16(o.txPwrMax);
}
function decodeOptical(r: Reader): OpticalPort {
  r.zero(4);
  return {
    supported: r.u32('supported'),
    txMinFreqLmda: r.u32('tx_min_freq_lmda'),
    txMaxFreqLmda: r.u32('tx_max_freq_lmda'),
    txGridFreqLmda: r.u32('tx_grid_freq_lmda'),
    rxMinFreqLmda: r.u32('rx_min_freq_lmda'),
    rxMaxFreqLmda: r.u32('rx_max_freq_lmda'),
    rxGridFreqLmda: r.u32('rx_grid_freq_lmda'),
    txPwrMin: r.u16('tx_pwr_min'),
    txPwrMax: r.u16('tx_pwr_max'),
  };
}

// 1.3: port_no(4) pad(4) hw_addr(6) pad(2) name(16) config(4) state(4) ethernet(24)
// 1.4+: port_no(4) length(2) pad(2) hw_addr(6) pad(2) name(16) config(4) state(4) properties
export function encodePort(w: Writer, p: PortDesc, version: OfpVersion): void {
  const start = w.pos;
  w.u32(p.portNo);
  w.u32(0);
  w.uint(p.hwAddr, 6);
  w.u16(0);
  w.fixedString(p.name, NAME_SIZE, 'port.name');
  w.u32(p.config);
  w.u32(p.state);
  if (version === OFP13) {
    encodeEthernet(w, p.ethernet ?? NO_ETHERNET);
    return;
  }
  const { ethernet, optical } = p;
  if (ethernet !== undefined)
    encodeProperty(w, ETHERNET, () => {
      w.zero(4);
      encodeEthernet(w, ethernet);
    });
  if (optical !== undefined) encodeProperty(w, OPTICAL, () => encodeOptical(w, optical));
  encodeRaw(w, p.rawProperties);
  w.patchLength16(start + 4, start, 'port');
}

export function decodePort(r: Reader, version: OfpVersion): PortDesc {
  const start = r.pos;
  const portNo = r.u32('port_no');
  let length = 0;
  if (version === OFP13) r.zero(4);
  else {
    length = r.u16('length');
    r.zero(2);
  }
  const hwAddr = r.uint(6, 'hw_addr') as bigint;
  r.zero(2);
  const name = r.fixedString(NAME_SIZE, 'name');
  const config = r.u32('config');
  const state = r.u32('state');
  const fixed = { portNo, hwAddr, name, config, state };
  if (version === OFP13) return { ...fixed, ethernet: decodeEthernet(r) };
  let ethernet: EthernetPort | undefined;
  let optical: OpticalPort | undefined;
  const outer = r.enter(length - (r.pos - start), 'port');
  const raw = decodeProperties(r, (type) => {
    if (type === ETHERNET && ethernet === undefined) {
      r.zero(4);
      ethernet = decodeEthernet(r);
    } else if (type === OPTICAL && optical === undefined) optical = decodeOptical(r);
    else return false;
    return true;
  });
  r.leave(outer);
  return { ...fixed, ...(ethernet && { ethernet }), ...(optical && { optical }), ...rawProperties(raw) };
}
