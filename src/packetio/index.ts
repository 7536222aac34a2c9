export { cryptoRandom } from './random.js';
export {
  type PacketIoCounters,
  type PacketIoLimits,
  type PuntCounters,
  SwitchPacketIo,
} from './switch-packet-io.js';
export * from './types.js';
