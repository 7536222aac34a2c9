import type { AgentEvent } from '../api/types.js';

const KEPT = 1000;

/** Numbered events for `GET /events`; the last ones are kept for those who come back. */
export class EventLog {
  private readonly kept: AgentEvent[] = [];
  private readonly handlers = new Set<(event: AgentEvent) => void>();
  private seq = 0;

  add(event: Omit<AgentEvent, 'seq' | 'at'>): void {
    const numbered = { seq: ++this.seq, at: new Date().toISOString(), ...event };
    this.kept.push(numbered);
    if (this.kept.length > KEPT) this.kept.shift();
    for (const handler of this.handlers) handler(numbered);
  }

  subscribe(handler: (event: AgentEvent) => void): () => void {
    this.handlers.add(handler);
    return () => this.handlers.delete(handler);
  }

  since(seq: number): readonly AgentEvent[] {
    return this.kept.filter((event) => event.seq > seq);
  }
}
