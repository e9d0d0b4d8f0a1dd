// Certificate of a port, read without verification, so that its faults can be named.
import { connect } from 'node:tls';

export interface ShownCertificate {
  readonly names: readonly string[]; // the hosts and addresses in it
  readonly issuer: string;
  readonly validFrom: Date;
  readonly validTo: Date;
}

/**
 * Performs a TLS handshake within the given time and disconnects. Returns undefined when the port
 * does not use TLS. Never throws.
 */
export function fetchCertificate(
  url: URL,
  timeoutMs: number,
): Promise<ShownCertificate | undefined> {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const isName = !/^[\d.]+$|:/.test(host); // RFC 6066, section 3: addresses are not server names
  return new Promise((resolve) => {
    const socket = connect({
      host,
      port: Number(url.port || 443),
      rejectUnauthorized: false,
      ...(isName && { servername: host }),
    });
    const end = (shown?: ShownCertificate) => {
      socket.destroy();
      resolve(shown);
    };
    socket.setTimeout(timeoutMs, () => end());
    socket.on('error', () => end());
    socket.on('close', () => end());
    socket.on('secureConnect', () => {
      const {
        subject,
        subjectaltname,
        issuer,
        valid_from: from,
        valid_to: to,
      } = socket.getPeerCertificate();
      const named = [...(subjectaltname ?? '').matchAll(/(?:DNS|IP Address):([^,\s]+)/g)].map(
        ([, name = '']) => name,
      );
      const common = [subject?.CN].flat().filter((name) => name !== undefined);
      end({
        names: named.length > 0 ? named : common,
        issuer: [issuer?.CN ?? issuer?.O ?? 'nobody'].flat().join(', '),
        validFrom: new Date(from),
        validTo: new Date(to),
      });
    });
  });
}
