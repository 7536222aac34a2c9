import { tenantMeterId } from './ids.js';
import { apply, meterInstruction, type OwnerRules } from './rules.js';
import { bandwidthBand } from './table-00-ingress.js';
import { TABLES } from './tables.js';

/** Called at ingress, beside the meter that the port itself may have: OpenFlow 1.3 allows one meter per rule. */
export function tenantRate(rules: OwnerRules, bandwidth: number): void {
  const meterId = tenantMeterId(rules.owner.tenant);
  rules.meter({ meterId, flags: ['kbps', 'burst', 'stats'], bands: [bandwidthBand(bandwidth)] });
  rules.tenant(TABLES.tenantRate, 100, [], meterInstruction(meterId), apply());
}
