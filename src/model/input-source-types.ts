// Types of input sources and the datasources that they read, for permissions.

/**
 * The types of an input source in JSON; `combining` is replaced by the types of its delegates.
 * Empty for values other than objects.
 */
export function inputSourceTypes(source: unknown): readonly string[] {
  if (typeof source !== 'object' || source === null) return [];
  const { type, delegates }: { readonly type?: unknown; readonly delegates?: unknown } = source;
  if (type !== 'combining') return [String(type)];
  return Array.isArray(delegates) ? [...new Set(delegates.flatMap(inputSourceTypes))] : [];
}

/** The datasource that an input source of type druid reads; empty for other types. */
export function dataSourcesRead(source: unknown): readonly string[] {
  if (typeof source !== 'object' || source === null) return [];
  const { type, dataSource }: { readonly type?: unknown; readonly dataSource?: unknown } = source;
  return type === 'druid' && (typeof dataSource === 'string' || typeof dataSource === 'number')
    ? [String(dataSource)]
    : [];
}
