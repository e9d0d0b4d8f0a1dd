// Refusals of basic security: unauthenticated, unauthorized, and errors of its endpoints.
import { hostname } from 'node:os';
import { Refusal } from '../checks/refusals.ts';

/**
 * The request has no credentials (Druid: PreResponseAuthorizationCheckFilter); `challenges` list
 * the accepted schemes.
 */
export const notAuthenticated = (challenges: readonly string[]) =>
  new Refusal('unauthorized', '', {
    family: 'queryException',
    legacy: { code: 'Unauthorized request', host: hostname() },
    ...(challenges.length > 0 && { headers: { 'www-authenticate': challenges.join(', ') } }),
  });

/** The credentials are wrong. The message does not reveal which part. */
export const authenticationFailed = () =>
  new Refusal('unauthorized', 'User authentication failed.', { family: 'html' });

/** Too many wrong or waiting passwords block further checks now. */
export const tooManyPasswords = (seconds: number) =>
  new Refusal(
    'capacityExceeded',
    `Too many passwords are waiting to be checked; try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}`,
    {
      family: 'simpleMap',
      headers: { 'retry-after': String(seconds) },
    },
  );

/** Time for which an unavailable directory is not tried again. */
export const awaySeconds = 5;

/** The caller may be valid, but the directory that could decide does not answer. */
export const directoryAway = () =>
  new Refusal(
    'serviceUnavailable',
    `The LDAP directory cannot be reached now; try again in ${awaySeconds} seconds`,
    {
      family: 'simpleMap',
      headers: { 'retry-after': String(awaySeconds) },
    },
  );

/** The service does not manage users of a directory. */
export const usersInDirectory = (authenticator: string) =>
  wrong(
    `Authenticator [${authenticator}] reads its users from a directory; create, change and delete them there`,
  );

export const longPassword = (most: number) =>
  wrong(`Invalid value for field [password]: it is longer than ${most} bytes`);
export const unknownAuthenticator = (name: string) =>
  wrong(`Basic authenticator with name [${name}] does not exist.`);
export const unknownAuthorizer = (name: string) =>
  wrong(`Basic authorizer with name [${name}] does not exist.`);
export const unknownUser = (name: string) => wrong(`User [${name}] does not exist.`);
export const knownUser = (name: string) => wrong(`User [${name}] already exists.`);
export const unknownRole = (name: string) => wrong(`Role [${name}] does not exist.`);
export const knownRole = (name: string) => wrong(`Role [${name}] already exists.`);
export const unknownGroup = (name: string) => wrong(`Group mapping [${name}] does not exist.`);
export const knownGroup = (name: string) => wrong(`Group mapping [${name}] already exists.`);
export const userHasRole = (user: string, role: string) =>
  wrong(`User [${user}] already has role [${role}].`);
export const userHasNoRole = (user: string, role: string) =>
  wrong(`User [${user}] does not have role [${role}].`);
export const groupHasRole = (group: string, role: string) =>
  wrong(`Group mapping [${group}] already has role [${role}].`);
export const groupHasNoRole = (group: string, role: string) =>
  wrong(`Group mapping [${group}] does not have role [${role}].`);
export const badPattern = (pattern: string) =>
  wrong(`Invalid permission, resource name regex[${pattern}] does not compile.`);
export const badGroupPattern = (pattern: string) =>
  wrong(
    `Invalid value for field [groupPattern]: [${pattern}] is none of a group's distinguished name, *,DN and RDN,*`,
  );
export const badIterations = (iterations: number, most: number) =>
  wrong(`Invalid value for field [iterations]: [${iterations}] is not between 1 and ${most}`);

const wrong = (message: string) => new Refusal('invalidInput', message, { family: 'simpleMap' });
