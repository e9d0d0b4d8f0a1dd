// Pairs of large lookups as files that queries read. A file is written when a query first uses the
// lookup, and again after each change. DuckDB reads a text in a file much faster than the same text
// in a statement.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withPlace } from '../checks/disk-full.ts';
import type { DataFolder } from './data-folder.ts';
import { HeldFiles } from './held-files.ts';
import {
  defaultLookupTier,
  findLookupState,
  pairsTextOfLookup,
  writtenPairsOf,
} from './lookups.ts';

export interface LookupFile {
  readonly path: string; // of a JSON object, in which a key may occur twice
  readonly sizeBytes: number;
}

export class LookupFiles {
  readonly #folder: DataFolder;
  readonly #held = new HeldFiles((path) => rmSync(path, { force: true }));
  readonly #files = new Map<string, LookupFile & { readonly revision: number }>();

  constructor(folder: DataFolder) {
    this.#folder = folder;
  }

  /**
   * The file of a lookup that nodes load. Undefined for a small lookup, one without pairs, or a
   * missing one.
   */
  find(name: string): LookupFile | undefined {
    const { metadata, lookups } = this.#folder;
    const lookup = { tier: defaultLookupTier, name };
    const state = findLookupState(metadata, lookup);
    const known = this.#files.get(name);
    if (known && known.revision === state?.revision) return known;
    this.#remove(name);
    if (!state || state.sizeBytes < leastBytes) return undefined;
    const written = writtenPairsOf(metadata, lookup);
    if (written === undefined) return undefined;
    const isPlain = written.startsWith('{') && !halfCharacters.test(written);
    const pairs = isPlain ? written : (pairsTextOfLookup(metadata, lookup, 'object') ?? '{}');
    const file = {
      revision: state.revision,
      path: join(lookups, `${state.revision}.json`),
      sizeBytes: pairs.length,
    };
    try {
      writeFileSync(file.path, pairs, { mode: 0o600 });
    } catch (error) {
      rmSync(file.path, { force: true });
      throw withPlace(error, 'lookups');
    }
    this.#files.set(name, file);
    return file;
  }

  /** Keeps all current files until the returned function is called. */
  hold(): () => void {
    return this.#held.hold();
  }

  /** Removes the files of changed and deleted lookups. */
  removeStale(): void {
    for (const [name, { revision }] of this.#files) {
      if (
        findLookupState(this.#folder.metadata, { tier: defaultLookupTier, name })?.revision !==
        revision
      )
        this.#remove(name);
    }
  }

  #remove(name: string): void {
    const known = this.#files.get(name);
    if (!known) return;
    this.#files.delete(name);
    this.#held.remove(known.path);
  }
}

const leastBytes = 32 * 1024;

// Escapes of unpaired surrogates, which DuckDB's JSON rejects. An escaped backslash before such
// letters matches, too.
const halfCharacters =
  /\\u[dD][89abAB]..(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..)\\u[dD][c-fC-F]|\\\\u[dD][89a-fA-F]/;
