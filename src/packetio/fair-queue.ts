interface Lane<T> {
  readonly key: number;
  items: T[];
  head: number;
}

/** A bounded queue that serves its keys in turn, so that a full lane costs the others nothing. */
export class FairQueue<T> {
  private readonly lanes = new Map<number, Lane<T>>();
  /** Lanes that hold something, the next to be served first. */
  private turns: Lane<T>[] = [];
  private turn = 0;
  private count = 0;

  constructor(
    private readonly perKey: number,
    private readonly total: number,
  ) {}

  get size(): number {
    return this.count;
  }

  /**
   * False where there is no room for `key`. When the whole queue is full, a key that has nothing waiting may still
   * queue one item: flooders fill the total, not the share of the quiet.
   */
  push(key: number, item: T): boolean {
    let lane = this.lanes.get(key);
    const waiting = lane ? lane.items.length - lane.head : 0;
    if (waiting >= this.perKey || (this.count >= this.total && waiting > 0)) return false;
    if (!lane) {
      lane = { key, items: [], head: 0 };
      this.lanes.set(key, lane);
      this.turns.push(lane);
    }
    lane.items.push(item);
    this.count++;
    return true;
  }

  /** The oldest item of the key whose turn it is. */
  shift(): T | undefined {
    if (this.count === 0) return undefined;
    if (this.turn >= this.turns.length) this.turn = 0;
    const lane = this.turns[this.turn]!;
    const item = lane.items[lane.head]!;
    lane.head++;
    this.count--;
    if (lane.head === lane.items.length) {
      this.lanes.delete(lane.key);
      // The last lane takes the place: nobody is served twice in a round for it.
      const last = this.turns.pop()!;
      if (last !== lane) this.turns[this.turn] = last;
    } else {
      if (lane.head > 64 && lane.head * 2 > lane.items.length) {
        lane.items = lane.items.slice(lane.head);
        lane.head = 0;
      }
      this.turn++;
    }
    return item;
  }

  clear(): void {
    this.lanes.clear();
    this.turns = [];
    this.turn = 0;
    this.count = 0;
  }
}
