/** Registers Nicira's messages, one file per subject. */
import '../message-types.js';
import './conntrack.js';
import './flow-monitor.js';
import './packet-in2.js';
import './session.js';
import './tlv-table.js';
