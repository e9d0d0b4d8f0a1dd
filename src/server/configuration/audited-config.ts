// Dynamic configuration: one document and its change history (Druid: JacksonConfigManager).
import type { AuditEntry } from '../../contract/audit.ts';
import { formatJson } from '../../model/json.ts';
import type { Caller } from '../handlers/routes.ts';
import { type AuditInfo, addAuditEntry } from '../storage/audit.ts';
import { findConfig, setConfig } from '../storage/config.ts';
import type { Transaction } from '../storage/metadata.ts';
import { auditHistory, type HistoryParts, type HistoryQuery } from './audit-history.ts';

export class AuditedConfig<Config> {
  readonly #parts: HistoryParts;
  readonly #key: string;

  /**
   * `key` names the configuration in the store; in its history, it is both key and type:
   * `coordinator.config`.
   */
  constructor(key: string, parts: HistoryParts) {
    this.#key = key;
    this.#parts = parts;
  }

  /** The current configuration; undefined when it was never set. */
  find(): Config | undefined {
    return findConfig<Config>(this.#parts.metadata, this.#key);
  }

  /**
   * Replaces the configuration and records it in the history; an equal configuration changes
   * nothing. `also` takes part in the transaction of a change.
   */
  set(
    config: Config,
    auditInfo: AuditInfo,
    also: (tx: Transaction) => void = () => undefined,
  ): void {
    const { metadata, now } = this.#parts;
    const payload = formatJson(config);
    metadata.transaction((tx) => {
      const before = findConfig(tx, this.#key);
      if (before !== undefined && formatJson(before) === payload) return;
      setConfig(tx, this.#key, config);
      also(tx);
      addAuditEntry(tx, { key: this.#key, type: this.#key, auditInfo, payload, timeMs: now() });
    });
  }

  /** Authors and times of changes. Refuses the same queries as `auditHistory`. */
  history(query: HistoryQuery): AuditEntry[] {
    return auditHistory(this.#parts, { type: this.#key, key: this.#key }, query);
  }
}

/** Signature of a change: author and comment from the headers, the rest from the connection. */
export const auditInfoFrom = (
  { author = '', comment = '' }: { author?: string; comment?: string },
  { identity, ip }: Caller,
): AuditInfo => ({
  author,
  comment,
  identity,
  ip,
});
