// Check for arguments that are not UTF-8. Node replaces their invalid bytes by U+FFFD, so a command
// would use a wrong name.
import { readFileSync } from 'node:fs';
import { UsageError } from '../process/errors.ts';

/** Throws UsageError for an argument that is not UTF-8, on systems that expose the bytes. */
export function checkUtf8(argv: readonly string[]): void {
  if (!argv.some((word) => word.includes('\uFFFD'))) return;
  const wrong = wordsOfThisProcess().find((word) => !isUtf8(word));
  if (wrong !== undefined)
    throw new UsageError(
      `Argument [${Buffer.from(wrong)}] is not UTF-8`,
      'it is in another encoding; convert it with iconv -t UTF-8',
    );
}

function wordsOfThisProcess(): Buffer[] {
  try {
    const all = readFileSync('/proc/self/cmdline');
    const ends = [...all.keys()].filter((at) => all[at] === 0);
    return ends.map((end, at) => all.subarray(at === 0 ? 0 : (ends[at - 1] ?? 0) + 1, end));
  } catch {
    return [];
  }
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
