/** Importing this makes the texts of Open vSwitch's actions known to `ofp/text`. */
import '../index.js';
import './conntrack.js';
import './control.js';
import './encap.js';
import './learn.js';
import './registers.js';
import './messages.js';
