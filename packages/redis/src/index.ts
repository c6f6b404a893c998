export * from './attempt-consumer.ts'
export * from './attempt-producer.ts'
export * from './connections.ts'
export * from './delivery-queue.ts'
