// Interface of a configuration area.
import type { Context } from '../../../cli/command/command.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import type { Schema } from '../../../contract/schema.ts';

export interface Area {
  readonly name: string; // its folder, and its name for --only
  readonly endpoints: readonly Endpoint[];
  readonly writes: readonly Endpoint[];
  /** All objects by name, in the service's own form. */
  readonly read: (cluster: Cluster) => Promise<ReadonlyMap<string, unknown>>;
  /** The schema of a document, for people who write one. */
  readonly schema: (name: string) => Schema;
  /** Adds the service's defaults, so that equivalent documents become equal. */
  readonly normal: (document: unknown, name: string) => unknown;
  /**
   * A document of the files combined with the live one: fields that the service keeps are
   * preserved.
   */
  readonly merged?: (document: unknown, live: unknown) => unknown;
  /** Throws Mismatch or a usage error for a document that the service would refuse. */
  readonly check: (document: unknown, name: string) => void;
  readonly set: (
    cluster: Cluster,
    name: string,
    change: DocumentChange,
    signature: AreaSignature,
  ) => Promise<void>;
  /** Undefined for objects that always exist. */
  readonly remove?: (
    cluster: Cluster,
    name: string,
    live: unknown,
    signature: AreaSignature,
  ) => Promise<void>;
  // Its removal would lock out all users, or has no meaning
  readonly stays?: (name: string) => boolean;
  readonly isLostWhenRemoved?: true; // with data that no file has: passwords, offsets
}

export interface DocumentChange {
  readonly document: unknown;
  readonly live: unknown; // undefined for a new object
}

export interface AreaSignature {
  readonly author?: string;
  readonly comment?: string;
}

export interface Cluster extends Pick<Context, 'call'> {
  readonly authorizer: () => Promise<string>;
  readonly authenticator: () => Promise<string>;
}
