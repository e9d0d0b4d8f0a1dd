// Start with stored supervisors that are damaged or of another version.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startServer } from '../../../../src/server/server.ts';
import { openMetadata } from '../../../../src/server/storage/metadata.ts';
import { startService } from '../../../support/service.ts';
import { temporaryFolder } from '../../../support/storage.ts';
import { streamSpec } from '../../../support/supervisors.ts';
import { ask } from '../../../support/users.ts';

const columns = [
  ['supervisors', 'spec'],
  ['supervisor_history', 'spec'],
  ['compaction_configs', 'config'],
  ['rules', 'rules'],
  ['lookups', 'spec'],
  ['config', 'value'],
  ['datasource_metadata', 'metadata'],
  ['task_payloads', 'payload'],
] as const;

async function filledFolder(): Promise<string> {
  const dataDir = await temporaryFolder();
  const service = await startServer({ port: 0, dataDir });
  const index = { type: 'index_parallel', id: 'waits', spec: indexSpec };
  for (const [path, body] of [
    ['indexer/v1/supervisor', streamSpec({ suspended: true })],
    ['coordinator/v1/config/compaction', { dataSource: 'edits' }],
    ['coordinator/v1/rules/edits', [{ type: 'loadForever' }]],
    ['coordinator/v1/config', { maxSegmentsToMove: 3 }],
    ['coordinator/v1/lookups/config', {}],
    [
      'coordinator/v1/lookups/config/__default/a',
      { version: '1', lookupExtractorFactory: { type: 'map', map: { a: 'b' } } },
    ],
    ['indexer/v1/task', index],
  ] as const)
    expect([path, (await ask(service, undefined, `POST /svc/${path}`, body)).status < 300]).toEqual(
      [path, true],
    );
  await service.close();
  return dataDir;
}

const indexSpec = {
  dataSchema: { dataSource: 'edits', timestampSpec: { column: 't' }, dimensionsSpec: {} },
  ioConfig: {
    type: 'index_parallel',
    inputSource: { type: 'inline', data: '{"t":1}' },
    inputFormat: { type: 'json' },
  },
};

test.each(['{', '[]', '5', '{"type":"kafka","id":"edits","spec":{"ioConfig":{}}}'])(
  'a service starts although its store holds %s in place of every document',
  async (damage) => {
    const dataDir = await filledFolder();
    const metadata = openMetadata(join(dataDir, 'metadata.sqlite'));
    for (const [table, column] of columns)
      metadata.run(`UPDATE ${table} SET ${column} = ?`, damage);
    metadata.run(`UPDATE tasks SET status = 'RUNNING', runner_status = 'WAITING'`);
    metadata.close();
    const service = await startService({ dataDir });
    const get = async (path: string) => {
      const { status, text } = await ask(service, undefined, `GET /svc/indexer/v1/${path}`);
      return { status, body: JSON.parse(text) };
    };
    const bad = { id: 'edits', state: 'UNHEALTHY_SUPERVISOR', healthy: false };
    expect((await get('supervisor?state=true')).body).toMatchObject([bad]);
    expect((await get('supervisor/edits/health')).status).toBe(503);
    const { recentErrors } = (await get('supervisor/edits/status')).body.payload;
    expect(recentErrors).toMatchObject([{ message: expect.stringMatching(/\[/) }]);
    expect((await get('supervisor/history')).status).toBe(200);
    expect((await get('task/waits/status')).body.status).toMatchObject({ status: 'FAILED' });
    const again = await ask(
      service,
      undefined,
      'POST /svc/indexer/v1/supervisor',
      streamSpec({ suspended: true }),
    );
    expect(again.status).toBe(200);
    expect((await get('supervisor?state=true')).body).toMatchObject([
      { id: 'edits', suspended: true, healthy: true },
    ]);
    expect(
      (await ask(service, undefined, 'POST /svc/indexer/v1/supervisor/edits/terminate')).status,
    ).toBe(200);
  },
);
