import { expect, test } from 'vitest';
import { lines, runCli } from '../support/cli.ts';
import { startService } from '../support/service.ts';
import { standIn } from '../support/stand-in.ts';

test('a cluster is looked at from a shell: status, health, leader, properties, readiness, duties', async () => {
  const service = await startService({
    rolePorts: true,
    properties: { 'svc.coordinator.period': 'PT10S', 'svc.some.password': 'secret' },
  });
  const out = async (line: string) => {
    const { stdout, code } = await runCli(service, `cluster ${line}`);
    expect(code).toBe(0);
    return stdout;
  };
  expect(JSON.parse(await out('status -o json'))).toMatchObject({
    selfDiscovered: true,
    version: expect.any(String),
  });
  expect(JSON.parse(await out('health -o json'))).toEqual({ healthy: true, ready: true });
  const coordinator = service.urls.get('coordinator');
  expect(lines(await out('leader -o tsv'))).toEqual([
    'role\taddress\tleads',
    `coordinator\t${coordinator}\ttrue`,
    `overlord\t${service.urls.get('overlord')}\ttrue`,
  ]);
  expect(await out('properties svc.coordinator.period -o csv --no-header')).toMatch(
    /^svc.coordinator.period,PT10S\r?\n$/,
  );
  expect(await out('properties')).not.toContain('secret');
  expect(lines(await out('readiness -o tsv'))).toEqual([
    'what\tstate',
    'discovered\tready',
    'broker\tready',
    'broker inventory\tready',
    'historical\tready',
    'historical cache\tready',
  ]);
  const broker = service.urls.get('broker')?.replace('http://', '');
  expect(JSON.parse(await out('routes'))).toEqual({
    brokers: { 'svc/broker': [broker] },
    forwards: true,
  });
  expect(await out('duties -o tsv')).toMatch(/^HistoricalManagementDuties\tPT10S\t/m);
  const historical = await runCli(
    { url: service.urls.get('historical') ?? '' },
    'cluster readiness -o tsv --service svc',
  );
  expect(lines(historical.stdout).slice(4)).toEqual([
    'historical\tready',
    'historical cache\tready',
  ]);
});

test('the Router of the real engine forwards to no Historical, which the command says', async () => {
  const service = await startService({ rolePorts: true, service: 'druid' });
  const { stdout, code } = await runCli(service, 'cluster readiness -o tsv --service druid');
  expect([code, lines(stdout).slice(4)]).toEqual([
    0,
    ['historical\tnot here', 'historical cache\tnot here'],
  ]);
});

test('a server that is not ready yet is told from one that is, by the exit code too', async () => {
  const service = await standIn((response, { path }) => {
    const isReadiness = path.endsWith('/readiness');
    response.writeHead(isReadiness ? 503 : 200, { 'content-type': 'application/json' });
    response.end(isReadiness ? '' : '{"inventoryInitialized":false,"cacheInitialized":true}');
  });
  const { stdout, code } = await runCli(service, 'cluster readiness -o tsv --service svc');
  expect(code).toBe(10);
  expect(lines(stdout)).toContain('broker\tnot ready');
  expect(lines(stdout)).toContain('broker inventory\tnot ready');
});
