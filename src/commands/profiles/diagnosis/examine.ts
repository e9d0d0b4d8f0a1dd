// Diagnosis of a profile in the order in which a request meets obstacles: network, TLS, proxy,
// credentials, service, name, role. It stops at the first problem, because later checks depend on
// earlier ones.
import { objectIn } from '../../../cli/command/discover.ts';
import type { Finding } from '../../../cli/command/findings.ts';
import type { Outcome } from '../../../cli/process/exit-codes.ts';
import { placeOfPassword } from '../../../cli/profiles/secrets.ts';
import { Unreachable } from '../../../client/errors.ts';
import { failureOf, isHtml, wordsOf, wrongAddressHint } from '../../../client/failure-body.ts';
import { headerOf, type Reply, type Transport } from '../../../client/message.ts';
import { proxyIn } from '../../../client/proxy.ts';
import { commandLine } from '../../../model/shell-text.ts';
import { examineName } from '../../shared/services/name.ts';
import { type ServicePlace, withScheme } from '../../shared/services/place.ts';
import { certificateFinding, explainUnreachable } from './connection-findings.ts';

export interface Diagnosis {
  readonly findings: readonly Finding[];
  readonly outcome: Outcome; // of the first problem
}

/**
 * Sends at most a dozen small read requests. Throws BadSettings and Interrupted; every other
 * problem is a finding.
 */
export async function examine(place: ServicePlace): Promise<Diagnosis> {
  const findings: Finding[] = [];
  try {
    const send = await place.connect();
    const reply = await send({ method: 'GET', path: '/status', headers: [] });
    const body = await reply.text();
    findings.push(...(await wayThere(place)));
    const wrong = whatAnswers(place, reply, body);
    if (wrong) return { findings: [...findings, wrong.finding], outcome: wrong.outcome };
    findings.push(answers(body), ...whoAsks(place));
    const named = await examineName(place, send);
    return {
      findings: [...findings, ...named, ...(await examineDiscovery(send))],
      outcome: outcomeOf(named),
    };
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    return {
      findings: [...findings, await explainUnreachable(place, error)],
      outcome: 'unreachable',
    };
  }
}

const outcomeOf = (findings: readonly Finding[]): Outcome =>
  findings.some(({ state }) => state === 'critical') ? 'failed' : 'done';

async function wayThere(place: ServicePlace): Promise<Finding[]> {
  const { url, env } = place;
  const proxy = proxyIn(env, url);
  const through = proxy ? ` through the proxy [${proxy.host}]` : '';
  const way: Finding = {
    check: 'connection',
    state: 'ok',
    says: `Something answers at [${url.origin}]${through}.`,
    facts: { url: url.href },
  };
  return url.protocol === 'https:' && !proxy ? [way, ...(await certificateFinding(place))] : [way];
}

const answers = (body: string): Finding => {
  const { version = 'unknown' } = objectIn(body);
  return {
    check: 'status',
    state: 'ok',
    says: `The service is of version ${version}.`,
    facts: { version },
  };
};

function whatAnswers(
  place: ServicePlace,
  reply: Reply,
  body: string,
): { finding: Finding; outcome: Outcome } | undefined {
  const { status, statusText, headers } = reply;
  const { url, env, resolved, setTo } = place;
  const proxy = proxyIn(env, url);
  const said = `${status} ${statusText}`.trim();
  const user = resolved.settings.user;
  if (proxy && status >= 502 && status <= 504) {
    const says = `The proxy [${proxy.host}] cannot reach [${url.origin}] (${said}).`;
    return {
      finding: {
        check: 'proxy',
        state: 'critical',
        says,
        remedy: `export no_proxy=${url.hostname}`,
      },
      outcome: 'unreachable',
    };
  }
  if (status === 400 && /plain HTTP request|HTTP request to an HTTPS/i.test(body)) {
    const says = `[${url.origin}] uses TLS, but the URL has http://.`;
    return {
      finding: {
        check: 'tls',
        state: 'critical',
        says,
        remedy: setTo('url', withScheme(url, 'https')),
      },
      outcome: 'unreachable',
    };
  }
  const { bodyKind, hint, message } = failureOf(reply, body);
  const isStranger = bodyKind === 'html' && hint === wrongAddressHint;
  if (status === 401) {
    const scheme = headerOf(headers, 'www-authenticate')?.split(/[\s,]/)[0];
    const from = placeOfPassword(resolved, env);
    const says =
      user === undefined
        ? 'The service requires a user (401), and none is set.'
        : `The service rejected user [${user}] with the password from ${from ?? 'the prompt'} (401).`;
    const other =
      scheme && !/^basic$/i.test(scheme)
        ? ` It requires [${scheme}]; svcctl supports only Basic.`
        : '';
    return {
      finding: { check: 'login', state: 'critical', says: says + other, remedy: loginOf(place) },
      outcome: 'denied',
    };
  }
  if (status === 403 && !isStranger) {
    const says = `The service knows user [${user ?? 'anonymous'}], who lacks the permission to read its state (403).`;
    const remedy = "svcctl permissions grant ROLE --type STATE --name '.*' --action READ";
    return { finding: { check: 'login', state: 'critical', says, remedy }, outcome: 'denied' };
  }
  if (status === 200 && typeof objectIn(body).version === 'string' && !isHtml(headers, body))
    return;
  const program = headerOf(headers, 'server');
  const what = isHtml(headers, body)
    ? `a web page: ${wordsOf(body)}`
    : body.trim() === ''
      ? 'nothing'
      : wordsOf(body);
  const failed = bodyKind !== 'html' && status >= 500;
  const says = failed
    ? `The service answered ${said}: ${message}`
    : `Another program answers at [${url.origin}]${program ? ` (${program})` : ''}: /status says ${said}, ${what}`;
  const remedy = failed ? 'svcctl status health' : setTo('url', 'URL');
  return {
    finding: {
      check: 'status',
      state: 'critical',
      says,
      remedy,
      facts: { status, server: program },
    },
    outcome: 'failed',
  };
}

function whoAsks({ resolved, env }: ServicePlace): Finding[] {
  const { user } = resolved.settings;
  if (user === undefined) return [];
  const from = placeOfPassword(resolved, env) ?? 'the prompt';
  return [
    {
      check: 'login',
      state: 'ok',
      says: `User [${user}] is known; the password comes from ${from}.`,
      facts: { user },
    },
  ];
}

const loginOf = ({ resolved: { settings, profileName } }: ServicePlace) => {
  const user = settings.user ?? 'USER';
  return profileName === undefined
    ? commandLine`svcctl login --user ${user}`
    : commandLine`svcctl login --profile ${profileName} --user ${user}`;
};

async function examineDiscovery(send: Transport): Promise<Finding[]> {
  const reply = await send({ method: 'GET', path: '/status/selfDiscovered/status', headers: [] });
  const { selfDiscovered } = objectIn(await reply.text());
  if (selfDiscovered !== false) return [];
  const says =
    'The other servers of the cluster do not see this one: it may still be starting, or it cannot reach them.';
  return [{ check: 'cluster', state: 'warning', says, remedy: 'svcctl cluster doctor' }];
}
