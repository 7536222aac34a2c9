/**
 * The text forms of ovs-ofctl: flows, matches, actions, groups, meters and whole messages, printed and parsed.
 * The texts of Open vSwitch's own actions and messages come with `nx-extensions/text`.
 */
export { type ActionContext, type ActionText, registerActionText } from './action-registry.js';
export {
  formatAction,
  formatActions,
  formatInstructions,
  parseActions,
  parseInstructions,
} from './actions.js';
export { formatFlow, formatFlowMod, formatFlowStats, type ParseFlowOptions, parseFlow } from './flow.js';
export { formatGroup, formatGroupMod, type ParseGroupOptions, parseGroup } from './group.js';
export { formatMatch } from './match-format.js';
export { parseMatch } from './match-parse.js';
export { formatMessage } from './message.js';
export { type MessageContext, type MessageText, registerMessageText } from './message-registry.js';
export { formatMeter, formatMeterMod, parseMeter } from './meter.js';
export { formatPacket } from './packet.js';
export { TextError } from './scanner.js';
