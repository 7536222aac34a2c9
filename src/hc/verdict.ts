import type { Monitor, ProbeStatus } from './types.js';

/** What consecutive results amount to. Any opposite result starts the count again. */
export class Verdict {
  status: Exclude<ProbeStatus, 'NO_MONITOR'> = 'OFFLINE';
  rise = 0;
  fall = 0;

  /** Counts one result; true where the status changed. A member without a verdict rises at its first success. */
  record(ok: boolean, monitor: Pick<Monitor, 'maxRetries' | 'maxRetriesDown'>): boolean {
    const before = this.status;
    if (ok) {
      this.rise++;
      this.fall = 0;
      if (before === 'OFFLINE' || this.rise >= monitor.maxRetries) this.status = 'ONLINE';
    } else {
      this.fall++;
      this.rise = 0;
      if (this.fall >= monitor.maxRetriesDown) this.status = 'ERROR';
    }
    return this.status !== before;
  }
}
