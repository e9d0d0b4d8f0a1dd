import { expect, test } from 'vitest';
import { startService } from '../../support/service.ts';
import { api } from '../../support/wire.ts';

test('sys.server_properties has the properties of each server', async () => {
  const { post } = api(await startService());
  const query = `SELECT node_roles, "value" FROM sys.server_properties WHERE property = 'svc.service' ORDER BY 1`;
  const { body } = await post('/svc/v2/sql', { query, resultFormat: 'array' });
  expect(body).toEqual(
    ['broker', 'coordinator', 'historical', 'middleManager', 'overlord', 'router'].map((role) => [
      `[${role}]`,
      `svc/${role}`,
    ]),
  );
});

test('the Router says that it forwards to Coordinator and Overlord, as the doctor of the web console asks', async () => {
  const { get } = api(await startService());
  const name = 'svc.router.managementProxy.enabled';
  expect((await get('/status/properties')).body).toMatchObject({
    'svc.service': 'svc/router',
    [name]: 'true',
  });
  expect((await get('/proxy/coordinator/status/properties')).body).not.toHaveProperty([name]);
});

test('an engine that there is not, and a header that is neither true nor false, are refused by name', async () => {
  const { post } = api(await startService());
  const asked = async (more: object) =>
    (await post('/svc/v2/sql', { query: 'SELECT 1', ...more })).body.errorMessage;
  expect(await asked({ context: { engine: 'steam' } })).toBe('Unsupported engine[steam]');
  expect(await asked({ header: 'maybe' })).toContain(
    'Cannot deserialize value of type `boolean` from [maybe]',
  );
  expect(await asked({ resultFormat: 'xml' })).toContain('Unknown result format [xml]');
});
