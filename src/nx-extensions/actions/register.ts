import type { Reader } from '../../ofp/bytes/reader.js';
import type { Writer } from '../../ofp/bytes/writer.js';
import { type ActionForm, registerAction } from '../../ofp/registry.js';
import type { ActionOf, ActionType } from '../../ofp/types/action.js';
import type { OfpVersion } from '../../ofp/types/field.js';
import { NX_EXPERIMENTER } from '../fields.js';

interface Codec<K extends ActionType> extends Pick<ActionForm<K>, 'from' | 'to' | 'accepts' | 'writeOnly'> {
  encode(w: Writer, action: ActionOf<K>, version: OfpVersion): void;
  decode(r: Reader, version: OfpVersion): ActionOf<K> | undefined;
}

/** Registers NXAST_`name`. Layouts given beside the calls are those after the 10 bytes of the Nicira header. */
export function nicira<K extends ActionType>(type: K, subtype: number, name: string, codec: Codec<K>): void {
  registerAction(type, {
    id: { experimenter: NX_EXPERIMENTER, subtype },
    name: `NXAST_${name}`,
    ...codec,
  });
}

/** Registers an action that consists of its header and pad(6). */
export function niciraEmpty<K extends ActionType>(type: K, subtype: number, name: string): void {
  const action = { type } as ActionOf<K>;
  nicira(type, subtype, name, {
    encode: (w) => w.zero(6),
    decode(r) {
      r.zero(6);
      return action;
    },
  });
}
