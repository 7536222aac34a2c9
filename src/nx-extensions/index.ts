/** Open vSwitch's extensions of OpenFlow. Importing this registers its fields, actions and messages with the codec. */
import '../ofp/index.js';
import './actions/index.js';
import './canonical.js';
import './messages/index.js';

export type * from './action-types.js';
export { F, NSH_EXPERIMENTER, NX_EXPERIMENTER, nxm, regs, tunMetadata, xregs, xxregs } from './fields.js';
export type * from './message-types.js';
export { narrowSubfield, splitRegister } from './registers.js';
export { sub } from './subfield.js';
