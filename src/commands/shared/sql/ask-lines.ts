// Queries that commands send for themselves: names of tables, columns and functions.
import type { CallEndpoint } from '../../../client/client.ts';
import { rowsOf } from '../../../client/line-formats.ts';
import { type SqlRequest, sql } from '../../../contract/sql.ts';
import { formatJson } from '../../../model/json.ts';

/** Sends a query; the values of its rows are texts. */
export type AskLine = (
  query: string,
  parameters?: SqlRequest['parameters'],
) => Promise<readonly (readonly string[])[]>;

export const askLinesWith =
  (call: CallEndpoint): AskLine =>
  async (query, parameters) => {
    const rows: string[][] = [];
    const reply = await call(sql.query, {
      body: { query, resultFormat: 'arrayLines', ...(parameters && { parameters }) },
    });
    for await (const batch of rowsOf(reply, 'arrayLines'))
      for (const row of batch)
        rows.push(
          (row as readonly unknown[]).map((value) =>
            typeof value === 'string' ? value : formatJson(value ?? null),
          ),
        );
    return rows;
  };
