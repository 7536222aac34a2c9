/** Error, echo, features, configuration, barrier: OpenFlow 1.3.5 §7.5, §7.3.1, §7.3.2, §7.3.8, §7.4.4. */
import { registerMessage } from '../registry.js';
import type { MessageOf } from '../types/message.js';

const OFPET_EXPERIMENTER = 0xffff;

// type(2) code(2) data; experimenter errors: type(2) exp_type(2) experimenter(4) data
registerMessage('error', {
  id: { standard: 1 },
  name: 'OFPT_ERROR',
  encode(w, e) {
    w.u16(e.errorType);
    w.u16(e.code);
    if (e.errorType === OFPET_EXPERIMENTER) w.u32(e.experimenter ?? 0);
    w.bytes(e.data);
  },
  decode(r) {
    const errorType = r.u16('type');
    const code = r.u16('code');
    return errorType === OFPET_EXPERIMENTER
      ? { type: 'error', errorType, code, experimenter: r.u32('experimenter'), data: r.rest() }
      : { type: 'error', errorType, code, data: r.rest() };
  },
});

function data(type: 'echo_request' | 'echo_reply', standard: number, name: string): void {
  registerMessage(type, {
    id: { standard },
    name,
    encode: (w, m) => w.bytes(m.data),
    decode: (r) => ({ type, data: r.rest() }) as MessageOf<'echo_request' | 'echo_reply'>,
  });
}
data('echo_request', 2, 'OFPT_ECHO_REQUEST');
data('echo_reply', 3, 'OFPT_ECHO_REPLY');

type Bare = 'features_request' | 'get_config_request' | 'barrier_request' | 'barrier_reply';
function bare(type: Bare, standard: number, name: string): void {
  registerMessage(type, {
    id: { standard },
    name,
    encode() {},
    decode: () => ({ type }) as MessageOf<Bare>,
  });
}
bare('features_request', 5, 'OFPT_FEATURES_REQUEST');
bare('get_config_request', 7, 'OFPT_GET_CONFIG_REQUEST');
bare('barrier_request', 20, 'OFPT_BARRIER_REQUEST');
bare('barrier_reply', 21, 'OFPT_BARRIER_REPLY');

// datapath_id(8) n_buffers(4) n_tables(1) auxiliary_id(1) pad(2) capabilities(4) reserved(4)
registerMessage('features_reply', {
  id: { standard: 6 },
  name: 'OFPT_FEATURES_REPLY',
  encode(w, f) {
    w.u64(f.datapathId);
    w.u32(f.nBuffers);
    w.u8(f.nTables);
    w.u8(f.auxiliaryId);
    w.zero(2);
    w.u32(f.capabilities);
    w.zero(4);
  },
  decode(r) {
    const datapathId = r.u64('datapath_id');
    const nBuffers = r.u32('n_buffers');
    const nTables = r.u8('n_tables');
    const auxiliaryId = r.u8('auxiliary_id');
    r.zero(2);
    const capabilities = r.u32('capabilities');
    r.skip(4, 'reserved');
    return { type: 'features_reply', datapathId, nBuffers, nTables, auxiliaryId, capabilities };
  },
});

// flags(2) miss_send_len(2)
function config(type: 'get_config_reply' | 'set_config', standard: number, name: string): void {
  registerMessage(type, {
    id: { standard },
    name,
    encode(w, c) {
      w.u16(c.flags);
      w.u16(c.missSendLen);
    },
    decode: (r) =>
      ({ type, flags: r.u16('flags'), missSendLen: r.u16('miss_send_len') }) as MessageOf<
        'get_config_reply' | 'set_config'
      >,
  });
}
config('get_config_reply', 8, 'OFPT_GET_CONFIG_REPLY');
config('set_config', 9, 'OFPT_SET_CONFIG');
