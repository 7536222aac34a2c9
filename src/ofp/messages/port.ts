/** OFPT_PORT_STATUS and OFPT_PORT_MOD, OpenFlow 1.3.5 §7.4.3, §7.3.4.3. */
import { names } from '../names.js';
import { decodePort, encodePort } from '../ports.js';
import { decodeProperties, encodeProperty, encodeRaw, rawProperties } from '../properties.js';
import { registerMessage } from '../registry.js';
import { OFP13, OFP14 } from '../types/field.js';

const REASONS = names({ add: 0, delete: 1, modify: 2 });

// reason(1) pad(7) port
registerMessage('port_status', {
  id: { standard: 12 },
  name: 'OFPT_PORT_STATUS',
  encode(w, p, version) {
    w.u8(REASONS.number(p.reason));
    w.zero(7);
    encodePort(w, p.port, version);
  },
  decode(r, version) {
    const reason = REASONS.name(r.u8('reason'), r, 'reason');
    r.zero(7);
    return { type: 'port_status', reason, port: decodePort(r, version) };
  },
});

const ETHERNET = 0;

registerMessage(
  'port_mod',
  {
    // port_no(4) pad(4) hw_addr(6) pad(2) config(4) mask(4) advertise(4) pad(4)
    id: { standard: 16 },
    to: OFP13,
    name: 'OFPT_PORT_MOD',
    encode(w, p) {
      w.u32(p.portNo);
      w.zero(4);
      w.uint(p.hwAddr, 6);
      w.zero(2);
      w.u32(p.config);
      w.u32(p.mask);
      w.u32(p.advertise ?? 0);
      w.zero(4);
    },
    decode(r) {
      const portNo = r.u32('port_no');
      r.zero(4);
      const hwAddr = r.uint(6, 'hw_addr') as bigint;
      r.zero(2);
      const config = r.u32('config');
      const mask = r.u32('mask');
      const advertise = r.u32('advertise');
      r.zero(4);
      return { type: 'port_mod', portNo, hwAddr, config, mask, ...(advertise !== 0 && { advertise }) };
    },
  },
  {
    // port_no(4) pad(4) hw_addr(6) pad(2) config(4) mask(4) properties
    id: { standard: 16 },
    from: OFP14,
    name: 'OFPT_PORT_MOD',
    encode(w, p) {
      w.u32(p.portNo);
      w.zero(4);
      w.uint(p.hwAddr, 6);
      w.zero(2);
      w.u32(p.config);
      w.u32(p.mask);
      const { advertise } = p;
      if (advertise !== undefined) encodeProperty(w, ETHERNET, () => w.u32(advertise));
      encodeRaw(w, p.rawProperties);
    },
    decode(r) {
      const portNo = r.u32('port_no');
      r.zero(4);
      const hwAddr = r.uint(6, 'hw_addr') as bigint;
      r.zero(2);
      const config = r.u32('config');
      const mask = r.u32('mask');
      let advertise: number | undefined;
      const raw = decodeProperties(r, (type) => {
        if (type !== ETHERNET || advertise !== undefined) return false;
        advertise = r.u32('advertise');
        return true;
      });
      return {
        type: 'port_mod',
        portNo,
        hwAddr,
        config,
        mask,
        ...(advertise !== undefined && { advertise }),
        ...rawProperties(raw),
      };
    },
  },
);
