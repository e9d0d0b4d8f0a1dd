// Certificates of the tests: an authority, a server (127.0.0.1, service.test) and a client it
// knows, and a server that knows itself only.
import { readFileSync } from 'node:fs';

/** Where a file of `certificates` is. */
export const certificate = (name: string): string =>
  new URL(`certificates/${name}`, import.meta.url).pathname;

/** The text of one. */
export const pem = (name: string): string => readFileSync(certificate(name), 'utf8');

/** The certificate and the key of somebody. */
export const identity = (name: string) => ({
  cert: readFileSync(certificate(`${name}.pem`)),
  key: readFileSync(certificate(`${name}.key.pem`)),
});
