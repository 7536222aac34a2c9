/** Files read together: enough to keep the disk busy, few enough to hold. */
const AT_ONCE = 64;

/** What `work` gives for each item, in the order of the items; a batch of them is worked on at a time. */
export async function* inBatches<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<readonly [Item, Result]> {
  for (let i = 0; i < items.length; i += AT_ONCE) {
    const batch = items.slice(i, i + AT_ONCE);
    const results = await Promise.all(batch.map(work));
    for (const [n, item] of batch.entries()) yield [item, results[n] as Result];
  }
}
