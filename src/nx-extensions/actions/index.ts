/** Registers Nicira's actions, one file per subject. */
import '../action-types.js';
import './conntrack.js';
import './controller.js';
import './encap.js';
import './learn.js';
import './packet.js';
import './registers.js';
import './resubmit.js';
import './sample.js';
import './selection.js';
