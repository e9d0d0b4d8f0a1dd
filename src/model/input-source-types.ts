// Input sources by their types and by the datasources they read, for permissions.

/**
 * The types of an input source as JSON, those of its delegates in place of `combining`; none of
 * what is not an object.
 */
export function inputSourceTypes(source: unknown): readonly string[] {
  if (typeof source !== 'object' || source === null) return [];
  const { type, delegates }: { readonly type?: unknown; readonly delegates?: unknown } = source;
  if (type !== 'combining') return [String(type)];
  return Array.isArray(delegates) ? [...new Set(delegates.flatMap(inputSourceTypes))] : [];
}

/** The datasource that an input source of type druid reads; none of any other. */
export function dataSourcesRead(source: unknown): readonly string[] {
  if (typeof source !== 'object' || source === null) return [];
  const { type, dataSource }: { readonly type?: unknown; readonly dataSource?: unknown } = source;
  return type === 'druid' && (typeof dataSource === 'string' || typeof dataSource === 'number')
    ? [String(dataSource)]
    : [];
}
