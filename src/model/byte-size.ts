// Human-readable sizes (Druid: "Human-readable byte configuration reference").

/**
 * Bytes of `512MB`, `2GiB`, `100`: K, KB, M, ... are powers of 1000, KiB, MiB, ... of 1024.
 * Undefined for other text.
 */
export function parseBytes(text: string): number | undefined {
  const [, digits, prefix = '', binary] =
    /^\s*(\d+(?:\.\d+)?)\s*([kmgtp]?)(i?)b?\s*$/i.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const power = ' kmgtp'.indexOf(prefix.toLowerCase() || ' ');
  return Math.floor(Number(digits) * (binary ? 1024 : 1000) ** power);
}
