// The manual pages in package.json: npm links those that are listed one by one, not those of a
// folder.
/** The text of package.json with these files as its manual. */
export function packageWith(text: string, manual: readonly string[]): string {
  return `${JSON.stringify({ ...JSON.parse(text), man: [...manual].sort() }, null, 2)}\n`;
}
