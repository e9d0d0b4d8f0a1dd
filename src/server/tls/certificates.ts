// Current certificate of the service. It is read again on request of the operator, or when its
// files change.
import { createHash, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { SecureContextOptions, TLSSocket } from 'node:tls';
import { CannotStart } from '../process/cannot-start.ts';
import { logEvent, logTrouble } from '../process/log.ts';

/** Settings of a TLS port for node:tls. */
export interface ServerIdentity extends SecureContextOptions {
  readonly cert: string;
  readonly key: string;
}

/** Source of an identity. */
export interface IdentitySource {
  readonly files: readonly string[];
  readonly clients: ClientDemands;
  // Interval for checking the files; undefined: only on request
  readonly reloadMs: number | undefined;
  /** Reads the files. Throws CannotStart with the name of the unusable file. */
  read(): ServerIdentity;
}

/** Requirements for client certificates: none, optional, or mandatory. */
export interface ClientDemands {
  readonly requestCert: boolean;
  readonly rejectUnauthorized: boolean;
  /** Whether to serve a connection with a trusted certificate. */
  readonly admits?: (socket: TLSSocket) => Promise<boolean>;
}

const dayMs = 86_400_000;
const remindedDays = 14;

export class Certificates {
  readonly clients: ClientDemands;
  readonly #source: IdentitySource;
  readonly #listeners = new Set<(identity: ServerIdentity) => void>();
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #reminder: NodeJS.Timeout;
  #digest: string;
  #identity: ServerIdentity;

  /** Throws CannotStart for an unusable source. */
  constructor(source: IdentitySource) {
    this.#source = source;
    this.clients = source.clients;
    this.#digest = digestOf(source.files);
    this.#identity = source.read();
    this.#remind();
    this.#reminder = setInterval(() => this.#remind(), dayMs).unref();
    if (source.reloadMs === undefined) return;
    this.#timer = setInterval(() => this.#reloadChanged(), source.reloadMs).unref();
  }

  get identity(): ServerIdentity {
    return this.#identity;
  }

  /** Calls the listener with each new identity. */
  onChange(listener: (identity: ServerIdentity) => void): void {
    this.#listeners.add(listener);
  }

  /**
   * Reads the files again, for new connections. Unusable files are logged, and the current
   * certificate stays in use. Returns whether the new one is used.
   */
  reload(): boolean {
    this.#digest = digestOf(this.#source.files);
    try {
      this.#identity = this.#source.read();
    } catch (error) {
      if (!(error instanceof CannotStart)) throw error;
      logTrouble(
        `The service keeps its certificate, because the new one cannot be used. ${error.message}`,
      );
      return false;
    }
    for (const listener of this.#listeners) listener(this.#identity);
    this.#remind();
    logEvent('The service reloaded its certificate', { ...this.shown });
    return true;
  }

  /** Subject and end of the current certificate. */
  get shown(): {
    readonly subject: string;
    readonly validTo: string;
    readonly fingerprint: string;
  } {
    const { subject, validTo, fingerprint256 } = new X509Certificate(this.#identity.cert);
    return {
      subject: subject.replaceAll('\n', ', '),
      validTo: new Date(validTo).toISOString(),
      fingerprint: fingerprint256,
    };
  }

  close(): void {
    clearInterval(this.#timer);
    clearInterval(this.#reminder);
  }

  // Clients refuse an expired certificate in any case.
  #remind(): void {
    const { subject, validTo } = this.shown;
    if (Date.parse(validTo) - Date.now() < remindedDays * dayMs)
      logTrouble(
        `The certificate [${subject}] expires on [${validTo}]. Replace its file and send SIGHUP to process [${process.pid}]`,
      );
  }

  #reloadChanged(): void {
    if (digestOf(this.#source.files) !== this.#digest) this.reload();
  }
}

// A file may be missing for a moment during its replacement.
function digestOf(files: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of files) {
    try {
      hash.update(readFileSync(file));
    } catch (error) {
      hash.update(String((error as NodeJS.ErrnoException).code));
    }
  }
  return hash.digest('hex');
}

export interface TlsPorts {
  readonly certificates: Certificates;
  readonly port: number | undefined; // the Router's; undefined: above the port for plain text
}
