/**
 * A test environment of jest without a context of its own: test files run in Node's, with Node's globals. Jest
 * expects these properties.
 */
export default class Environment {
  readonly global = {}
  readonly moduleMocker = { restoreAllMocks: (): void => undefined }
  readonly setup = (): Promise<void> => Promise.resolve()
  readonly teardown = (): Promise<void> => Promise.resolve()
  readonly getVmContext = (): null => null
  readonly exportConditions = (): string[] => []
}
