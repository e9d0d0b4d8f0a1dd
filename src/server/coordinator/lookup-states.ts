// Load state of lookups on the nodes. Lookups that fetch their pairs are stored but never loaded
// here.
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  defaultLookupTier,
  findLookupHead,
  type LookupHead,
  listLookupNames,
} from '../storage/lookups.ts';
import type { Metadata } from '../storage/metadata.ts';

export class LookupStates {
  readonly metadata: Metadata;
  readonly #nodes: () => readonly string[];

  /** `nodes` are the host and port of each node. */
  constructor(metadata: Metadata, nodes: () => readonly string[]) {
    this.metadata = metadata;
    this.#nodes = nodes;
  }

  /** Whether each lookup of a tier is loaded; `isDetailed` adds the nodes that lack it. */
  async ofTier(tier: string, isDetailed = false) {
    const heads = await this.#headsOf(tier);
    return Object.fromEntries(
      heads.map(([name, head]) => [name, this.ofLookup(tier, head, isDetailed)] as const),
    );
  }

  /** Whether a lookup is loaded; `isDetailed` adds the nodes that lack it. */
  ofLookup(tier: string, { hasPairs }: LookupHead, isDetailed = false) {
    const pendingNodes = tier === defaultLookupTier && !hasPairs ? this.#nodes() : [];
    return {
      loaded: pendingNodes.length === 0,
      ...(isDetailed && { pendingNodes: [...pendingNodes] }),
    };
  }

  /**
   * Versions of the loaded and pending lookups on each node of a tier. Every node is in the default
   * tier, so lookups of other tiers are never loaded.
   */
  async onNodes(tier: string) {
    const own = tier === defaultLookupTier ? this.#nodes() : [];
    const state = own.length > 0 && (await this.#onNode(tier));
    return Object.fromEntries(own.map((node) => [node, { ...state }] as const));
  }

  async #onNode(tier: string) {
    const heads = await this.#headsOf(tier);
    const versionsOf = (isLoaded: boolean) =>
      Object.fromEntries(
        heads
          .filter(([, { hasPairs }]) => hasPairs === isLoaded)
          .map(([name, { version }]) => [name, version]),
      );
    return { current: versionsOf(true), toLoad: versionsOf(false), toDrop: [] };
  }

  // Inspecting a large lookup takes some time: other work gets turns in between.
  async #headsOf(tier: string): Promise<[string, LookupHead][]> {
    const heads: [string, LookupHead][] = [];
    for (const lookup of listLookupNames(this.metadata, tier)) {
      const head = findLookupHead(this.metadata, lookup);
      if (head) heads.push([lookup.name, head]);
      await nextTurn();
    }
    return heads;
  }
}

/** Names of the tiers that have lookups. */
export const tiersIn = (metadata: Metadata): string[] => [
  ...new Set(listLookupNames(metadata).map(({ tier }) => tier)),
];
