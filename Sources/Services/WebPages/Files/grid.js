// How many tiles stand beside and above each other, so that nobody has to scroll on a wall.

/**
 * The `kind` of tile, and how many `columns` and `rows` of them: large to 8 ergs, medium to 16,
 * small to 36, lines beyond. A screen that is higher than wide takes fewer columns, a phone a list.
 */
export function grid(count, width, height) {
  if (width < 700 || height < 480) return { kind: 'list', columns: 1, rows: count };
  const isWide = width >= height;
  const [kind, columns] = count <= 8 ? ['large', Math.min(count, isWide ? 4 : 2)]
    : count <= 16 ? ['medium', isWide ? 4 : 3]
      : count <= 36 ? ['small', isWide ? 6 : 4] : ['line', isWide ? 4 : 2];
  const beside = Math.max(1, columns);
  return { kind, columns: beside, rows: Math.max(1, Math.ceil(count / beside)) };
}
