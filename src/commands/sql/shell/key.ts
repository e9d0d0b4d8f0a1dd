/** A key as node:readline reports it; the text beside it is missing where a key writes nothing. */
export interface Key {
  readonly name?: string;
  readonly ctrl?: boolean;
  readonly meta?: boolean;
}
