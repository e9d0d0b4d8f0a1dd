// Results of statements: a Parquet file for each, and a row that describes it. A file without a row
// is ignored; a row never lacks its file.
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { withPlace } from '../checks/disk-full.ts';
import type { DataFolder } from './data-folder.ts';
import { moveDurably } from './durable-files.ts';
import type { Transaction } from './metadata.ts';
import { fileName } from './segment-paths.ts';
import {
  deleteResultsWithoutTask,
  findStatementResult,
  type StoredResult,
  setStatementResult,
} from './statement-results.ts';

export class ResultStore {
  readonly #folder: DataFolder;
  readonly #publishing = new Set<string>(); // names of files being published

  constructor(folder: DataFolder) {
    this.#folder = folder;
  }

  /**
   * Stores a result whose rows are in a staged file. `commit` takes part in the transaction that
   * makes the result visible; when it throws, nothing is stored. When this returns, everything is
   * on disk.
   */
  async keep(
    result: StoredResult,
    staged: string,
    commit: (tx: Transaction) => void,
  ): Promise<void> {
    const name = nameOf(result.queryId);
    const file = this.fileOf(result.queryId);
    this.#publishing.add(name);
    try {
      await moveDurably(staged, file);
      this.#folder.metadata.transaction((tx) => {
        setStatementResult(tx, result);
        commit(tx);
      });
    } catch (error) {
      await rm(file, { force: true });
      throw withPlace(error, 'results');
    } finally {
      this.#publishing.delete(name);
    }
  }

  /** The description of a statement's result; undefined when none is stored. */
  find(queryId: string): StoredResult | undefined {
    return findStatementResult(this.#folder.metadata, queryId);
  }

  /** The file with the rows of a statement's result, as an absolute path. */
  fileOf(queryId: string): string {
    return join(this.#folder.results, nameOf(queryId));
  }

  /** Removes results of deleted tasks, and files that a crash left before their row was written. */
  async removeStray(): Promise<void> {
    const { metadata, results } = this.#folder;
    const names = await readdir(results); // before the rows: later files are ignored
    deleteResultsWithoutTask(metadata);
    const kept = new Set(
      metadata
        .all<{ id: string }>('SELECT query_id AS id FROM statement_results')
        .map(({ id }) => nameOf(id)),
    );
    const stray = names.filter((name) => !kept.has(name) && !this.#publishing.has(name));
    for (const name of stray) await rm(join(results, name), { force: true, recursive: true });
  }
}

const nameOf = (queryId: string) => `${fileName(queryId)}.parquet`;
