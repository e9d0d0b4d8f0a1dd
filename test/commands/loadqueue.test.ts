// Load queues. A stand-in plays a cluster with pending loads, because the service loads at once.
import { expect, test } from 'vitest';
import { runCli } from '../support/cli.ts';
import { standIn } from '../support/stand-in.ts';

const day = (from: number) => `2024-01-0${from}T00:00:00.000Z/2024-01-0${from + 1}T00:00:00.000Z`;
const segment = (from: number) => ({
  dataSource: 'wiki',
  interval: day(from),
  version: 'v1',
  size: 1000 * from,
  identifier: `wiki_${from}`,
});

const behind = () =>
  standIn((response, { path }) => {
    const { searchParams: asked } = new URL(path, 'http://host');
    const shown = (from: number) => (asked.has('full') ? segment(from) : segment(from).identifier);
    const queue = asked.has('simple')
      ? {
          segmentsToLoad: 2,
          segmentsToDrop: 1,
          segmentsToLoadSize: 3000,
          segmentsToDropSize: 3000,
          expectedLoadTimeMillis: 61_000,
        }
      : {
          segmentsToLoad: [shown(1), shown(2)],
          segmentsToDrop: [shown(3)],
          ...(asked.has('full') && { segmentsToMove: [shown(4)] }),
        };
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ 'a:8083': queue, 'b:8083': {} }));
  });

test('a load queue is counted, listed by its ids, or listed with all that is known', async () => {
  const service = await behind();
  const said = async (flags: string) => {
    const { code, stdout, stderr } = await runCli(
      service,
      `servers loadqueue ${flags} --no-header`,
    );
    expect([code, stderr]).toEqual([0, '']);
    return stdout;
  };
  expect(await said('--columns server,toLoad,toDrop')).toBe('a:8083\t2\t1\nb:8083\t\t\n');
  expect(await said('--ids --columns server,action,segment')).toBe(
    'a:8083\tload\twiki_1\na:8083\tload\twiki_2\na:8083\tdrop\twiki_3\n',
  );
  expect(await said('--full --columns action,segment,datasource,size')).toBe(
    [
      'load\twiki_1\twiki\t1000',
      'load\twiki_2\twiki\t2000',
      'drop\twiki_3\twiki\t3000',
      'move\twiki_4\twiki\t4000',
      '',
    ].join('\n'),
  );
  expect(JSON.parse(await said("--full --where 'action = move' -o json"))).toEqual([
    { server: 'a:8083', action: 'move', segment: 'wiki_4', ...segment(4) },
  ]);
});
