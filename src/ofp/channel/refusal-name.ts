import { readError } from './wire.js';

/** The name of an error message as Open vSwitch prints it, `type/code` in numbers where it has none. */
export function refusalName(message: Uint8Array): string {
  const error = readError(message);
  return error === undefined ? 'malformed error message' : `error ${error.type}/${error.code}`;
}
