/** What happens to a packet, asked of the switch and told in the words of the configuration. */
export { TraceError } from './errors.js';
export { type ExplainedStep, type Explanation, explain } from './explain.js';
export { checkRawFlow, ctNextArguments, flowOf, isRawFlow } from './flow.js';
export { TraceNames } from './names.js';
export { parseTrace, type TracedPass, TraceSyntaxError } from './ofproto.js';
export { type PacketSpec, parsePacket } from './packet.js';
export { type Place, placePacket, type TraceWorld } from './place.js';
export {
  type Ask,
  findTracked,
  parseAnswered,
  runTrace,
  type TraceQuestion,
  type TraceRun,
  type Tracked,
} from './run.js';
