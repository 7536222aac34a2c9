import { decodeMessage, errorName } from '../index.js';

/** The name of an error message as Open vSwitch prints it, numbers where it has none. */
export function refusalName(message: Uint8Array): string {
  try {
    const decoded = decodeMessage(message);
    if (decoded.message.type === 'error') return errorName(decoded.message, decoded.version);
  } catch {
    // An error message cut short is still a refusal.
  }
  return 'malformed error message';
}
