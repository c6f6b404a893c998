import { settings, type Setting, type SettingReader } from '@hosting/core/configuration'

const all: readonly Setting<unknown>[] = Object.values(settings)

/** The settings that a process reads. */
export const settingsReadBy = (process: Exclude<SettingReader, 'migrate'>): Setting<unknown>[] =>
  all.filter(({ readBy = process }) => readBy === process)
