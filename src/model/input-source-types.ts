// Input sources by their types, for permissions.

/** The types of an input source as JSON, those of its delegates in place of `combining`; none of what is not an object. */
export function inputSourceTypes(source: unknown): readonly string[] {
  if (typeof source !== 'object' || source === null) return [];
  const { type, delegates }: { readonly type?: unknown; readonly delegates?: unknown } = source;
  if (type !== 'combining') return [String(type)];
  return Array.isArray(delegates) ? [...new Set(delegates.flatMap(inputSourceTypes))] : [];
}
