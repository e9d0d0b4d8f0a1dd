// The certificate that the service shows now. It is read again when the operator asks, or when its
// files change.
import { createHash, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { SecureContextOptions, TLSSocket } from 'node:tls';
import { CannotStart } from '../process/cannot-start.ts';
import { logEvent, logTrouble } from '../process/log.ts';

/** What a TLS port needs, as node:tls takes it. */
export interface ServerIdentity extends SecureContextOptions {
  readonly cert: string;
  readonly key: string;
}

/** Where it comes from. */
export interface IdentitySource {
  readonly files: readonly string[];
  readonly clients: ClientDemands;
  // How often the files are looked at; undefined: only when asked
  readonly reloadMs: number | undefined;
  /** Reads the files. Throws CannotStart, naming what cannot be used. */
  read(): ServerIdentity;
}

/**
 * What is asked of clients: nothing, a certificate if they have one, or a certificate in any case.
 */
export interface ClientDemands {
  readonly requestCert: boolean;
  readonly rejectUnauthorized: boolean;
  /** Whether a connection is served, once its certificate is known to be trusted. */
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

  /** Throws CannotStart when the source cannot be used. */
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

  /** Calls the listener with each identity that replaces the one before. */
  onChange(listener: (identity: ServerIdentity) => void): void {
    this.#listeners.add(listener);
  }

  /**
   * Reads the files again, for new connections. Files that cannot be used are logged, and leave the
   * certificate that is in use. Returns whether the new one is used.
   */
  reload(): boolean {
    this.#digest = digestOf(this.#source.files);
    try {
      this.#identity = this.#source.read();
    } catch (error) {
      if (!(error instanceof CannotStart)) throw error;
      logTrouble(
        `The certificate in use stays, because the new one cannot be used. ${error.message}`,
      );
      return false;
    }
    for (const listener of this.#listeners) listener(this.#identity);
    this.#remind();
    logEvent('The certificate is reloaded', { ...this.shown });
    return true;
  }

  /** Whose certificate it is and when it ends. */
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

  // Clients refuse an expired certificate, whatever the service does.
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

// A file that is being replaced may be missing for a moment.
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
  readonly port: number | undefined; // the Router's; undefined: so far above its port in plain text
}
