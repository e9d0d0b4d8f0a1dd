// Extensions that the service may be started without (Druid: "Loading extensions"). All of them are
// part of the program; a list that leaves one out turns it off.
import { isObject } from '../../model/difference.ts';
import { Refusal } from '../checks/refusals.ts';
import { formatExtensions, type Lacking, queryExtensions } from '../planning/lacking.ts';
import { CannotStart } from '../process/cannot-start.ts';
import type { Properties } from './properties.ts';

/**
 * Those that a list may leave out, by their names after that of the service: `svc-basic-security`.
 */
export type Extension = (typeof extensions)[number];

const extensions = [
  'basic-security',
  'kafka-indexing-service',
  's3-extensions',
  ...queryExtensions,
] as const;

// Other extensions of the real engine, which are always on.
const alwaysOn = ['lookups-cached-global', 'multi-stage-query'];
const withoutPrefix = ['simple-client-sslcontext'];

const loadList = 'extensions.loadList';

export class Extensions {
  readonly #service: string;
  readonly #listed: readonly string[] | undefined; // undefined: all

  /** Throws CannotStart for a list that cannot be read. */
  constructor(service: string, properties: Properties) {
    this.#service = service;
    this.#listed =
      properties.text(loadList) === undefined ? undefined : properties.texts(loadList, []);
  }

  has(extension: Extension): boolean {
    return this.#listed?.includes(`${this.#service}-${extension}`) ?? true;
  }

  /**
   * The extensions whose parts queries name and that are off, each with the end of a sentence that
   * says why.
   */
  lackingInQueries(): readonly Lacking[] {
    return queryExtensions.flatMap((extension) =>
      this.has(extension) ? [] : [{ extension, reason: this.#lacks(extension) }],
    );
  }

  /**
   * Refuses a specification of a task or a supervisor that reads a format of an extension that is
   * off.
   */
  checkFormat(given: Readonly<Record<string, unknown>>): void {
    const { spec = given } = given;
    const ioConfig = isObject(spec) ? spec.ioConfig : undefined;
    const format = isObject(ioConfig) ? ioConfig.inputFormat : undefined;
    for (const [type, extension] of Object.entries(formatExtensions))
      if (isObject(format) && format.type === type)
        this.mustHave(extension, `Input format [${type}]`);
  }

  /** Listed extensions that this service does not have. */
  unknown(): readonly string[] {
    const known = [...extensions, ...alwaysOn].map((name) => `${this.#service}-${name}`);
    return (
      this.#listed?.filter((name) => !known.includes(name) && !withoutPrefix.includes(name)) ?? []
    );
  }

  /**
   * Throws CannotStart when a property asks for a type that an extension has which is not listed.
   */
  neededBy(name: string, value: string, extension: Extension): void {
    if (!this.has(extension))
      throw new CannotStart(
        `Property [${this.#service}.${name}] is [${value}], which ${this.#lacks(extension)}`,
      );
  }

  /** Refuses what needs an extension that is not listed; `what` is the subject of the sentence. */
  mustHave(extension: Extension, what: string): void {
    if (!this.has(extension))
      throw new Refusal('invalidInput', `${what} ${this.#lacks(extension)}`, {
        family: 'simpleMap',
      });
  }

  #lacks(extension: Extension): string {
    const name = `${this.#service}-${extension}`;
    return `needs extension [${name}]: it is off, because property [${this.#service}.${loadList}] does not list it. Add [${name}] to the list, or remove the property to have all extensions`;
  }
}
