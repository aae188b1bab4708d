// The layout of tiles on the wall, without scrolling.

/**
 * The `kind` of tile with `columns` and `rows`: large up to 8 ergs, medium to 16, small to 36, then lines.
 * Upright screens use fewer columns; a phone shows a list.
 */
export function grid(count, width, height) {
  if (width < 700 || height < 480) return { kind: 'list', columns: 1, rows: count };
  const isWide = width >= height;
  const [kind, columns] = count <= 8 ? ['large', Math.min(count, isWide ? 4 : 2)]
    : count <= 16 ? ['medium', isWide ? 4 : 3]
      : count <= 36 ? ['small', isWide ? 6 : 4] : ['line', isWide ? 4 : 2];
  const columnCount = Math.max(1, columns);
  return { kind, columns: columnCount, rows: Math.max(1, Math.ceil(count / columnCount)) };
}
