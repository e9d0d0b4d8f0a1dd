// Sizes as people write them (Druid: "Human-readable byte configuration reference").

/**
 * `512MB`, `2GiB`, `100`: in bytes; K, KB, M, ... are powers of 1000, KiB, MiB, ... of 1024.
 * Undefined for anything else.
 */
export function parseBytes(text: string): number | undefined {
  const [, digits, prefix = '', binary] =
    /^\s*(\d+(?:\.\d+)?)\s*([kmgtp]?)(i?)b?\s*$/i.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const power = ' kmgtp'.indexOf(prefix.toLowerCase() || ' ');
  return Math.floor(Number(digits) * (binary ? 1024 : 1000) ** power);
}
