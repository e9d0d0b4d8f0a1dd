// The broker that all Kafka tests share.
import type { TestProject } from 'vitest/node';
import { kafkaIsMissing, startKafka } from '../support/kafka.ts';
import { account, secureListeners } from '../support/kafka-listeners.ts';

declare module 'vitest' {
  interface ProvidedContext {
    // The addresses of the broker's listeners; none: no broker can be started here
    readonly brokers: Readonly<Record<string, string>>;
  }
}

/** Starts the broker; returns what ends it. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const reason = kafkaIsMissing();
  if (reason !== undefined) {
    console.warn(`SKIPPED: the Kafka suite needs a broker, and ${reason}`);
    provide('brokers', {});
    return async () => undefined;
  }
  const broker = await startKafka({ listeners: secureListeners, account });
  provide('brokers', broker.addresses);
  return () => broker.stop();
}
