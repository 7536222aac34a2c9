import { dataplane } from './suites/dataplane.js';

await dataplane('OpenFlow13');
