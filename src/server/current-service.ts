// The composed service behind the ports. A restore of data replaces it while the ports stay open.
import type { Endpoint } from '../contract/endpoint.ts';
import { lacksOf } from '../model/engine-version.ts';
import { notOpen } from './checks/refusals.ts';
import { type ComposedService, composeService } from './composition/compose-service.ts';
import type { ExternalParts } from './composition/external-parts.ts';
import type { ServiceSettings } from './composition/settings.ts';
import type { Guard } from './http/guard.ts';
import { createRouter, type Router } from './http/router.ts';
import type { Clock } from './process/clock.ts';
import type { RouterPorts } from './settings/port-numbers.ts';
import type { Storage } from './storage/storage.ts';

export interface CurrentServiceParts {
  readonly settings: ServiceSettings;
  readonly clock: Clock;
  readonly place: RouterPorts;
  readonly external: ExternalParts;
}

export class CurrentService {
  /** The service at the start; its handlers and warnings are those of later ones. */
  readonly first: ComposedService;
  readonly #parts: CurrentServiceParts;
  #storage: Storage;
  #current: ComposedService | undefined;

  private constructor(parts: CurrentServiceParts, storage: Storage, first: ComposedService) {
    this.#parts = parts;
    this.#storage = storage;
    this.first = first;
    this.#current = first;
  }

  /** Composes the service on a storage; closes the storage when that fails. */
  static async compose(parts: CurrentServiceParts, storage: Storage): Promise<CurrentService> {
    const { settings, external, ...dependencies } = parts;
    const first = await composeService(settings, { storage, ...dependencies }, external).catch(
      async (error: unknown) => {
        await storage.close();
        throw error;
      },
    );
    return new CurrentService(parts, storage, first);
  }

  get storage(): Storage {
    return this.#storage;
  }

  /** Undefined during a restore, and after a failed one. */
  find(): ComposedService | undefined {
    return this.#current;
  }

  /** Throws a Refusal during a restore, and after a failed one. */
  get(): ComposedService {
    if (!this.#current) throw notOpen();
    return this.#current;
  }

  /** A guard that asks the guard of the current service. */
  get guard(): Guard {
    return {
      requiresCredentials: this.first.guard.requiresCredentials,
      authenticate: (request) => this.get().guard.authenticate(request),
      logIn: (login) => this.get().guard.logIn(login),
      authorize: (...request) => this.get().guard.authorize(...request),
      filterReply: (...reply) => this.get().guard.filterReply(...reply),
    };
  }

  /** A router to those endpoints of the current service that `serves` accepts. */
  routerOf(serves: (endpoint: Endpoint) => boolean): Router {
    const { service, engineVersion } = this.#parts.settings;
    const lacked = lacksOf(engineVersion);
    const isServed = (endpoint: Endpoint) =>
      serves(endpoint) && !lacked.endpoints.has(`${endpoint.method} ${endpoint.path}`);
    const routing = (composed: ComposedService) => ({
      composed,
      route: createRouter(service, composed.handlers, isServed),
    });
    let router = routing(this.first);
    return (method, path) => {
      if (router.composed !== this.get()) router = routing(this.get());
      return router.route(method, path);
    };
  }

  /** Closes the service, changes the files of its storage, and starts a new service on them. */
  async restart(change: () => void): Promise<void> {
    await this.#current?.close();
    this.#current = undefined;
    this.#storage = await this.#storage.reopen(change);
    const { settings, clock, place, external } = this.#parts;
    const { onRolesStarted: _, ...parts } = external;
    const next = await composeService(settings, { storage: this.#storage, clock, place }, parts);
    await next.start();
    this.#current = next;
  }

  async close(): Promise<void> {
    await this.#current?.close();
    await this.#storage.close();
  }
}
