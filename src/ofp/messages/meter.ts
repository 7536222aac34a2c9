/** OFPT_METER_MOD, OpenFlow 1.3.5 §7.3.4.4: command(2) flags(2) meter_id(4) bands. */
import { decodeBands, decodeMeterFlags, encodeBands, encodeMeterFlags } from '../meter-bands.js';
import { names } from '../names.js';
import { registerMessage } from '../registry.js';

const COMMANDS = names({ add: 0, modify: 1, delete: 2 });

registerMessage('meter_mod', {
  id: { standard: 29 },
  name: 'OFPT_METER_MOD',
  encode(w, m) {
    w.u16(COMMANDS.number(m.command));
    w.u16(encodeMeterFlags(m.flags));
    w.u32(m.meterId);
    encodeBands(w, m.bands);
  },
  decode(r) {
    const command = COMMANDS.name(r.u16('command'), r, 'command');
    const flags = decodeMeterFlags(r);
    return { type: 'meter_mod', command, meterId: r.u32('meter_id'), flags, bands: decodeBands(r) };
  },
});
