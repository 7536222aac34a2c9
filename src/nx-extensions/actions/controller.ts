/** NXAST_CONTROLLER and NXAST_CONTROLLER2: the packet goes to the controller. */

import { packetInReason, packetInReasonNumber } from '../../ofp/messages/packet.js';
import { decodeProperties, encodeProperty } from '../../ofp/properties.js';
import type { ActionOf } from '../../ofp/types/action.js';
import { decodeNumberProperty, encodeNumberProperty } from '../properties.js';
import { nicira } from './register.js';

const MAX_LEN = 0xffff;
const DEFAULT_REASON = 'apply_action';

// Reasons have the numbers of OpenFlow 1.5 in every version.

// max_len(2) controller_id(2) reason(1) zero(1)
nicira('controller', 20, 'CONTROLLER', {
  encode(w, a) {
    w.u16(a.maxLen ?? MAX_LEN);
    w.u16(a.controllerId ?? 0);
    w.u8(packetInReasonNumber(a.reason ?? DEFAULT_REASON));
    w.u8(0);
  },
  decode(r) {
    const maxLen = r.u16('max_len');
    const controllerId = r.u16('controller_id');
    const reason = packetInReason(r.u8('reason'));
    r.zero(1);
    return { type: 'controller', maxLen, controllerId, reason };
  },
});

/** NXAC2PT_* */
const PROPERTY = { MAX_LEN: 0, CONTROLLER_ID: 1, REASON: 2, USERDATA: 3, PAUSE: 4, METER_ID: 5 } as const;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

// pad(6) properties; those with their default value are left out
nicira('controller2', 37, 'CONTROLLER2', {
  encode(w, a) {
    w.zero(6);
    const { maxLen, controllerId, userdata, meterId } = a;
    if (maxLen !== undefined && maxLen !== MAX_LEN) encodeNumberProperty(w, PROPERTY.MAX_LEN, maxLen, 2);
    if (controllerId !== undefined && controllerId !== 0)
      encodeNumberProperty(w, PROPERTY.CONTROLLER_ID, controllerId, 2);
    if (a.reason !== undefined && a.reason !== DEFAULT_REASON)
      encodeNumberProperty(w, PROPERTY.REASON, packetInReasonNumber(a.reason), 1);
    if (userdata !== undefined && userdata.length > 0)
      encodeProperty(w, PROPERTY.USERDATA, () => w.bytes(userdata));
    if (a.pause) encodeProperty(w, PROPERTY.PAUSE, () => {});
    if (meterId !== undefined) encodeNumberProperty(w, PROPERTY.METER_ID, meterId, 4);
  },
  decode(r) {
    r.zero(6);
    const a: Mutable<ActionOf<'controller2'>> = { type: 'controller2' };
    const unknown = decodeProperties(r, (type) => {
      switch (type) {
        case PROPERTY.MAX_LEN:
          a.maxLen = decodeNumberProperty(r, 2, 'max_len');
          return true;
        case PROPERTY.CONTROLLER_ID:
          a.controllerId = decodeNumberProperty(r, 2, 'controller_id');
          return true;
        case PROPERTY.REASON:
          a.reason = packetInReason(decodeNumberProperty(r, 1, 'reason'));
          return true;
        case PROPERTY.USERDATA:
          a.userdata = r.rest();
          return true;
        case PROPERTY.PAUSE:
          a.pause = true;
          return true;
        case PROPERTY.METER_ID:
          a.meterId = decodeNumberProperty(r, 4, 'meter_id');
          return true;
        default:
          return false;
      }
    });
    return unknown.length > 0 ? undefined : a;
  },
});
