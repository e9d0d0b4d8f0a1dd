// Slips of people who write queries: one part is absent, misspelt, or of another type.

/** The query with one slip. */
export function spoilt(dice, query) {
  const places = placesIn(query);
  const { parent, key } = dice.among(places);
  const slip = dice.among([
    () => undefined,
    () => null,
    () => ({}),
    () => [],
    () => 'nope',
    () => -1,
    () => [parent[key]],
    () => `${parent[key]}`.toUpperCase(),
    () => ({ type: 'nope' }),
    () => (typeof parent[key] === 'number' ? String(parent[key]) : 0),
  ])();
  return changed(query, { parent, key }, slip);
}

function placesIn(root) {
  const places = [];
  const visit = (parent) => {
    for (const key of Object.keys(parent)) {
      places.push({ parent, key });
      if (parent[key] !== null && typeof parent[key] === 'object') visit(parent[key]);
    }
  };
  visit(root);
  return places.filter(
    ({ key }) => key !== 'queryType' && !['granularity', 'intervals'].includes(key),
  );
}

/** The JSON with another value in one place; `undefined` takes the member away. */
export function changed(root, { parent, key }, value) {
  if (root === parent) {
    if (Array.isArray(root))
      return root.flatMap((item, at) =>
        String(at) !== key ? [item] : value === undefined ? [] : [value],
      );
    const { [key]: _, ...rest } = root;
    return value === undefined ? rest : { ...root, [key]: value };
  }
  if (root === null || typeof root !== 'object') return root;
  if (Array.isArray(root)) return root.map((item) => changed(item, { parent, key }, value));
  return Object.fromEntries(
    Object.entries(root).map(([name, item]) => [name, changed(item, { parent, key }, value)]),
  );
}
