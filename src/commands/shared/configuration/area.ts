// Interface of a configuration area.
import type { Context } from '../../../cli/command/command.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import type { Schema } from '../../../contract/schema.ts';

export interface Area {
  readonly name: string; // its folder, and what --only takes
  readonly endpoints: readonly Endpoint[];
  readonly writes: readonly Endpoint[];
  /** All its things by name, as the service says them. */
  readonly read: (cluster: Cluster) => Promise<ReadonlyMap<string, unknown>>;
  /** What the service takes, for whoever writes one by hand. */
  readonly schema: (name: string) => Schema;
  /** With what the service fills in, so that two documents that mean the same are the same. */
  readonly normal: (document: unknown, name: string) => unknown;
  /**
   * What a file means where the cluster has something: fields that the service leaves alone stay.
   */
  readonly merged?: (document: unknown, live: unknown) => unknown;
  /** Throws Mismatch or a usage error for a document that the service would not take. */
  readonly check: (document: unknown, name: string) => void;
  readonly set: (
    cluster: Cluster,
    name: string,
    change: DocumentChange,
    signature: Signature,
  ) => Promise<void>;
  /** Undefined for what is always there. */
  readonly remove?: (
    cluster: Cluster,
    name: string,
    live: unknown,
    signature: Signature,
  ) => Promise<void>;
  // Taking it away would lock everybody out, or mean nothing
  readonly stays?: (name: string) => boolean;
  readonly isLostWhenRemoved?: true; // with things that no file has: passwords, offsets
}

export interface DocumentChange {
  readonly document: unknown;
  readonly live: unknown; // undefined: it is new
}

export interface Signature {
  readonly author?: string;
  readonly comment?: string;
}

export interface Cluster extends Pick<Context, 'call'> {
  readonly authorizer: () => Promise<string>;
  readonly authenticator: () => Promise<string>;
}
