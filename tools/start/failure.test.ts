import { describe, expect, test } from '@jest/globals'
import { StartFailure } from '../local-stack/server.ts'
import { DataFailure, explainFailure, explainMigration, explainStore } from './failure.ts'

const systemError = (code: string, path: string) => Object.assign(new Error(code), { code, path })

describe('a failure of npm start', () => {
  test('on a full disk names the file, and does not suggest deleting the data', () => {
    const explained = explainFailure(
      systemError('ENOSPC', '/x/.local/mail/a.eml'),
      '/x/.local',
    ) as Error
    expect(explained.message).toBe('The disk is full: /x/.local/mail/a.eml cannot be written.')
  })

  test.each([
    ['another folder', systemError('EACCES', '/x/.localized/file')],
    ['no file', new Error('Redis is missing')],
    ['an unknown reason', systemError('EMFILE', '/x/.local/start.json')],
  ])('that concerns %s is reported unchanged', (_what, error) => {
    expect(explainFailure(error, '/x/.local')).toBe(error)
  })

  test.each([
    [
      'a data store that does not start',
      explainStore,
      new StartFailure('PostgreSQL did not start'),
    ],
    ['a migration', explainMigration, new Error('tools/migrate.ts failed')],
  ])('of %s explains how to start over', (_what, explain, error) => {
    expect(() => explain(error)).toThrow(DataFailure)
    expect(() => explain(error)).toThrow(`${error.message}\n\nTo start over: rm -rf .local`)
  })

  test('of a missing or already running data store does not explain how to start over', () => {
    const error = new Error('Already running here, by process 7: stop that one first')
    expect(() => explainStore(error)).toThrow(error)
  })
})
