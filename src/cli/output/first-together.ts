// Joining of a table's first rows, which decide its column widths. Blocks that arrive within a
// moment are joined.
const enoughRows = 100;
const momentMs = 50;

/** The same blocks, with the first ones joined when they arrive soon after each other. */
export async function* firstTogether<T>(
  blocks: AsyncIterable<readonly T[]>,
): AsyncIterable<readonly T[]> {
  const iterator = blocks[Symbol.asyncIterator]();
  try {
    const first: T[] = [];
    let next = iterator.next();
    while (first.length < enoughRows) {
      const block = await (first.length === 0 ? next : within(next));
      if (block === undefined || block.done) break;
      first.push(...block.value);
      next = iterator.next();
    }
    if (first.length > 0) yield first;
    for (let block = await next; !block.done; block = await iterator.next()) yield block.value;
  } finally {
    await iterator.return?.();
  }
}

/** The result of a promise within a moment; undefined when it takes longer. */
async function within<T>(promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<undefined>((settle) => {
    timer = setTimeout(() => settle(undefined), momentMs);
  });
  try {
    return await Promise.race([promise, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
