/** Registers the standard messages, one file per family. */
import './hello.js';
import './flow.js';
import './group.js';
import './meter.js';
import './packet.js';
import './session.js';
import './bundle.js';
import './port.js';
import './table.js';
import './role.js';
import './multipart-flow.js';
import './multipart-queue.js';
import './multipart-switch.js';
import './multipart-group.js';
import './multipart-table-features.js';
import './multipart-flow-monitor.js';
