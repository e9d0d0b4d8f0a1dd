// An attack as data: who asks for what, and which endings are right.

/** A file of attacks on one weakness. */
export interface AttackClass {
  readonly name: string;
  readonly attacks: readonly Attack[];
}

export interface Attack {
  readonly name: string;
  readonly as: Identity;
  readonly asks: Asked;
  /**
   * The endings of which one must come. Without any: a right answer cannot be told from a wrong
   * one, and a refusal is due.
   */
  readonly expects: readonly Ending[];
  readonly withinMs?: number; // until the ending; `usualWithinMs` unless given
  /** How a running attack can be ended from outside, where it may run for long. */
  readonly stopsBy?: readonly Stop[];
  /** Sent by the administrator before, each must succeed. */
  readonly prepare?: readonly Plain[];
  /** Sent afterwards, in order, each with endings of its own. */
  readonly then?: readonly Step[];
  /**
   * Sent by the administrator at the end, whatever came of the attack: removes what it may have
   * stored.
   */
  readonly cleanUp?: readonly Plain[];
}

export interface Step {
  readonly afterMs?: number; // what is to be seen needs time
  readonly as: Identity;
  readonly asks: Asked;
  readonly expects: readonly Ending[];
}

/**
 * `anyone` asks a service without users; the others ask a service with users: `admin`, `writer` and
 * `reader` of datasource `wiki`, `powerless`, who is known and has no role, and `stranger`, who
 * sends no password. `control` asks the control port of the service without users.
 */
export type Identity =
  | 'anyone'
  | 'control'
  | 'admin'
  | 'writer'
  | 'reader'
  | 'powerless'
  | 'stranger';

export type Stop = 'timeout' | 'cancel' | 'gone' | 'sigterm';

/** Large texts are made when they are needed. */
export type Lazily<T> = T | (() => T);

export type Asked = Sql | Native | Statement | SqlTask | Task | Plain | Raw;

export interface Sql {
  readonly sql: Lazily<string>;
  readonly context?: Readonly<Record<string, unknown>>;
  readonly parameters?: readonly unknown[];
  readonly resultFormat?: string;
}
export interface Native {
  readonly native: Lazily<object>;
}
/** An asynchronous statement: its ending is the state it comes to. */
export interface Statement {
  readonly statement: Lazily<string>;
  readonly context?: Readonly<Record<string, unknown>>;
}
/** INSERT or REPLACE as a task: its ending is the task's status. */
export interface SqlTask {
  readonly sqlTask: Lazily<string>;
  readonly context?: Readonly<Record<string, unknown>>;
}
/** A task specification: its ending is the task's status. */
export interface Task {
  readonly task: Lazily<object>;
}
export interface Plain {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Lazily<string | Buffer | object>;
}
/** Bytes as they are, on a connection of their own. */
export interface Raw {
  readonly raw: (
    authorization: string,
  ) => Iterable<Buffer | string> | AsyncIterable<Buffer | string>;
}

/** One way in which an attack may end. */
export type Ending =
  | { readonly kind: 'refused'; readonly statuses: readonly number[]; readonly says?: RegExp }
  | { readonly kind: 'rows'; readonly rows: readonly unknown[] } // exactly these
  | { readonly kind: 'answered'; readonly matches: RegExp; readonly lacks?: RegExp } // status 200 to 299
  | { readonly kind: 'held' }; // the connection stays open, and the others are served

export const usualWithinMs = 10_000;

/** A refusal that blames the request: 400, or 501 for what is not there. */
export const refused = (says?: RegExp): Ending => ({
  kind: 'refused',
  statuses: [400, 501],
  ...(says && { says }),
});
export const refusedWith = (statuses: number | readonly number[], says?: RegExp): Ending => ({
  kind: 'refused',
  statuses: [statuses].flat(),
  ...(says && { says }),
});
/** The query took more memory than it may have, or would make a value larger than it may be. */
export const tooMuch: Ending = {
  kind: 'refused',
  statuses: [400, 500],
  says: /memory|limit|at most|too (large|long|many)|larger|longer|exceed|out of range|overflow/i,
};
/** The time in its context was over. */
export const timedOut: Ending = {
  kind: 'refused',
  statuses: [504, 500],
  says: /timeout|timed out/i,
};
/** The values of one row or several, as arrays. */
export const rows = (...rows: readonly (readonly unknown[])[]): Ending => ({ kind: 'rows', rows });
/** One row with one value. */
export const value = (one: unknown): Ending => rows([one]);
export const answered = (matches: RegExp = /(?:)/, lacks?: RegExp): Ending => ({
  kind: 'answered',
  matches,
  ...(lacks && { lacks }),
});
/** A task or statement that failed with a reason. */
export const failed = (why: RegExp = /"(errorMsg|errorMessage)":"[^"]/): Ending =>
  answered(
    new RegExp(`FAILED[\\s\\S]*(?:${why.source})|(?:${why.source})[\\s\\S]*FAILED`, why.flags),
  );
export const succeeded: Ending = answered(/SUCCESS/);
/** The connection is still open when the time is over. */
export const held: Ending = { kind: 'held' };
export const forbidden: Ending = { kind: 'refused', statuses: [403] };

/** A path of the service, after its own name. */
export const get = (path: string, headers?: Readonly<Record<string, string>>): Plain => ({
  method: 'GET',
  path,
  ...(headers && { headers }),
});
export const remove = (path: string): Plain => ({ method: 'DELETE', path });
export const post = (
  path: string,
  body?: Lazily<string | Buffer | object>,
  headers?: Readonly<Record<string, string>>,
): Plain => ({
  method: 'POST',
  path,
  ...(body !== undefined && { body }),
  ...(headers && { headers }),
});

/** The SQL text of a string literal. */
export const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** As many repetitions of a text as given, made from its number where it is a function. */
export const list = (count: number, item: string | ((index: number) => string), separator = ', ') =>
  Array.from({ length: count }, (_, index) => (typeof item === 'string' ? item : item(index))).join(
    separator,
  );
