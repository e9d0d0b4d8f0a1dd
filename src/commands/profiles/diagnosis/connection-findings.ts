// Causes of failed connections with remedies, and details of the server's certificate.
import type { Finding } from '../../../cli/command/findings.ts';
import { Interrupted, type Unreachable } from '../../../client/errors.ts';
import { proxyIn } from '../../../client/proxy.ts';
import { fetchCertificate, type ShownCertificate } from '../../../client/shown-certificate.ts';
import { type ServicePlace, withScheme } from '../../shared/services/place.ts';

/** One critical finding. Connects to the port once more when the protocol there is a clue. */
export async function explainUnreachable(
  place: ServicePlace,
  error: Unreachable,
): Promise<Finding> {
  const { url, env, patienceMs } = place;
  const early = explainWithoutConnection(place, error);
  if (early) return early;
  const certificate = proxyIn(env, url) ? undefined : await fetchCertificate(url, patienceMs);
  if (url.protocol === 'https:')
    return certificate
      ? explainCertificate(place, error, certificate)
      : await explainMissingTls(place, error);
  return certificate
    ? critical(error, 'tls', {
        remedy: place.setTo('url', withScheme(url, 'https')),
        more: `[${url.host}] uses TLS.`,
      })
    : critical(error, 'protocol', {
        remedy: place.setTo('url', 'URL'),
        more: 'The program at this port is not a web server.',
      });
}

interface Details {
  readonly remedy?: string | undefined;
  readonly more?: string; // a sentence after the one of the error
  readonly facts?: object;
}

const critical = (
  error: Unreachable,
  check: string,
  { remedy, more, facts }: Details,
): Finding => ({
  check,
  state: 'critical',
  says: `${error.message}.${more === undefined ? '' : ` ${more}`}`,
  ...(remedy !== undefined && { remedy }),
  facts: { kind: error.kind, ...facts },
});

// Undefined for errors after the connection, and for TLS.
function explainWithoutConnection(place: ServicePlace, error: Unreachable): Finding | undefined {
  const { url, setTo } = place;
  const { timeout, connectTimeout } = place.resolved.settings;
  switch (error.kind) {
    case 'dns':
      return critical(error, 'host name', {
        remedy: setTo('url', `${url.protocol}//HOST${url.port && `:${url.port}`}`),
        more: 'The name may be misspelled, or known only inside another network.',
      });
    case 'refused':
      return critical(error, 'connection', {
        remedy: setTo('url', `${url.protocol}//${url.hostname}:PORT`),
        more: 'The host is there: the port may be another one (a Router has 8888, with TLS 9088), or the service is not running.',
      });
    case 'connectTimeout':
      return critical(error, 'connection', {
        remedy: setTo('connectTimeout', longerSeconds(connectTimeout)),
        more: 'A firewall may drop the packets, or the host is off.',
      });
    case 'replyTimeout':
      return critical(error, 'answer', {
        remedy: setTo('timeout', longerSeconds(timeout)),
        more: 'The connection was established, but no reply came.',
      });
    case 'proxy':
      return critical(error, 'proxy', { remedy: proxyRemedy(place, error.reason.proxyStatus) });
    default:
      return undefined;
  }
}

const longerSeconds = (setting: number) => `${Math.max(1, Math.ceil(setting * 3))}`;

async function explainMissingTls(place: ServicePlace, error: Unreachable): Promise<Finding> {
  if (!(await speaksHttp(place))) return critical(error, 'tls', { remedy: error.hint });
  const remedy = place.setTo('url', withScheme(place.url, 'http'));
  return critical(error, 'tls', { remedy, more: 'It uses plain HTTP.' });
}

function explainCertificate(
  place: ServicePlace,
  error: Unreachable,
  certificate: ShownCertificate,
): Finding {
  const { url, setTo } = place;
  const { names, issuer, validTo } = certificate;
  const more = `It is for ${joinNames(names)}, signed by [${issuer}], valid until ${dayOf(validTo)}.`;
  const facts = { certificate };
  switch (error.reason.distrust) {
    case 'anotherHost': {
      const [name = 'NAME'] = names;
      const remedy = setTo('url', `https://${name}${url.port && `:${url.port}`}`);
      return critical(error, 'certificate', { remedy, more, facts });
    }
    case 'expired':
    case 'notYetValid': {
      const remedy =
        'check the clock of this machine with date -u; if it is right, the service needs a new certificate';
      return critical(error, 'certificate', { remedy, more, facts });
    }
    case 'selfSigned':
    case 'unknownAuthority':
      return critical(error, 'certificate', { remedy: setTo('cacert', 'FILE'), more, facts });
    default:
      return explainClientCertificate(place, error, facts);
  }
}

function explainClientCertificate(
  { setTo, resolved }: ServicePlace,
  error: Unreachable,
  facts: object,
): Finding {
  const { cert, key } = resolved.settings;
  const one = setTo('cert', 'FILE');
  const both = `${one} key=FILE`;
  const needsKey = cert === undefined ? one.startsWith('svcctl profiles set') : key === undefined;
  return critical(error, 'client certificate', {
    remedy: needsKey ? both : one,
    more:
      cert === undefined
        ? 'It may require a client certificate, and none is set.'
        : `It may not trust the client certificate [${cert}].`,
    facts,
  });
}

/** The details of a trusted certificate. */
export async function certificateFinding({
  url,
  patienceMs,
  resolved: { settings },
  setTo,
}: ServicePlace): Promise<Finding[]> {
  const shown = await fetchCertificate(url, patienceMs);
  if (!shown) return [];
  const check = 'certificate';
  const facts = { certificate: shown };
  if (settings.insecure) {
    const says = `The certificate is not checked: another server could be answering. It is signed by [${shown.issuer}].`;
    return [{ check, state: 'warning', says, remedy: setTo('insecure', 'false'), facts }];
  }
  const days = Math.floor((shown.validTo.getTime() - Date.now()) / 86_400_000);
  const says = `The certificate is for ${joinNames(shown.names)}, signed by [${shown.issuer}], valid for ${days} days.`;
  return [{ check, state: days < 30 ? 'warning' : 'ok', says, facts }];
}

// Sends an http:// request to the port of an https:// address: any reply proves that it speaks
// HTTP.
async function speaksHttp({ url, connect }: ServicePlace): Promise<boolean> {
  try {
    const send = await connect(new URL(withScheme(url, 'http')));
    const reply = await send({ method: 'GET', path: '/status/health', headers: [] });
    await reply.discard();
    return true;
  } catch (error) {
    if (error instanceof Interrupted) throw error;
    return false;
  }
}

function proxyRemedy({ url, env }: ServicePlace, status: number | undefined): string {
  const host = proxyIn(env, url)?.host;
  const scheme = url.protocol.slice(0, -1);
  return status === 407
    ? `export ${scheme}_proxy=http://NAME:PASSWORD@${host}`
    : `export no_proxy=${url.hostname}`;
}

const joinNames = (names: ShownCertificate['names']) =>
  names.length === 0
    ? 'no host'
    : names
        .slice(0, 5)
        .map((name) => `[${name}]`)
        .join(', ');

const dayOf = (time: Date) =>
  Number.isNaN(time.getTime()) ? 'an unknown day' : time.toISOString().slice(0, 10);
