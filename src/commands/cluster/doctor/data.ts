// Checks of unavailable segments and missing replicas.
import type { Context } from '../../../cli/command/command.ts';
import type { Finding } from '../../../cli/command/findings.ts';
import { ifKnown } from '../../../cli/command/if-known.ts';
import { cluster } from '../../../contract/cluster.ts';
import { commandLine } from '../../../model/shell-text.ts';
import { copiesByDatasource } from '../../shared/segments/missing-copies.ts';

export async function examineData({ call }: Context): Promise<readonly Finding[]> {
  const [left, wanted, possible] = await Promise.all([
    call(cluster.loadStatus, { query: { simple: true } }),
    call(cluster.loadStatus, { query: { full: true } }),
    ifKnown(call(cluster.loadStatus, { query: { full: true, computeUsingClusterView: true } })),
  ]);
  const unavailable = Object.entries(left).flatMap(([name, count]) =>
    Number(count) > 0 ? [[name, Number(count)] as const] : [],
  );
  const missing = copiesByDatasource(possible ?? wanted);
  const impossible = [...copiesByDatasource(wanted)].filter(
    ([name, count]) => count > (missing.get(name) ?? 0),
  );
  const copies = impossible.reduce(
    (sum, [name, count]) => sum + count - (missing.get(name) ?? 0),
    0,
  );
  const isLost = new Map(unavailable);
  return [
    ...unavailable.map(
      ([name, count]): Finding => ({
        check: 'unavailable',
        state: 'critical',
        says: `${countSegments(count)} of datasource [${name}] ${count === 1 ? 'is' : 'are'} wanted and not loaded: queries do not see ${count === 1 ? 'it' : 'them'}`,
        remedy: commandLine`svcctl datasources load-status ${name}`,
        facts: { datasource: name, segments: count },
      }),
    ),
    ...[...missing].flatMap(([name, count]): Finding[] =>
      count > 0 && !isLost.has(name)
        ? [
            {
              check: 'replicas',
              state: 'warning',
              says: `${count} ${count === 1 ? 'copy' : 'copies'} of segments of datasource [${name}] are missing`,
              remedy: 'svcctl segments missing --compute-using-cluster-view',
              facts: { datasource: name, copies: count },
            },
          ]
        : [],
    ),
    ...(copies > 0
      ? [
          {
            check: 'replicas',
            state: 'note',
            says: `The rules require ${copies} more ${copies === 1 ? 'copy' : 'copies'} than there are servers for (${impossible.map(([name]) => name).join(', ')})`,
            remedy: 'svcctl rules list',
            facts: { copies },
          } as const,
        ]
      : []),
  ];
}

const countSegments = (count: number) => `${count} ${count === 1 ? 'segment' : 'segments'}`;
