import { ChannelError } from './errors.js';
import { typeName, typeOf } from './wire.js';

/** Checks that a reply is of this type; throws `protocol` otherwise. */
export function expectType(type: number): (reply: Uint8Array) => void {
  return (reply) => {
    if (typeOf(reply) !== type) throw notAReply(reply);
  };
}

/** For a reply of a type that doesn't answer what was asked. */
export function notAReply(reply: Uint8Array): ChannelError {
  return new ChannelError('protocol', 'protocol', `an unexpected ${typeName(typeOf(reply))} in reply`);
}
