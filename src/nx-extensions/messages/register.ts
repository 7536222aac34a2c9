import { type MessageForm, registerMessage } from '../../ofp/registry.js';
import type { MessageType } from '../../ofp/types/message.js';
import { NX_EXPERIMENTER } from '../fields.js';

/** Registers NXT_`name`. Layouts given beside the calls are those after the 16 bytes of the Nicira header. */
export function niciraMessage<K extends MessageType>(
  type: K,
  subtype: number,
  name: string,
  codec: Pick<MessageForm<K>, 'from' | 'to' | 'accepts' | 'encode' | 'decode'>,
): void {
  registerMessage(type, {
    id: { experimenter: NX_EXPERIMENTER, subtype },
    name: `NXT_${name}`,
    ...codec,
  });
}
