// Manual pages in package.json: npm links only pages that are listed individually, not a folder.
/** The text of package.json with these files as its manual. */
export function packageWith(text: string, manual: readonly string[]): string {
  return `${JSON.stringify({ ...JSON.parse(text), man: [...manual].sort() }, null, 2)}\n`;
}
