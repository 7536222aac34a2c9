/** ONF extension 187: control of flow monitors in OpenFlow 1.3. The multipart itself is the codec's. */
import { registerMessage } from '../../ofp/registry.js';
import { OFP13 } from '../../ofp/types/field.js';

const ONF_EXPERIMENTER = 0x4f4e4600;

// id(4)
registerMessage('flow_monitor_cancel', {
  id: { experimenter: ONF_EXPERIMENTER, subtype: 1870 },
  to: OFP13,
  name: 'ONFT_FLOW_MONITOR_CANCEL',
  encode: (w, m) => w.u32(m.monitorId),
  decode: (r) => ({ type: 'flow_monitor_cancel', monitorId: r.u32('id') }),
});
registerMessage('flow_monitor_paused', {
  id: { experimenter: ONF_EXPERIMENTER, subtype: 1871 },
  to: OFP13,
  name: 'ONFT_FLOW_MONITOR_PAUSED',
  encode() {},
  decode: () => ({ type: 'flow_monitor_paused' }),
});
registerMessage('flow_monitor_resumed', {
  id: { experimenter: ONF_EXPERIMENTER, subtype: 1872 },
  to: OFP13,
  name: 'ONFT_FLOW_MONITOR_RESUMED',
  encode() {},
  decode: () => ({ type: 'flow_monitor_resumed' }),
});
