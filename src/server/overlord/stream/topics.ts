// Topics of a stream: one by its name, or all that match a pattern (Druid: KafkaTopicPartition,
// topicPattern).
import { chain, hashCodeOf } from '../../../model/java-hash.ts';
import { compileWhole } from '../../../sql/regex/java-regex.ts';
import { PatternError } from '../../../sql/regex/pattern-error.ts';
import { compilePattern, type Matches } from '../../checks/patterns.ts';

/** A partition: its number for one topic, `topic:number` for several. */
export type Partition = number | string;

export interface Topics {
  readonly topic: string; // or the text of the pattern
  readonly matches?: Matches; // absent: one topic
}

/**
 * The topics whose whole names match a Java pattern. `refuse` receives the problem of an invalid
 * text.
 */
export function topicsMatching(pattern: string, refuse: (problem: string) => never): Topics {
  const matches = compilePattern(pattern);
  return matches
    ? { topic: pattern, matches }
    : refuse(`topicPattern [${pattern}] cannot be used: ${faultIn(pattern)}`);
}

/** A partition from its JSON form. */
export const partitionIn = (text: string): Partition => (/^\d+$/.test(text) ? Number(text) : text);

/** Whether a text names a partition of these topics. */
export function isPartitionOf({ matches }: Topics, text: string): boolean {
  if (!matches) return /^\d+$/.test(text);
  const [, topic] = /^(.+):\d+$/s.exec(text) ?? [];
  return topic !== undefined && matches(topic);
}

/** The topic and the number of a partition; `topic` applies to a partition without one. */
export function placeOf(
  partition: Partition,
  topic: string,
): { readonly topic: string; readonly number: number } {
  if (typeof partition === 'number') return { topic, number: partition };
  const colon = partition.lastIndexOf(':');
  return { topic: partition.slice(0, colon), number: Number(partition.slice(colon + 1)) };
}

/** The name of a partition among these topics. */
export const partitionAmong = ({ matches }: Topics, topic: string, number: number): Partition =>
  matches ? `${topic}:${number}` : number;

/**
 * Offsets read as `former`, with the partition names of other topics; partitions of foreign topics
 * are left out.
 */
export const offsetsAmong = (
  topics: Topics,
  former: Topics,
  offsets: ReadonlyMap<Partition, number>,
): ReadonlyMap<Partition, number> =>
  new Map(
    [...offsets].flatMap(([partition, offset]): [Partition, number][] => {
      const { topic, number } = placeOf(partition, former.topic);
      const isMeant = topics.matches?.(topic) ?? topic === topics.topic;
      return isMeant ? [[partitionAmong(topics, topic, number), offset]] : [];
    }),
  );

/** All topics. */
export const allTopics: Topics = { topic: '.*', matches: () => true };

/** Partitions in the order of their topics and numbers. */
export function byPlace(a: Partition, b: Partition): number {
  const [one, other] = [placeOf(a, ''), placeOf(b, '')];
  if (one.topic === other.topic) return one.number - other.number;
  return one.topic < other.topic ? -1 : 1;
}

/**
 * The index of the task group that reads a partition (Druid:
 * KafkaSupervisor.getTaskGroupIdForPartition).
 */
export function groupOf(partition: Partition, taskCount: number): number {
  if (typeof partition === 'number') return partition % taskCount;
  const { topic, number } = placeOf(partition, '');
  return Math.abs(chain(hashCodeOf(topic), number)) % taskCount;
}

function faultIn(pattern: string): string {
  try {
    compileWhole(pattern);
  } catch (error) {
    if (error instanceof PatternError) return error.message;
    throw error;
  }
  return 'it does not compile';
}
