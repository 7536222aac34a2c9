import { isolation } from './suites/isolation.js';

await isolation('OpenFlow13');
