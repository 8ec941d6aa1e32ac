/**
 * Does work once for all callers that ask at the same time. Callers that ask while it works are
 * served together afterwards. So a thousand subscriptions cost few transactions.
 */
export function gathering<Item, Result>(
  items_max: number,
  work: (items: readonly Item[]) => Promise<readonly Result[]>,
): (item: Item) => Promise<Result> {
  const waiting: { readonly item: Item; readonly asked: PromiseWithResolvers<Result> }[] = [];
  let is_working = false;

  async function workOnAll(): Promise<void> {
    is_working = true;
    // Callers that were woken together ask in this turn.
    await Promise.resolve();
    while (waiting.length > 0) {
      const batch = waiting.splice(0, items_max);
      try {
        const results = await work(batch.map(({ item }) => item));
        for (const [at, { asked }] of batch.entries()) asked.resolve(results[at]!);
      } catch (error) {
        for (const { asked } of batch) asked.reject(error);
      }
    }
    is_working = false;
  }

  return (item) => {
    const asked = Promise.withResolvers<Result>();
    waiting.push({ item, asked });
    if (!is_working) void workOnAll();
    return asked.promise;
  };
}
