// Causes of failed connections with remedies, and details of the server's certificate.
import type { Finding } from '../../../cli/command/findings.ts';
import { Interrupted, type Unreachable } from '../../../client/errors.ts';
import { proxyIn } from '../../../client/proxy.ts';
import { fetchCertificate, type ShownCertificate } from '../../../client/shown-certificate.ts';
import { type ServicePlace, withScheme } from '../../shared/services/place.ts';

/** One critical finding. Connects to the port once more when the protocol there is a clue. */
export async function whyUnreachable(place: ServicePlace, error: Unreachable): Promise<Finding> {
  const { url, env, setTo, patienceMs } = place;
  const isTls = url.protocol === 'https:';
  const critical = (check: string, remedy?: string, more = '', facts?: object): Finding => ({
    check,
    state: 'critical',
    says: `${error.message}.${more}`,
    ...(remedy !== undefined && { remedy }),
    facts: { kind: error.kind, ...facts },
  });
  const seconds = (setting: number) => `${Math.max(1, Math.ceil(setting * 3))}`;
  const { timeout, connectTimeout } = place.resolved.settings;
  switch (error.kind) {
    case 'dns':
      return critical(
        'host name',
        setTo('url', `${url.protocol}//HOST${url.port && `:${url.port}`}`),
        ' The name may be misspelled, or known only inside another network.',
      );
    case 'refused':
      return critical(
        'connection',
        setTo('url', `${url.protocol}//${url.hostname}:PORT`),
        ' The host is there: the port may be another one (a Router has 8888, with TLS 9088), or the service is not running.',
      );
    case 'connectTimeout':
      return critical(
        'connection',
        setTo('connectTimeout', seconds(connectTimeout)),
        ' A firewall may drop the packets, or the host is off.',
      );
    case 'replyTimeout':
      return critical(
        'answer',
        setTo('timeout', seconds(timeout)),
        ' The connection was established, but no reply came.',
      );
    case 'proxy':
      return critical('proxy', proxyRemedy(place, error.reason.proxyStatus));
    default:
  }
  const shown = proxyIn(env, url) ? undefined : await fetchCertificate(url, patienceMs);
  if (!isTls && shown)
    return critical('tls', setTo('url', withScheme(url, 'https')), ` [${url.host}] speaks TLS.`);
  if (!isTls)
    return critical(
      'protocol',
      setTo('url', 'URL'),
      ' The program at this port is not a web server.',
    );
  if (shown === undefined && (await speaksHttp(place)))
    return critical('tls', setTo('url', withScheme(url, 'http')), ' It uses plain HTTP.');
  if (shown === undefined) return critical('tls', error.hint);
  const facts = { certificate: shown };
  const about = ` It is for ${joinNames(shown.names)}, signed by [${shown.issuer}], valid until ${dayOf(shown.validTo)}.`;
  const { distrust } = error.reason;
  if (distrust === 'anotherHost') {
    const [name = 'NAME'] = shown.names;
    return critical(
      'certificate',
      setTo('url', `https://${name}${url.port && `:${url.port}`}`),
      about,
      facts,
    );
  }
  if (distrust === 'expired' || distrust === 'notYetValid')
    return critical(
      'certificate',
      'check the clock of this machine with date -u; if it is right, the service needs a new certificate',
      about,
      facts,
    );
  if (distrust === 'selfSigned' || distrust === 'unknownAuthority')
    return critical('certificate', setTo('cacert', 'FILE'), about, facts);
  const { cert, key } = place.resolved.settings;
  const remedy =
    cert === undefined || key === undefined
      ? `${setTo('cert', 'FILE')} key=FILE`
      : setTo('cert', 'FILE');
  const why =
    cert === undefined
      ? ' It may require a client certificate, and none is set.'
      : ` It may not trust the client certificate [${cert}].`;
  return critical(
    'client certificate',
    cert === undefined && !remedy.startsWith('svcctl profiles set')
      ? setTo('cert', 'FILE')
      : remedy,
    why,
    facts,
  );
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
