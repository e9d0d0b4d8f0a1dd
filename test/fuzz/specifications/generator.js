// Specifications with one odd value each, or without one of their fields.
import { Dice } from '../native/dice.js';
import { wholeSpecifications } from './whole.js';

const oddValues = [
  undefined, // the field is left out
  null,
  '',
  'x',
  5,
  -1,
  0,
  1.5,
  2_147_483_648,
  true,
  [],
  {},
  ['x'],
  { type: 'x' },
];

export class SpecificationGenerator {
  #dice;

  /** @param {() => number} random numbers from 0 to 1 */
  constructor(random) {
    this.#dice = new Dice(random);
  }

  /** The next specification, where it goes, and what is odd about it. */
  next() {
    const { path, body } = this.#dice.among(wholeSpecifications);
    const field = this.#dice.among(fieldsIn(body));
    const value = this.#dice.among(oddValues);
    const shown = value === undefined ? 'left out' : JSON.stringify(value);
    return { path, body: changed(body, field, value), odd: `${field.join('.')}: ${shown}` };
  }
}

// The resource keeps accepted tasks waiting.
const fieldsIn = (value, at = []) => [
  ...(at.length > 0 ? [at] : []),
  ...(value !== null && typeof value === 'object' && at[0] !== 'resource'
    ? Object.keys(value)
        .filter((key) => key !== 'resource')
        .flatMap((key) => fieldsIn(value[key], [...at, key]))
    : []),
];

function changed(value, [key, ...rest], by) {
  if (key === undefined) return by;
  const copy = Array.isArray(value) ? [...value] : { ...value };
  if (rest.length > 0 || by !== undefined) copy[key] = changed(value[key], rest, by);
  else if (Array.isArray(copy)) copy.splice(Number(key), 1);
  else delete copy[key];
  return copy;
}
