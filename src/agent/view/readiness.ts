import type { AgentParts } from '../parts.js';

/**
 * Whether the switch forwards as configured: it is there, and since it connected has once confirmed, or refused, all
 * that was wanted. Later changes on their way don't count: the switch goes on by what it has.
 */
export class Readiness {
  /** Number of the connection over which everything was confirmed once. */
  private settledOver = 0;
  private awaited = 0;

  constructor(private readonly parts: Pick<AgentParts, 'session' | 'sync'>) {}

  now(): { readonly ready: boolean; readonly reason?: string } {
    const { state, connects } = this.parts.session;
    if (state.state === 'waiting') return { ready: false, reason: `no switch is connected: ${state.reason}` };
    if (state.state === 'reading') return { ready: false, reason: 'the switch is being read' };
    if (this.settledOver === connects) return { ready: true };
    const pending = this.parts.sync.pending();
    if (pending === 0) {
      this.settledOver = connects;
      return { ready: true };
    }
    // Changes may be on their way whenever somebody asks: so it is awaited that all of now were confirmed.
    this.watch(connects);
    return { ready: false, reason: `the switch has yet to confirm ${pending} changes` };
  }

  private watch(over: number): void {
    if (this.awaited === over) return;
    this.awaited = over;
    void this.parts.sync.settled().then(() => {
      // Another connection has its own word.
      if (this.parts.session.connects === over) this.settledOver = over;
    });
  }
}
