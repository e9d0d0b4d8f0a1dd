// The broker that all Kafka tests share.
import type { TestProject } from 'vitest/node';
import { kafkaIsMissing, startKafka } from '../support/kafka.ts';

declare module 'vitest' {
  interface ProvidedContext {
    readonly brokerAddress: string; // empty: no broker can be started here
  }
}

/** Starts the broker; returns what ends it. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const reason = kafkaIsMissing();
  if (reason !== undefined) {
    console.warn(`SKIPPED: the Kafka suite needs a broker, and ${reason}`);
    provide('brokerAddress', '');
    return async () => undefined;
  }
  const broker = await startKafka();
  provide('brokerAddress', broker.address);
  return () => broker.stop();
}
