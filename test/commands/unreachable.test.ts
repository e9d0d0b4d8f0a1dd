// Servers that hang, ask for a login, redirect to a login page, or stand in front of no service.
import { expect, test } from 'vitest';
import { runCli } from '../support/cli.ts';
import { standIn } from '../support/stand-in.ts';

test('a service that hangs is named on a terminal, and Ctrl-C stops the wait', async () => {
  const { url } = await standIn(() => {});
  const { stdout, code } = await runCli({ url }, 'tasks list', {
    tty: true,
    types: [['Waiting for an answer', '\x03']],
  });
  expect(stdout).toContain(`Waiting for an answer of [${url}]; Ctrl-C stops.`);
  expect(stdout).toContain('Interrupted');
  expect(code).toBe(130);
});

test('a service that asks for a login has rejected nobody', async () => {
  const { url } = await standIn((response) =>
    response.writeHead(401, { 'content-type': 'text/html' }).end('<html>401</html>'),
  );
  const asked = await runCli({ url }, 'tasks list');
  expect([asked.code, asked.stderr]).toEqual([
    4,
    expect.stringMatching(
      /^error: The service asks for a user and a password.*\nhint: --user NAME /,
    ),
  ]);
  const rejected = await runCli({ url }, 'tasks list --user ann', {
    env: { SVCCTL_PASSWORD: 'wrong' },
  });
  expect(rejected.stderr).toContain('The service rejected this user and password');
});

test('a redirect to another place is said when that place cannot be reached', async () => {
  const { url } = await standIn((response) =>
    response.writeHead(302, { location: 'http://sso.invalid/login?from=1' }).end(),
  );
  const { code, stderr } = await runCli({ url }, 'tasks list');
  expect([code, stderr]).toEqual([
    6,
    expect.stringMatching(
      /^error: The service redirects to \[http:\/\/sso\.invalid\/login\]: The host/,
    ),
  ]);
});

test('a proxy that cannot reach the service is not taken for the service', async () => {
  const { url } = await standIn((response) =>
    response
      .writeHead(502, { 'content-type': 'text/html' })
      .end('<html><title>502 Bad Gateway</title></html>'),
  );
  const { code, stderr } = await runCli({ url }, 'tasks list');
  expect([code, stderr]).toEqual([
    6,
    expect.stringContaining('hint: a proxy in front of the service cannot reach it'),
  ]);
});
