// Tables of cases: for each endpoint of an area, one request that succeeds and one for every
// refusal that its entry names. A missing case does not compile. docs/coverage.md counts the
// tables.
import type { Endpoint, Request } from '../../../src/contract/endpoint.ts';
import type { Category } from '../../../src/contract/failure.ts';
import type { api } from '../../../src/contract/index.ts';

export type CasesOf<Area extends keyof typeof api> = {
  readonly [Name in keyof (typeof api)[Area]]: (typeof api)[Area][Name] extends infer E extends
    Endpoint
    ? EndpointCases<E>
    : never;
};

type EndpointCases<E extends Endpoint> = { readonly success: InWorld<Answered<E>> } & RefusalCases<
  E,
  E['refusals']
>;

type RefusalCases<E extends Endpoint, Named> = Named extends object
  ? {
      readonly refusals: {
        readonly [Name in keyof Named]: InWorld<
          Named[Name] extends 'empty' ? Asked<E> : Refused<E>
        >;
      };
    }
  : {};

// The same for those who walk through the tables.
export interface AnyCases {
  readonly success: InWorld<Answered<Endpoint>>;
  readonly refusals?: {
    readonly [Name in Category]?: InWorld<Asked<Endpoint> & { readonly says?: Text }>;
  };
}

// A request as it is, or made when all that it needs is there.
export type InWorld<T> = T | ((world: World) => T | Promise<T>);

export interface Asked<E extends Endpoint> {
  readonly params?: { readonly [Name in keyof Request<E>['params']]?: string }; // in place of those of the world
  readonly query?: { readonly [Name in keyof Request<E>['query']]?: string };
  readonly body?: unknown; // sent as JSON
  readonly text?: string; // a body that is none
  readonly type?: string; // the content type of a text
  readonly by?: string; // name:password; usually the administrator's
  readonly url?: string; // of another service than that of the world
  readonly service?: 'druid' | 'svc'; // where the dialects differ; usually svc
}

export interface Answered<E extends Endpoint> extends Asked<E> {
  readonly status?: number; // where the entry allows several
  readonly shows?: unknown; // of JSON a part, of text a piece
}

export interface Refused<E extends Endpoint> extends Asked<E> {
  readonly says: Text;
}

export type Text = string | RegExp;

/** A service with users, data, a task that has ended and a supervisor, new for each area. */
export interface World {
  readonly url: string;
  /** Sends a request as `by`, usually the administrator, and returns what came back. */
  send(
    send: string,
    body?: unknown,
    by?: string,
  ): Promise<{ readonly status: number; readonly text: string }>;
  readonly params: Readonly<Record<string, string>>; // a value for each parameter of a path
  /** Asks as the administrator: `GET /svc/...`. Throws when it is refused. */
  ask(send: string, body?: unknown): Promise<string>;
  /**
   * Brings in days of January 2024 as a datasource, one row and one segment each. Returns the ids
   * of the segments.
   */
  load(dataSource: string, ...days: readonly string[]): Promise<readonly string[]>;
  /** Starts another service, which lets in one query at a time. It ends with this one. */
  withOneQuery(): Promise<World>;
}
